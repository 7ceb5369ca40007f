"""Pretrained encoders so small that a test makes them, in each native layout."""

import json

import numpy as np

WORDS = ["play", "stop", "the", "song", "un", "##believ", "##ably", "lamp", "red"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = [*SPECIAL, *WORDS, "'", "s", *"abcdefghij", *(f"##{c}" for c in "abcdefghij")]
SIZES = {"layers": 2, "heads": 2, "dim": 16, "inner": 32, "positions": 40}

MODEL_GARDEN = {
    "type": "bert",
    "bert": {
        "vocab_size": len(PIECES),
        "hidden_size": SIZES["dim"],
        "num_layers": SIZES["layers"],
        "num_attention_heads": SIZES["heads"],
        "intermediate_size": SIZES["inner"],
        "max_position_embeddings": SIZES["positions"],
    },
}


def make_hub_encoder(trainable=True, seed=0):
    """A `HubEncoder` of a BERT with random weights that matter."""
    import keras_hub

    from keras_slu.encoders.hub import HubEncoder

    backbone = keras_hub.models.BertBackbone(
        vocabulary_size=len(PIECES),
        num_layers=SIZES["layers"],
        num_heads=SIZES["heads"],
        hidden_dim=SIZES["dim"],
        intermediate_dim=SIZES["inner"],
        max_sequence_length=SIZES["positions"],
        dropout=0.0,
    )
    draw_weights(backbone, seed)
    return HubEncoder(backbone, trainable=trainable)


def draw_weights(model, seed=0):
    rng = np.random.default_rng(seed)
    for variable in model.weights:
        if variable.dtype == "float32":
            variable.assign(rng.normal(0.0, 0.3, variable.shape))


def make_pieces():
    """`Pieces` of the tiny vocabulary."""
    import keras_hub

    from keras_slu.text.pieces import Pieces

    return Pieces(
        keras_hub.tokenizers.BertTokenizer(PIECES, lowercase=True, strip_accents=True)
    )


def write_vocabulary(path):
    path.write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    return path


def write_hub_preset(folder):
    """Writes keras-hub's layout; gives the encoder that is in it."""
    encoder = make_hub_encoder()
    encoder.backbone.save_to_preset(str(folder))
    make_pieces().tokenizer.save_to_preset(str(folder))
    return encoder


def write_hugging_face(folder):
    """Writes Hugging Face's layout; gives the encoder that is in it."""
    from safetensors.numpy import save_file

    encoder = make_hub_encoder()
    folder.mkdir(parents=True)
    write_vocabulary(folder / "vocab.txt")
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "vocab_size": len(PIECES),
        "hidden_size": SIZES["dim"],
        "num_hidden_layers": SIZES["layers"],
        "num_attention_heads": SIZES["heads"],
        "intermediate_size": SIZES["inner"],
        "max_position_embeddings": SIZES["positions"],
        "type_vocab_size": 2,
        "hidden_dropout_prob": 0.0,
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True}))
    save_file(_hugging_face_weights(encoder), folder / "model.safetensors")
    return encoder


def _hugging_face_weights(encoder):
    """PyTorch's names and shapes: dense kernels are transposed there."""
    weights = {}
    for variable in encoder.backbone.weights:
        name, value = variable.path, np.array(variable)
        for ours, theirs in HUGGING_FACE:
            name = name.replace(ours, theirs)
        if name.endswith(".kernel"):
            name = name.removesuffix("kernel") + "weight"
            is_output = "attention.output" in name and "dense" in name
            rows = -1 if is_output else value.shape[0]
            value = value.reshape(rows, SIZES["dim"] if is_output else -1).T
        elif name.endswith(".bias"):
            value = value.reshape(-1)
        weights[name] = np.ascontiguousarray(value)
    return weights


HUGGING_FACE = [
    ("token_embedding/embeddings", "embeddings.word_embeddings.weight"),
    ("position_embedding/embeddings", "embeddings.position_embeddings.weight"),
    ("segment_embedding/embeddings", "embeddings.token_type_embeddings.weight"),
    ("embeddings_layer_norm", "embeddings.LayerNorm"),
    ("transformer_layer_", "encoder.layer."),
    ("self_attention_layer_norm", "attention.output.LayerNorm"),
    ("self_attention_layer/attention_output", "attention.output.dense"),
    ("self_attention_layer", "attention.self"),
    ("feedforward_layer_norm", "output.LayerNorm"),
    ("feedforward_intermediate_dense", "intermediate.dense"),
    ("feedforward_output_dense", "output.dense"),
    ("pooled_dense", "pooler.dense"),
    ("/gamma", ".weight"),
    ("/beta", ".bias"),
    ("/", "."),
]
