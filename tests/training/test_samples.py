"""Every sample of every format trains for an epoch and is scored."""

import pytest
import tiny
from samples import SAMPLES

from keras_slu.training.fit import train

# How many utterances have a slot that ends inside a token, as words run
# together ("one pmnear"). A recipe says that they are to be left out.
MISALIGNED = {
    "formats/rasa/snips_converted.nlu.yml": 1,
    "formats/snips_native/validate_PlayMusic.json": 1,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_trains_and_is_scored(shared_data, tmp_path, name):
    path = str(shared_data(name))
    recipe = tiny.make_recipe(
        {"slot_head": "crf"},
        data={"train": path, "dev": path, "test": path},
        training={"epochs": 1, "learning_rate": 0.01},
        misaligned_slots="leave_out",
    )
    figures = train(recipe, tmp_path, tmp_path / "run")
    _, utterances, slots, *_ = SAMPLES[name]
    left_out = MISALIGNED.get(name, 0)
    assert figures["left_out"] == dict.fromkeys(("train", "dev", "test"), left_out)
    assert figures["test"]["utterances"] == utterances - left_out
    assert figures["test_raw_text"]["utterances"] == utterances - left_out
    assert 0.0 <= figures["test"]["overall_accuracy"] <= 1.0
    assert figures["history"][0]["loss"] > 0.0
    if not slots:
        assert figures["test"]["slot_f1"] == 0.0
