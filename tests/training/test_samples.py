"""Every sample of every format trains for an epoch and is scored."""

import pytest
import tiny
from samples import SAMPLES

from keras_slu.training.fit import train


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_trains_and_is_scored(shared_data, tmp_path, name):
    path = str(shared_data(name))
    recipe = tiny.make_recipe(
        {"slot_head": "crf"},
        data={"train": path, "dev": path, "test": path},
        training={"epochs": 1, "learning_rate": 0.01},
    )
    figures = train(recipe, tmp_path, tmp_path / "run")
    _, utterances, slots, *_ = SAMPLES[name]
    assert figures["test"]["utterances"] == utterances
    assert figures["test_raw_text"]["utterances"] == utterances
    assert 0.0 <= figures["test"]["overall_accuracy"] <= 1.0
    assert figures["history"][0]["loss"] > 0.0
    if not slots:
        assert figures["test"]["slot_f1"] == 0.0
