"""A Model Garden BERT and its keras-hub form give the same numbers."""

import numpy as np
import pytest

pytest.importorskip("keras_hub")
pytest.importorskip("official.nlp.configs.encoders")
import tiny_encoders  # noqa: E402
from checks import draw_weights  # noqa: E402

from keras_slu.encoders.conversion import write_hub_preset  # noqa: E402
from keras_slu.encoders.hub import load_hub_encoder  # noqa: E402
from keras_slu.encoders.hub import load_hub_tokenizer  # noqa: E402
from keras_slu.encoders.model_garden import ModelGardenEncoder  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402


def test_the_preset_gives_the_model_gardens_outputs(tmp_path):
    encoder = ModelGardenEncoder(tiny_encoders.MODEL_GARDEN)
    draw_weights(encoder)
    vocabulary = tiny_encoders.write_vocabulary(tmp_path / "vocab.txt")
    write_hub_preset(encoder, vocabulary, tmp_path / "preset")
    ids = np.array([[2, 5, 7, 8, 3, 0], [2, 12, 3, 0, 0, 0]], "int32")
    mask = ids != 0
    found = np.array(load_hub_encoder(tmp_path / "preset")(ids, mask))
    np.testing.assert_allclose(found[mask], encoder(ids, mask)[mask], atol=1e-5)
    tokenizer = load_hub_tokenizer(tmp_path / "preset")
    assert tokenizer.get_vocabulary() == tiny_encoders.PIECES


def test_what_keras_hub_lacks_is_refused(tmp_path):
    config = {"type": "bert", "bert": {**tiny_encoders.MODEL_GARDEN["bert"]}}
    config["bert"]["norm_first"] = True
    vocabulary = tiny_encoders.write_vocabulary(tmp_path / "vocab.txt")
    with pytest.raises(InputError, match="norm_first"):
        write_hub_preset(ModelGardenEncoder(config), vocabulary, tmp_path / "preset")
    assert not (tmp_path / "preset").exists()


def test_a_vocabulary_of_another_size_is_refused(tmp_path):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("\n".join(tiny_encoders.PIECES[:-1]) + "\n")
    with pytest.raises(InputError, match="the encoder has 36"):
        write_hub_preset(
            ModelGardenEncoder(tiny_encoders.MODEL_GARDEN),
            vocabulary,
            tmp_path / "preset",
        )
    assert not (tmp_path / "preset").exists()
