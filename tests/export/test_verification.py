"""Each joint model answers alike as a run, a SavedModel and a LiteRT model."""

from random import Random

import keras
import pytest
from untrained import INTENTS
from untrained import TAGS
from untrained import WORDS
from untrained import made_bold

import keras_slu
from keras_slu.data.utterance import Utterance
from keras_slu.export.litert_writer import write_litert
from keras_slu.export.saved_model_writer import write_saved_model
from keras_slu.export.verification import verify
from keras_slu.models import CoInteractive
from keras_slu.models import SlotRefine
from keras_slu.models import StackPropagation

pytest.importorskip("ai_edge_litert")

SETS = {"intent_head": "sigmoid", "intents": ["book", "play", "ask"]}
CASES = {
    "co-interactive": (CoInteractive, {}),
    "co-interactive-hae": (CoInteractive, {"attention": "bilinear", **SETS}),
    "stack-propagation": (StackPropagation, {}),
    "stack-propagation-hae": (StackPropagation, {"attention": "bilinear", **SETS}),
    "slot-refine": (SlotRefine, {"refine_after": (1,), "generator": True, **SETS}),
}
QUICK = ("co-interactive", "slot-refine")


def make(made, settings):
    keras.utils.set_random_seed(5)
    settings = {"intents": INTENTS, "embedding_dim": 8, "dim": 16, **settings}
    model = made(len(WORDS) + 2, tags=TAGS, max_tokens=12, **settings)
    made_bold(model, 2.0)  # more, and products of features leave rounding behind
    model.calibration.unknown_threshold.assign(0.5)
    return model


def utterances():
    random = Random(0)
    texts = ("", *(" ".join(random.choices(WORDS, k=1 + n % 12)) for n in range(120)))
    return [Utterance(text, intents=("play",)) for text in texts]


@pytest.mark.parametrize(
    "case",
    [
        case if case in QUICK else pytest.param(case, marks=pytest.mark.slow)
        for case in CASES
    ],
)
def test_all_forms_agree(case, tmp_path):
    run, saved = tmp_path / "run", tmp_path / "saved"
    run.mkdir()
    make(*CASES[case]).save(run / "model.keras")
    write_saved_model(run, saved, "tiny")
    tflite, contract = tmp_path / "tiny.tflite", tmp_path / "tiny.json"
    write_litert(run, tflite, contract, "codepoints", 12, 120, "none")
    frames = keras_slu.load(saved).parse([u.text for u in utterances()])
    assert sum(len(frame.slots) for frame in frames) > 50  # else little is compared
    _, agreements = verify(run, [saved, tflite], utterances())
    for agreement in agreements:
        assert agreement.differences == []
        assert len(agreement.ties) <= 1
        assert agreement.cut == 0
        assert agreement.largest < 1e-3
