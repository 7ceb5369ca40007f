"""BERT checkpoints of the Model Garden as keras-hub presets."""

import re
import tempfile
from pathlib import Path

import numpy as np

from keras_slu.encoders.hub import import_hub
from keras_slu.errors import InputError

# What a variable of the Model Garden's BERT is called in keras-hub's.
RENAMED = (
    (r"^word_embeddings/embeddings", "token_embedding/embeddings"),
    (r"^type_embeddings/", "segment_embedding/"),
    (r"^embeddings/layer_norm/", "embeddings_layer_norm/"),
    (
        r"^transformer/layer_(\d+)/self_attention/",
        r"transformer_layer_\1/self_attention_layer/",
    ),
    (
        r"^transformer/layer_(\d+)/intermediate/",
        r"transformer_layer_\1/feedforward_intermediate_dense/",
    ),
    (
        r"^transformer/layer_(\d+)/output/",
        r"transformer_layer_\1/feedforward_output_dense/",
    ),
    (
        r"^transformer/layer_(\d+)/output_layer_norm/",
        r"transformer_layer_\1/feedforward_layer_norm/",
    ),
    (r"^transformer/layer_(\d+)/", r"transformer_layer_\1/"),
    (r"^pooler_transform/", "pooled_dense/"),
)
# Settings of the Model Garden's that must have these values: keras-hub's BERT
# has nothing else.
FIXED = {"hidden_activation": "gelu", "norm_first": False, "embedding_size": None}


def hub_bert(encoder):
    """Makes a keras-hub BERT with the weights of a Model Garden one.

    Args:
        encoder: `ModelGardenEncoder` of type `bert`.

    Returns:
        `keras_hub.models.BertBackbone`. Its outputs are those of `encoder`.

    Raises:
        InputError: for another type, or a setting that keras-hub's BERT lacks.
    """
    hub = import_hub()
    settings = encoder.settings
    if encoder.encoder_config["type"] != "bert":
        raise InputError(
            f"no keras-hub form of a {encoder.encoder_config['type']!r} is known here",
            "Use the checkpoint as it is, as a Model Garden encoder.",
        )
    for name, wanted in FIXED.items():
        found = getattr(settings, name)
        if found not in (wanted, None, settings.hidden_size):
            raise InputError(
                f"keras-hub's BERT has no `{name}: {found}`",
                "Use the checkpoint as it is, as a Model Garden encoder.",
            )
    backbone = hub.models.BertBackbone(
        vocabulary_size=settings.vocab_size,
        num_layers=settings.num_layers,
        num_heads=settings.num_attention_heads,
        hidden_dim=settings.hidden_size,
        intermediate_dim=settings.intermediate_size,
        dropout=settings.dropout_rate,
        max_sequence_length=settings.max_position_embeddings,
        num_segments=settings.type_vocab_size,
    )
    weights = {_renamed(name): value for name, value in encoder.named_weights()}
    for variable in backbone.weights:
        variable.assign(np.reshape(weights.pop(variable.path), variable.shape))
    if weights:
        raise ValueError(f"No place was found for {sorted(weights)}")
    return backbone


def write_hub_preset(encoder, vocabulary, folder, lowercase=True):
    """Writes a Model Garden BERT as a folder that keras-hub reads.

    Args:
        encoder: `ModelGardenEncoder` of type `bert`.
        vocabulary: path of its `vocab.txt`.
        folder: path of the folder to make.
        lowercase: bool. Whether its tokenizer folds case. Defaults to `True`.

    Raises:
        InputError: see `hub_bert`, and when the vocabulary has another size
            than the encoder's.
    """
    backbone = hub_bert(encoder)
    tokenizer = import_hub().tokenizers.BertTokenizer(
        str(vocabulary), lowercase=lowercase, strip_accents=lowercase
    )
    if tokenizer.vocabulary_size() != backbone.vocabulary_size:
        raise InputError(
            f"holds {tokenizer.vocabulary_size()} pieces, the encoder has "
            f"{backbone.vocabulary_size}",
            "Name the vocabulary that belongs to the checkpoint.",
            file=vocabulary,
        )
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Written beside its place and moved there when it is whole.
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        written = Path(work) / "preset"
        backbone.save_to_preset(str(written))
        tokenizer.save_to_preset(str(written))
        written.rename(folder)


def _renamed(name):
    for pattern, replacement in RENAMED:
        renamed, changed = re.subn(pattern, replacement, name)
        if changed:
            return renamed
    return name
