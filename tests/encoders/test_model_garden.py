"""Model Garden encoders: against the Model Garden itself, training, saving."""

import json
import sys

import keras
import numpy as np
import pytest

official = pytest.importorskip("official.nlp.configs.encoders")
import tensorflow as tf  # noqa: E402
import tiny_encoders  # noqa: E402
from checks import arrays  # noqa: E402
from checks import draw  # noqa: E402

from keras_slu.encoders.model_garden import ModelGardenEncoder  # noqa: E402
from keras_slu.encoders.model_garden import load_model_garden_encoder  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402

IDS = np.array([[2, 5, 7, 8, 3, 0], [2, 12, 3, 0, 0, 0]], "int32")
MASK = IDS != 0
SMALL = {"hidden_size": 16, "num_layers": 2, "num_attention_heads": 2}
CONFIGS = {
    "bert": tiny_encoders.MODEL_GARDEN,
    "albert": {
        "type": "albert",
        "albert": {
            **SMALL,
            "vocab_size": 40,
            "embedding_width": 8,
            "intermediate_size": 32,
            "max_position_embeddings": 40,
        },
    },
    "mobilebert": {
        "type": "mobilebert",
        "mobilebert": {
            "word_vocab_size": 40,
            "word_embed_size": 8,
            "hidden_size": 16,
            "num_blocks": 2,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "intra_bottleneck_size": 8,
        },
    },
    "funnel": {
        "type": "funnel",
        "funnel": {
            **SMALL,
            "vocab_size": 40,
            "inner_dim": 32,
            "max_position_embeddings": 40,
            "pool_stride": 1,
        },
    },
}


def features(encoder, ids=IDS):
    mask = ids != 0
    return np.where(mask[..., None], np.array(encoder(ids, mask)), 0.0)


@pytest.fixture(scope="module", params=CONFIGS)
def encoder(request):
    return ModelGardenEncoder(CONFIGS[request.param])


def test_padding_changes_nothing(encoder):
    wide = np.pad(IDS, [(0, 0), (0, 5)])
    found = features(encoder, wide)[:, :6]
    np.testing.assert_allclose(found, features(encoder), atol=1e-5)


def test_its_variables_are_tracked_once(encoder):
    names = [variable.path for variable in encoder.variables]
    assert len(names) == len(set(names)) > 20
    trainable = {variable.path for variable in encoder.trainable_variables}
    assert len(set(names) - trainable) in (0, 2)  # the pooler's


def test_a_checkpoint_of_the_model_garden_gives_its_outputs(tmp_path):
    config = CONFIGS["bert"]
    theirs = official.build_encoder(official.EncoderConfig(config))
    inputs = {
        "input_word_ids": IDS,
        "input_mask": MASK.astype("int32"),
        "input_type_ids": np.zeros_like(IDS),
    }
    theirs(inputs)
    theirs.set_weights([draw(*w.shape, seed=3) * 0.3 for w in theirs.get_weights()])
    expected = theirs(inputs)["sequence_output"].numpy()
    for place, name in enumerate(("model", "encoder")):
        path = tf.train.Checkpoint(**{name: theirs}).write(str(tmp_path / f"{place}"))
        (tmp_path / "config.json").write_text(json.dumps(config))
        encoder = load_model_garden_encoder(tmp_path / "config.json", path)
        np.testing.assert_allclose(
            np.array(encoder(IDS, MASK))[MASK], expected[MASK], atol=1e-5
        )


class Tagger(keras.Model):
    def __init__(self, trainable=True):
        super().__init__()
        self.encoder = ModelGardenEncoder(CONFIGS["bert"], trainable=trainable)
        self.head = keras.layers.Dense(2)

    def call(self, ids, training=None):
        return self.head(self.encoder(ids, ids != 0, training=training))


@pytest.mark.parametrize("trainable", [True, False])
def test_it_trains_inside_a_keras_model_or_stays(tmp_path, trainable):
    model = Tagger(trainable)
    model(IDS)
    before = arrays(model.encoder.weights)
    model.compile("adam", "mse")
    model.fit(IDS, draw(2, 6, 2), epochs=2, verbose=0)
    moved = [
        v.path
        for a, v in zip(before, model.encoder.weights, strict=True)
        if not np.array_equal(a, v)
    ]
    # All but the pooler's two, which nothing reads.
    assert len(moved) == (len(before) - 2 if trainable else 0)
    assert not [path for path in moved if "pooler" in path]

    model.save_weights(tmp_path / "model.weights.h5")
    again = Tagger(trainable)
    again(IDS)
    again.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(again(IDS), model(IDS))


def test_it_comes_back_from_its_config():
    encoder = ModelGardenEncoder(CONFIGS["bert"], trainable=False)
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(encoder)
    )
    again.set_weights(encoder.get_weights())
    np.testing.assert_array_equal(features(again), features(encoder))
    assert not again.trainable_variables


def test_a_checkpoint_that_does_not_fit_is_told_with_both_shapes(tmp_path):
    encoder = ModelGardenEncoder(CONFIGS["bert"])
    path = tf.train.Checkpoint(model=encoder._network).write(str(tmp_path / "c"))
    other = {**CONFIGS["bert"]["bert"], "vocab_size": 50}
    with pytest.raises(InputError, match="does not fit the config") as error:
        load_model_garden_encoder({"type": "bert", "bert": other}, path)
    message = str(error.value)
    assert f"({len(tiny_encoders.PIECES)}, 16)" in message
    assert "(50, 16)" in message
    assert "word_embeddings" in message


@pytest.mark.parametrize(
    "config",
    [
        {"type": "brt"},
        {"type": "bert", "bert": {"hidden": 8}},
        {"type": "bert", "hidden_size": 8},
        {"type": "bert", "bert": {"hidden_size": "wide"}},
        {},
    ],
)
def test_a_faulty_config_is_told(config):
    with pytest.raises(InputError) as error:
        ModelGardenEncoder(config)
    assert len(str(error.value).splitlines()) == 1


def test_faulty_files_are_told(tmp_path):
    for text in ("{", "[1]", "3"):
        (tmp_path / "config.yaml").write_text(text)
        with pytest.raises(InputError, match="config"):
            load_model_garden_encoder(tmp_path / "config.yaml")
    with pytest.raises(InputError, match="No such file"):
        load_model_garden_encoder(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="no such checkpoint"):
        load_model_garden_encoder(CONFIGS["bert"], tmp_path / "none")


def test_without_the_model_garden_the_command_to_install_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "official.nlp.configs", None)
    with pytest.raises(InputError, match=r"pip install 'keras-slu\[models\]'"):
        ModelGardenEncoder(CONFIGS["bert"])
