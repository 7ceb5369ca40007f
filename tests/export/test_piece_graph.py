"""A model on a pretrained encoder as a SavedModel, against the run."""

import numpy as np
import pytest

pytest.importorskip("keras_hub")
import tensorflow as tf  # noqa: E402
import tiny  # noqa: E402
import tiny_encoders  # noqa: E402

import keras_slu  # noqa: E402
from keras_slu.export.saved_model import export_saved_model  # noqa: E402
from keras_slu.training.fit import train  # noqa: E402
from keras_slu.training.recipe import Recipe  # noqa: E402

TEXTS = [
    "play the red lamp3 of aunt mary",
    "",
    "   ",
    "🎵 dim\u0301 it",
    "play " * 60,  # more pieces than the encoder reads
    "abcdefghij" * 20 + " play",  # in one word more than it splits: unknown
    "Unbelievably Ábc",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    tiny.write_tokenised(folder)
    tiny_encoders.write_hub_preset(folder / "preset")
    recipe = Recipe.model_validate(
        {
            "name": "tiny",
            "data": {split: f"{split}.jsonl" for split in tiny.SPLITS},
            "encoder": {"preset": "preset"},
            "model": {"type": "joint_bert"},
            "training": {"epochs": 1},
        }
    )
    train(recipe, folder, folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    return export_saved_model(run, tmp_path_factory.mktemp("exports"))


def test_texts_give_the_runs_frames(run, exported):
    ours, theirs = (
        keras_slu.load(run).parse(TEXTS),
        keras_slu.load(exported).parse(TEXTS),
    )
    for one, other in zip(ours, theirs, strict=True):
        assert other.truncated == one.truncated
        assert [(s.name, s.start, s.end) for s in other.slots] == [
            (s.name, s.start, s.end) for s in one.slots
        ]
        found = {intent.name: intent.probability for intent in other.intents}
        for intent in one.intents:
            assert found[intent.name] == pytest.approx(intent.probability, abs=1e-4)
    assert [frame.truncated for frame in ours] == [text == TEXTS[4] for text in TEXTS]


def test_a_client_can_make_the_pieces(run, exported):
    model = keras_slu.load(run).model
    words = "play the red lamp3".split()
    packed = model.vocabulary.pack(model.vocabulary.ids(words)[None])
    loaded = tf.saved_model.load(str(exported))
    by_pieces = loaded.signatures["token_ids"](
        token_ids=tf.constant(packed["token_ids"]),
        word_starts=tf.constant(packed["word_starts"]),
    )
    by_text = loaded.signatures["serving_default"](text=tf.constant([" ".join(words)]))
    for name in ("intents", "tags", "truncated"):
        assert by_pieces[name].numpy().tolist() == by_text[name].numpy().tolist()
    np.testing.assert_allclose(
        by_pieces["slot_confidence"], by_text["slot_confidence"], atol=1e-5
    )


def test_any_pieces_are_answered(exported):
    loaded = tf.saved_model.load(str(exported))
    rng = np.random.default_rng(0)
    answers = loaded.signatures["token_ids"](
        token_ids=tf.constant(rng.integers(-9, 99, (4, 7)), tf.int32),
        word_starts=tf.constant(rng.integers(-3, 12, (4, 5)), tf.int32),
    )
    assert np.isfinite(answers["intent_probabilities"]).all()
