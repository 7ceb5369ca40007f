"""An exported version: what is in it, who can load it, and what fails."""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf
from untrained import WORDS

import keras_slu
from keras_slu.errors import InputError
from keras_slu.export import saved_model
from keras_slu.export.saved_model import export_saved_model
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

TEXTS = ["play hey jude", "", "Book ROME, rome!", "听歌 😀 \0", "jude " * 20, "\ud800"]


@pytest.fixture(scope="module")
def exported(untrained_run, tmp_path_factory):
    return export_saved_model(untrained_run, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def parser(exported):
    return keras_slu.load(exported)


def labels(frame):
    slots = [(slot.name, slot.value, slot.start, slot.end) for slot in frame.slots]
    return frame.text, frame.active_intents, slots, frame.is_unknown, frame.truncated


def test_it_lies_under_its_name_and_version(exported, untrained_run):
    assert exported.parts[-2:] == (untrained_run.name, "1")
    assert os.listdir(exported.parent) == ["1"]
    assert sorted(os.listdir(exported / "assets.extra")) == [
        "contract.json",
        "tf_serving_warmup_requests",
        "tokenizer.npz",
        "vocabulary.txt",
    ]


def test_everybody_may_read_it(exported):
    umask = os.umask(0)
    os.umask(umask)
    assert exported.stat().st_mode & 0o777 == 0o777 & ~umask


def test_it_holds_the_weights_and_no_optimizer(exported):
    from untrained import make_model

    stored = tf.train.list_variables(str(exported / "variables" / "variables"))
    shapes = [shape for name, shape in stored if not name.startswith("_CHECKPOINT")]
    expected = [list(weight.shape) for weight in make_model().weights]
    assert sorted(shapes) == sorted(expected)


def test_it_parses_as_the_run_does(parser, untrained_run):
    run = keras_slu.load(untrained_run)
    texts = [*TEXTS, *(f"{a} {b}\u0301 {a}" for a in WORDS for b in WORDS)]
    for ours, theirs in zip(parser.parse(texts), run.parse(texts), strict=True):
        assert labels(ours) == labels(theirs)
        for one, other in zip(ours.intents, theirs.intents, strict=True):
            assert one.probability == pytest.approx(other.probability, abs=1e-5)
        for one, other in zip(ours.slots, theirs.slots, strict=True):
            assert one.confidence == pytest.approx(other.confidence, abs=1e-4)


def test_a_str_gives_one_frame_and_a_list_a_list(parser):
    frame = parser.parse("play hey jude")
    assert labels(frame) == labels(parser.parse(["play hey jude"])[0])
    assert parser.parse([]) == []


def test_moved_it_loads_without_our_package_by_both_loaders(exported, tmp_path, parser):
    moved = shutil.copytree(exported, tmp_path / "moved here" / "7")
    text = "book rome, hey jude!"
    script = Path(__file__).with_name("loaded_without_keras_slu.py")
    shown = subprocess.run(
        [sys.executable, script, moved.name, text],
        cwd=moved.parent,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()
    now, as_served = map(json.loads, shown)
    assert as_served["tokens"] == ["book", "rome", ",", "hey", "jude", "!"]
    assert as_served["starts"] == [0, 5, 9, 11, 15, 19]
    assert as_served.pop("slot_confidence") == pytest.approx(
        now.pop("slot_confidence"), abs=1e-6
    )
    assert as_served.pop("intent_probabilities") == pytest.approx(
        now.pop("intent_probabilities"), abs=1e-6
    )
    assert as_served == now
    frame = parser.parse(text)
    assert as_served["intents"] == [intent.name for intent in frame.intents]


def test_warm_up_requests_are_those_of_the_server(exported, parser):
    from tensorflow_serving.apis import prediction_log_pb2 as apis

    path = exported / "assets.extra" / "tf_serving_warmup_requests"
    lengths = []
    for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
        log = apis.PredictionLog.FromString(record)
        request = log.predict_log.request
        assert request.model_spec.name == "tiny"
        assert request.model_spec.signature_name == "serving_default"
        [(name, tensor)] = request.inputs.items()
        assert name == "text"
        answers = parser._run(text=tf.constant(tf.make_ndarray(tensor)))
        lengths.append(answers["tags"].shape[1])
        # The encoding is the canonical one.
        assert log.SerializeToString(deterministic=True) == record
    assert lengths == list(range(1, 17))  # the buckets up to max_tokens


def test_a_client_can_make_token_ids_itself(exported, parser):
    extra = exported / "assets.extra"
    contract = json.loads((extra / "contract.json").read_text())
    assert contract["max_tokens"] == 16
    assert contract["tokenizer"] == {"mode": "unicode", "lowercase": True}
    assert contract["keras_slu"] == keras_slu.__version__
    tokenizer = Tokenizer.load(extra / "tokenizer.npz")
    vocabulary = Vocabulary.load(extra / "vocabulary.txt")
    assert contract["vocabulary_size"] == len(vocabulary)
    text = "Play hey JUDE unheard"
    words = [tokenizer.fold(token.text) for token in tokenizer.tokenize(text)]
    ids = tf.constant([vocabulary.ids(words)])
    by_ids = parser._loaded.signatures["token_ids"](token_ids=ids)
    by_text = parser._run(text=tf.constant([text]))
    assert by_ids["tags"].numpy().tolist() == by_text["tags"].numpy().tolist()
    assert set(by_ids["tags"].numpy()[0]) <= {tag.encode() for tag in contract["tags"]}


def check_random_bytes(parser, count):
    draw = random.Random(count)
    alphabet = [bytes([byte]) for byte in range(256)]
    alphabet += [
        character.encode() for character in "play é听😀\u0301\u200d\ufeff"
    ] * 20
    texts = [
        b"".join(draw.choices(alphabet, k=draw.randrange(40))) for _ in range(count)
    ]
    for start in range(0, count, 500):
        part = texts[start : start + 500]
        answers = parser._run(text=tf.constant(part))
        answers = {name: value.numpy() for name, value in answers.items()}
        for row, raw in enumerate(part):
            text = raw.decode("utf-8", "replace")
            for token, first, end in zip(
                *(answers[name][row] for name in ("tokens", "starts", "ends")),
                strict=True,
            ):
                found = text[first:end] if first >= 0 else ""
                assert token.decode() == found
    return texts


def test_random_bytes_get_answers_with_offsets_within_the_text(parser):
    check_random_bytes(parser, 2000)


@pytest.mark.slow
def test_a_hundred_thousand_random_byte_strings(parser):
    check_random_bytes(parser, 100_000)


def test_a_row_does_not_depend_on_its_neighbours(parser):
    alone = [parser.parse(text) for text in TEXTS]
    together = parser.parse(TEXTS + ["rome " * 500] + TEXTS[::-1])
    for frame, other in zip(together, alone + alone[:1] + alone[::-1], strict=True):
        if frame.text in TEXTS:
            assert labels(frame) == labels(other)


# What can fail, without the cost of an export: the child is replaced.


def write_half(function, run, folder, name, task):
    Path(folder).mkdir()
    (Path(folder) / "saved_model.pb").write_bytes(b"half")


def test_versions_count_on(untrained_run, tmp_path, monkeypatch):
    monkeypatch.setattr(saved_model, "call_in_child", write_half)
    (tmp_path / "m" / "not a version").mkdir(parents=True)
    for version, expected in ((None, "1"), (12, "12"), (None, "13"), (2, "2")):
        place = export_saved_model(untrained_run, tmp_path, "m", version)
        assert place == tmp_path / "m" / expected
    assert sorted(os.listdir(tmp_path / "m")) == ["1", "12", "13", "2", "not a version"]


def test_a_version_that_exists_is_refused(untrained_run, tmp_path, monkeypatch):
    monkeypatch.setattr(saved_model, "call_in_child", write_half)
    (tmp_path / "m" / "3").mkdir(parents=True)
    with pytest.raises(InputError, match="exists already") as error:
        export_saved_model(untrained_run, tmp_path, "m", 3)
    assert error.value.file == str(tmp_path / "m" / "3")
    assert os.listdir(tmp_path / "m" / "3") == []


def test_a_version_that_another_export_took_is_refused(
    untrained_run, tmp_path, monkeypatch
):
    def write_slowly(*arguments, **named):
        write_half(*arguments, **named)
        (tmp_path / "m" / "1").mkdir()
        (tmp_path / "m" / "1" / "theirs").write_text("")

    monkeypatch.setattr(saved_model, "call_in_child", write_slowly)
    with pytest.raises(InputError, match="exists already"):
        export_saved_model(untrained_run, tmp_path, "m")
    assert os.listdir(tmp_path / "m") == ["1"]
    assert os.listdir(tmp_path / "m" / "1") == ["theirs"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_export_leaves_nothing(
    untrained_run, tmp_path, monkeypatch, error
):
    def stop_half_way(*arguments, **named):
        write_half(*arguments, **named)
        raise error

    monkeypatch.setattr(saved_model, "call_in_child", stop_half_way)
    with pytest.raises(error):
        export_saved_model(untrained_run, tmp_path / "new")
    assert os.listdir(tmp_path / "new") == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/b"])
def test_a_name_that_is_no_folder_is_refused(untrained_run, tmp_path, name):
    with pytest.raises(InputError, match="no name of a folder"):
        export_saved_model(untrained_run, tmp_path, name)
    assert os.listdir(tmp_path) == []


def test_a_place_that_is_a_file_is_refused(untrained_run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        export_saved_model(untrained_run, tmp_path / "file")


def test_a_damaged_run_is_refused_and_leaves_nothing(untrained_run, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    content = (untrained_run / "model.keras").read_bytes()
    (run / "model.keras").write_bytes(content[:-100])
    with pytest.raises(InputError, match="cannot be loaded") as error:
        export_saved_model(run, tmp_path / "models")
    assert error.value.file == str(run / "model.keras")
    assert os.listdir(tmp_path / "models") == []


def test_a_disk_that_fills_up_is_told_and_leaves_nothing(untrained_run, tmp_path):
    # The child inherits the limit: no file may grow larger.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(InputError, match="(?i)file too large|no space|fail"):
            export_saved_model(untrained_run, tmp_path / "models")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(tmp_path / "models") == []
