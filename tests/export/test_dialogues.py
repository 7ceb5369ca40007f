"""Exports of a dialogue model: the state goes in and comes out."""

import json

import numpy as np
import pytest
import tensorflow as tf
from untrained_dialogue import MAX_HISTORY
from untrained_dialogue import draw_dialogues
from untrained_dialogue import make_model

import keras_slu
from keras_slu.errors import InputError
from keras_slu.export.litert import export_litert
from keras_slu.export.saved_model import export_saved_model
from keras_slu.export.verification import verify
from keras_slu.models.dialogue_state import empty_state

pytestmark = pytest.mark.slow  # minutes: `make test-slow`


def saved_run(folder, **settings):
    folder.mkdir()
    make_model(**settings).save(folder / "model.keras")
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return saved_run(tmp_path_factory.mktemp("runs") / "user")


@pytest.fixture(scope="module")
def saved_model(run, tmp_path_factory):
    return export_saved_model(run, tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="module")
def litert(run, tmp_path_factory):
    pytest.importorskip("ai_edge_litert")
    path = tmp_path_factory.mktemp("tflite") / "user.tflite"
    export_litert(run, path)
    return path


def test_both_exports_follow_whole_dialogues(run, saved_model, litert):
    utterances = draw_dialogues(np.random.default_rng(2))
    scores, agreements = verify(run, [saved_model, litert], utterances)
    assert scores.utterances == len(utterances) > 30
    for agreement in agreements:
        assert not agreement.differences
        assert agreement.cut == 0
        assert agreement.largest < 1e-4


def test_a_state_goes_on_wherever_it_is_carried(run, saved_model, litert):
    parsers = [keras_slu.load(path) for path in (run, saved_model, litert)]
    state = carried = None
    for number, text in enumerate(("play hey jude", "rome", "the book", "zoe hey")):
        expected, state = parsers[0].turn(state, text)
        found, carried = parsers[number % 3].turn(carried, text)
        assert found.active_intents == expected.active_intents
        assert [slot.name for slot in found.slots] == [s.name for s in expected.slots]
        for name, values in state.items():
            np.testing.assert_array_equal(carried[name], values)


def test_a_foreign_state_is_told_and_fails_no_neighbour(saved_model):
    parser = keras_slu.load(saved_model)
    _, own = parser.turn(None, "play hey jude")
    foreign = {**own, "fingerprint": own["fingerprint"] + 1}
    signature = tf.saved_model.load(str(saved_model)).signatures["turn"]
    state = {name: np.stack([foreign[name], own[name]]) for name in own}
    texts = tf.constant(["the hey", "the hey"])
    found = {n: v.numpy() for n, v in signature(text=texts, **state).items()}
    assert found["state_ok"].tolist() == [False, True]
    anew = signature(text=texts[:1], **empty_state(1, MAX_HISTORY))
    for name in ("intent_probabilities", "history_ids"):
        np.testing.assert_allclose(found[name][0], anew[name].numpy()[0], atol=1e-6)
    assert found["history_turns"][1].max() == 2
    with pytest.raises(InputError, match="another model"):
        parser.turn(foreign, "the hey")


def test_a_foreign_state_is_told_on_a_device(litert):
    parser = keras_slu.load(litert)
    _, own = parser.turn(None, "play hey jude")
    with pytest.raises(InputError, match="another model"):
        parser.turn({**own, "fingerprint": own["fingerprint"] + 1}, "the hey")
    contract = json.loads(litert.with_suffix(".json").read_text())
    assert contract["max_history"] == MAX_HISTORY
    assert contract["outputs"]["history_ids"]["shape"] == [1, MAX_HISTORY]


def test_the_generator_is_in_no_export(saved_model):
    stored = tf.train.list_variables(str(saved_model / "variables" / "variables"))
    sizes = [np.prod(shape, dtype=int) for name, shape in stored if "all/" in name]
    model = make_model()
    of_generator = model.generator.count_params()
    # The numbers of the shuffled dropout are in no export either.
    assert sum(sizes) <= model.count_params() - of_generator
    assert of_generator > 500


def test_what_the_system_says_is_heard_in_a_saved_model(tmp_path):
    run = saved_run(tmp_path / "both", system_turns=True)
    exported = export_saved_model(run, tmp_path)
    utterances = draw_dialogues(np.random.default_rng(3), dialogues=4)
    _, (agreement,) = verify(run, [exported], utterances)
    assert not agreement.differences
    assert agreement.largest < 1e-4
    with pytest.raises(InputError, match="hears"):
        export_litert(run, tmp_path / "both.tflite")
