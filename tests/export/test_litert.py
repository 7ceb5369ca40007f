"""An exported LiteRT model: its answers, its contract, and what fails."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from untrained import INTENTS
from untrained import TAGS
from untrained import make_model

import keras_slu
from keras_slu.errors import InputError
from keras_slu.export import litert
from keras_slu.export.litert import export_litert
from keras_slu.parsing.parser import Parser

pytest.importorskip("ai_edge_litert")

MAX_TOKENS, MAX_CHARS = 6, 40
TEXTS = [
    "play hey jude",
    "Book ROME, rome!",
    "\u542c\u6b4c \U0001f600 Zo\u00cb zoe\u0308",
    "",
    " \0 \t",
    "hey\0jude",
    "\ud800 play \udfff\u200d!",
    "the" * 13,
]


@pytest.fixture(scope="module")
def parser():
    return Parser(make_model())


@pytest.fixture(scope="module")
def codepoints(untrained_run, tmp_path_factory):
    path = tmp_path_factory.mktemp("codepoints") / "tiny.tflite"
    export_litert(untrained_run, path, max_tokens=MAX_TOKENS, max_chars=MAX_CHARS)
    return path


@pytest.fixture(scope="module")
def token_ids(untrained_run, tmp_path_factory):
    path = tmp_path_factory.mktemp("token_ids") / "tiny.tflite"
    export_litert(untrained_run, path, input="token_ids", max_tokens=999)
    return path


@pytest.fixture(params=["codepoints", "token_ids"])
def exported(request):
    return request.getfixturevalue(request.param)


def check_same(theirs, ours):
    assert theirs.text == ours.text
    assert theirs.active_intents == ours.active_intents
    assert (theirs.is_unknown, theirs.truncated) == (ours.is_unknown, ours.truncated)
    for found, known in zip(theirs.intents, ours.intents, strict=True):
        assert found.name == known.name
        assert found.probability == pytest.approx(known.probability, abs=1e-5)
    for found, known in zip(theirs.slots, ours.slots, strict=True):
        assert (found.name, found.value) == (known.name, known.value)
        assert (found.start, found.end) == (known.start, known.end)
        assert found.confidence == pytest.approx(known.confidence, abs=1e-5)


def test_it_parses_as_the_run_does(exported, parser):
    found, known = keras_slu.load(exported).parse(TEXTS), parser.parse(TEXTS)
    assert sum(len(frame.slots) for frame in known) > 3
    for theirs, ours in zip(found, known, strict=True):
        check_same(theirs, ours)
    check_same(keras_slu.load(exported).parse(TEXTS[0]), known[0])


def test_too_many_tokens_are_cut_and_flagged(exported, parser):
    model = keras_slu.load(exported)
    limit = model.contract["max_tokens"]
    words = ("play hey jude the book rome " * 3).split()[: limit + 1]
    assert not model.parse(" ".join(words[:limit])).truncated
    theirs = model.parse(" ".join(words))
    ours = parser.parse(" ".join(words[:limit]))
    assert theirs.truncated
    assert [slot.value for slot in theirs.slots] == [slot.value for slot in ours.slots]


@pytest.mark.parametrize(
    "text, ends, is_cut",
    [
        ("a" * MAX_CHARS, [MAX_CHARS], False),
        ("a" * (MAX_CHARS + 1), [], True),  # nobody knows what word this is
        ("a" * (MAX_CHARS + 9), [], True),
        ("a" * (MAX_CHARS - 1) + " rome", [MAX_CHARS - 1], True),
        ("a" * MAX_CHARS + " rome", [MAX_CHARS], True),
        ("a" * (MAX_CHARS - 2) + " rome", [MAX_CHARS - 2], True),
        ("a" * (MAX_CHARS - 3) + " \0\0", [MAX_CHARS - 3], False),
        ("a" * (MAX_CHARS - 3) + " \0\0\0", [MAX_CHARS - 3], True),
    ],
)
def test_too_many_code_points_are_cut_and_flagged(codepoints, text, ends, is_cut):
    model = keras_slu.load(codepoints)
    answer = model.run(model.encode(text)[0])
    assert [end for end in answer["ends"].tolist() if end >= 0] == ends
    assert bool(answer["truncated"]) == is_cut
    assert model.parse(text).truncated == is_cut


def test_the_contract_lies_beside_and_inside(codepoints, untrained_run):
    assert sorted(os.listdir(codepoints.parent)) == ["tiny.json", "tiny.tflite"]
    contract = json.loads(codepoints.with_suffix(".json").read_text())
    with zipfile.ZipFile(codepoints) as archive:
        assert archive.namelist() == ["contract.json"]
        assert json.loads(archive.read("contract.json")) == contract
    assert (contract["classes"], contract["tags"]) == (INTENTS, TAGS)
    assert contract["input"]["shape"] == [1, MAX_CHARS + 1]
    model = keras_slu.load(codepoints)
    inputs, _ = model.encode("play")
    for name, values in model.run(inputs).items():
        told = contract["outputs"][name]
        assert (told["shape"], told["dtype"]) == ([1, *values.shape], values.dtype.name)


def test_the_limit_of_the_run_holds(token_ids):
    assert keras_slu.load(token_ids).contract["max_tokens"] == 16


def test_compiled_model_runs_it(exported):
    compiled_model = pytest.importorskip("ai_edge_litert.compiled_model")
    compiled = compiled_model.CompiledModel.from_file(str(exported))
    names = compiled.get_signature_list()["serving_default"]["outputs"]
    model = keras_slu.load(exported)
    for text in TEXTS:
        inputs, _ = model.encode(text)
        given = compiled.create_input_buffers(0)
        answers = compiled.create_output_buffers(0)
        given[0].write(*inputs.values())
        compiled.run_by_index(0, given, answers)
        for name, expected in model.run(inputs).items():
            dtype = np.dtype(model.contract["outputs"][name]["dtype"]).type
            found = answers[names.index(name)].read(expected.size, dtype)
            np.testing.assert_allclose(found, np.ravel(expected), atol=1e-6)


def test_it_needs_no_tensorflow(exported):
    code = (
        "import sys, keras_slu; "
        f"frame = keras_slu.load({str(exported)!r}).parse('play hey jude'); "
        "print(len(frame.intents), {'tensorflow', 'keras'} & set(sys.modules))"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.stdout == "2 set()\n", child.stderr


def random_rows(count, size):
    """Rows of anything, of some kinds that faults like, int32 `(count, size)`."""
    random = np.random.default_rng(5)
    kinds = [
        lambda: random.integers(-(2**31), 2**31, size),
        lambda: random.integers(0, 0x110000, size),
        lambda: random.integers(0xD800, 0xE000, size),  # surrogates
        lambda: random.integers(0x10FF00, 0x110100, size),  # about the end
        lambda: random.integers(0x20, 0x7F, size),
        lambda: random.choice([0, 0x20, 0x61, 0x301, 0x200D, 0x1F600], size),
        lambda: np.full(size, random.integers(-2, 3)),
    ]
    rows = np.array([kinds[row % len(kinds)]() for row in range(count)], np.int32)
    lengths = random.integers(size + 1, size=(count, 1))
    return np.where(np.arange(size) < lengths, rows, 0).astype(np.int32)


def answers_of(path, rows):
    model = keras_slu.load(path)
    name = model.contract["input"]["name"]
    answers = [model.run({name: row[None]}) for row in rows]
    return {name: np.array([one[name] for one in answers]) for name in answers[0]}


def lengths_of(rows):
    """The place behind the last value that is not 0."""
    return np.max(np.where(rows != 0, np.arange(1, rows.shape[1] + 1), 0), axis=1)


def test_any_code_points_are_answered(codepoints):
    rows = random_rows(10_000, MAX_CHARS + 1)
    answers = answers_of(codepoints, rows)
    starts, ends, tags = answers["starts"], answers["ends"], answers["tags"]
    is_token = starts >= 0
    counts = is_token.sum(axis=1)
    assert {0, 1, MAX_TOKENS} <= set(counts.tolist())
    assert (is_token == (np.arange(MAX_TOKENS) < counts[:, None])).all()
    assert (starts[is_token] < ends[is_token]).all()
    assert (ends[:, :-1] <= starts[:, 1:])[is_token[:, 1:]].all()
    limits = np.minimum(lengths_of(rows), MAX_CHARS)
    assert (ends.max(axis=1) <= np.maximum(limits, -1)).all()
    assert ((tags[is_token] >= 0) & (tags[is_token] < len(TAGS))).all()
    confidence = answers["slot_confidence"]
    assert ((confidence[is_token] >= 0) & (confidence[is_token] <= 1)).all()
    for values in (starts, ends, tags, confidence):
        assert (values[~is_token] == -1).all()
    totals = answers["intent_probabilities"].sum(axis=1)
    np.testing.assert_allclose(totals, 1.0, atol=1e-5)
    assert ((answers["truncated"] == 1) >= (rows[:, -1] != 0)).all()


def test_any_token_ids_are_answered(token_ids):
    rows = random_rows(2_000, 17)
    answers = answers_of(token_ids, rows)
    is_token = np.arange(16) < np.clip(lengths_of(rows), 1, 16)[:, None]
    assert ((answers["tags"] >= 0) == is_token).all()
    assert ((answers["truncated"] == 1) == (rows[:, -1] != 0)).all()


def test_damaged_files_are_refused(codepoints, tmp_path):
    path = tmp_path / "x.tflite"
    content = codepoints.read_bytes()
    for damaged in (content[: len(content) // 2], content[1000:], b"", b"TFL3"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="x.tflite: cannot be loaded"):
            keras_slu.load(path)
    with pytest.raises(InputError, match="none.tflite: cannot be loaded"):
        keras_slu.load(tmp_path / "none.tflite")


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"input": "bytes"}, "input 'bytes' is unknown. Choose from codepoints,"),
        ({"quantize": "int4"}, "quantize 'int4' is unknown"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_chars": -1}, "max_chars is -1"),
    ],
)
def test_settings_out_of_range_are_refused(untrained_run, tmp_path, settings, told):
    with pytest.raises(InputError, match=told):
        export_litert(untrained_run, tmp_path / "x.tflite", **settings)
    with pytest.raises(InputError, match="does not end in .tflite"):
        export_litert(untrained_run, tmp_path / "x.bin")
    assert not os.listdir(tmp_path)


def test_an_export_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "x.tflite"
    path.write_bytes(b"the one before")

    def fail(function, model_path, **arguments):
        Path(model_path).write_bytes(b"half of")
        raise InputError("No space left on device", "Check the place and the disk.")

    monkeypatch.setattr(litert, "call_in_child", fail)
    with pytest.raises(InputError, match="No space left"):
        export_litert(tmp_path, path)
    assert os.listdir(tmp_path) == ["x.tflite"]
    assert path.read_bytes() == b"the one before"


def test_what_kills_a_process_is_told(untrained_run, tmp_path):
    with pytest.raises(InputError, match="quantising this model to int8 killed"):
        export_litert(untrained_run, tmp_path / "x.tflite", quantize="int8")
    assert not os.listdir(tmp_path)
