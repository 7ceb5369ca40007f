"""`keras-slu convert-checkpoint` writes a preset, or nothing."""

import json

import pytest

pytest.importorskip("keras_hub")
pytest.importorskip("official.nlp.configs.encoders")
import tensorflow as tf  # noqa: E402
import tiny_encoders  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from keras_slu.cli.main import app  # noqa: E402
from keras_slu.encoders.hub import load_hub_encoder  # noqa: E402
from keras_slu.encoders.model_garden import ModelGardenEncoder  # noqa: E402


def test_a_checkpoint_becomes_a_preset_and_is_not_written_over(tmp_path):
    encoder = ModelGardenEncoder(tiny_encoders.MODEL_GARDEN)
    checkpoint = tf.train.Checkpoint(model=encoder._network).write(str(tmp_path / "c"))
    (tmp_path / "config.json").write_text(json.dumps(tiny_encoders.MODEL_GARDEN))
    vocabulary = tiny_encoders.write_vocabulary(tmp_path / "vocab.txt")
    arguments = [
        "convert-checkpoint",
        *map(str, (tmp_path / "config.json", checkpoint, vocabulary)),
        str(tmp_path / "preset"),
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert load_hub_encoder(tmp_path / "preset").dim == tiny_encoders.SIZES["dim"]
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code != 0
    assert "exists" in str(again.exception)
