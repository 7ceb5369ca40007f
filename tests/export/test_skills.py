"""A SkillNet's exports: every kind of task answers as the run does."""

import json
from dataclasses import asdict

import pytest
import skills
from checks import draw_weights

import keras_slu
from keras_slu.errors import InputError
from keras_slu.export.litert import export_litert
from keras_slu.export.saved_model import export_saved_model
from keras_slu.export.skill_exports import check_skills
from keras_slu.models import SkillTask
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

pytest.importorskip("tensorflow_text", reason="needs keras-slu[text]")
pytestmark = pytest.mark.slow  # minutes: `make test-slow`

VOCABULARY = [*SPECIAL, *"abcdefg好的歌.!?", "##a", "##b", "##ing", "play", "##e"]
TEXTS = ["play a 好 b!", "", "好的歌好的歌 playing… ab " * 4, "a", "?的"]
SECONDS = ["好的歌。b a " * 5, "a", "", "play 歌", "c d e f g a b c d e f g"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run's folder, untrained."""
    folder = tmp_path_factory.mktemp("runs") / "many"
    folder.mkdir()
    model = skills.make(vocabulary_size=len(VOCABULARY))
    draw_weights(model)
    model.pieces = WordPieces(VOCABULARY)
    model.save(folder / "model.keras")
    return folder


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    return export_saved_model(run, tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="module")
def parsers(run, exported):
    return keras_slu.load(run), keras_slu.load(exported)


def seconds_of(task):
    return SECONDS if task.kind in ("pair", "matching", "span", "ranking") else None


def test_all_tasks_answer_as_the_run(parsers):
    _, theirs = parsers
    assert list(theirs.tasks.values()) == skills.TASKS
    for task in skills.TASKS[:-1]:
        sides = [
            parser.answer(task.name, TEXTS, seconds_of(task)) for parser in parsers
        ]
        for one, other in zip(*sides, strict=True):
            assert rounded(one) == rounded(other), task.name


def rounded(answer):
    """An answer with its numbers to four places."""
    return json.loads(
        json.dumps(asdict(answer)), parse_float=lambda text: round(float(text), 4)
    )


def test_offsets_are_of_the_texts(parsers):
    _, parser = parsers
    for passage, found in zip(
        SECONDS, parser.answer("reading", TEXTS, SECONDS), strict=True
    ):
        assert passage[found.start : found.end] == found.text
    for text, tagged in zip(TEXTS, parser.answer("names", TEXTS), strict=True):
        assert all(text[s.start : s.end] == s.value for s in tagged.slots)


def test_a_slim_export_holds_one_task_and_its_skills(parsers, run, exported, tmp_path):
    slim = export_saved_model(run, tmp_path, name="slim", task="mood")
    parser = keras_slu.load(slim)
    assert list(parser.tasks) == ["mood"]
    assert (
        parser.answer("mood", TEXTS)
        == pytest.approx(keras_slu.load(exported).answer("mood", TEXTS))
        or check_skills(keras_slu.load(run), parser, TEXTS) is None
    )
    size = (slim / "variables" / "variables.data-00000-of-00001").stat().st_size
    whole = (exported / "variables" / "variables.data-00000-of-00001").stat().st_size
    assert size < 0.8 * whole
    contract = json.loads((slim / "assets.extra" / "contract.json").read_text())
    assert contract["skills"] == ["s1", "s7"]


def test_what_cannot_be_exported(run, tmp_path):
    with pytest.raises(InputError, match="'moods'.*Name one of mood, follows"):
        export_saved_model(run, tmp_path, task="moods")
    with pytest.raises(InputError, match="'pieces'"):
        export_saved_model(run, tmp_path, task="pieces")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "task, texts, seconds, told",
    [
        ("mood", ["a"], ["b"], "single texts"),
        ("reading", ["a"], None, "pairs of texts"),
        ("follows", ["a", "b"], ["c"], "2 texts, but 1"),
        ("none", ["a"], None, "no task 'none'"),
        ("pieces", ["a"], None, "no task 'pieces'"),
    ],
)
def test_texts_that_do_not_fit_the_task(parsers, task, texts, seconds, told):
    for parser in parsers:
        with pytest.raises(InputError, match=told):
            parser.answer(task, texts, seconds)


def test_one_text_gives_one_answer(parsers):
    parser, _ = parsers
    assert parser.answer("mood", "a") == parser.answer("mood", ["a"])[0]
    found = parser.answer("reading", "a?", "b c d")
    assert found == parser.answer("reading", ["a?"], ["b c d"])[0]


def test_a_pretraining_run_has_nothing_to_export(tmp_path):
    model = skills.make([SkillTask("pieces", "masked_pieces", (), ("s2", "s7"))])
    model.pieces = WordPieces(VOCABULARY)
    model.save(tmp_path / "model.keras")
    with pytest.raises(InputError, match="no task that answers"):
        export_saved_model(tmp_path, tmp_path / "exports")


def test_a_task_that_answers_nothing_may_come_first(tmp_path):
    tasks = [skills.TASKS[skills.NAMES.index(name)] for name in ("pieces", "reading")]
    model = skills.make(tasks)
    model.pieces = WordPieces(VOCABULARY)
    model.save(tmp_path / "model.keras")
    exported = keras_slu.load(export_saved_model(tmp_path, tmp_path / "exports"))
    found = exported.answer("reading", TEXTS[0], TEXTS[1])
    assert rounded(found) == rounded(
        keras_slu.load(tmp_path).answer("reading", TEXTS[0], TEXTS[1])
    )


@pytest.mark.parametrize("task", skills.TASKS[:-1], ids=skills.NAMES[:-1])
def test_a_device_answers_as_the_run(parsers, run, tmp_path, task):
    pytest.importorskip("ai_edge_litert", reason="needs keras-slu[litert]")
    path = tmp_path / "one.tflite"
    size = skills.SIZES["max_pieces"]
    export_litert(run, path, max_tokens=size, task=task.name)
    parser = keras_slu.load(path)
    sides = [
        one.answer(task.name, TEXTS, seconds_of(task)) for one in (parsers[0], parser)
    ]
    for one, other in zip(*sides, strict=True):
        assert rounded(one) == rounded(other)
    contract = json.loads(path.with_suffix(".json").read_text())
    assert contract["skills"] == [s for s in skills.SKILLS if s in task.skills]


def test_a_device_holds_one_task(run, tmp_path):
    with pytest.raises(InputError, match="6 tasks|7 tasks"):
        export_litert(run, tmp_path / "all.tflite")
