"""A SkillNet that starts from a BERT: each skill begins as its feed-forward network."""

import numpy as np
from keras import ops

from keras_slu.encoders.conversion import hub_bert
from keras_slu.encoders.hub import HubEncoder
from keras_slu.errors import InputError
from keras_slu.layers.skill_encoder import SkillEncoder
from keras_slu.layers.skill_weights import check_sizes
from keras_slu.layers.skill_weights import take_encoder


def start_from_bert(model, bert):
    """Gives a `SkillNet` the weights of a BERT.

    Embeddings and attention are copied, and each skill, expert or dense network
    is the feed-forward network of that layer. With all skills active, the
    encoder then gives what the BERT gives. Heads stay as they are.

    Args:
        model: `SkillNet` that is changed, of the sizes of the BERT. Its rows
            may be shorter.
        bert: `HubEncoder` of a BERT, or `ModelGardenEncoder` of type `bert`.

    Raises:
        InputError: for another kind of encoder, and when a size differs.

    Example:

    >>> encoder = load_hub_encoder("bert_base_zh")  # doctest: +SKIP
    >>> start_from_bert(model, encoder)  # doctest: +SKIP

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312), section 4
    """
    backbone = _backbone(bert)
    start = SkillEncoder(
        backbone.vocabulary_size,
        backbone.hidden_dim,
        backbone.num_heads,
        backbone.intermediate_dim,
        backbone.num_layers,
        kind="dense",
        max_pieces=backbone.max_sequence_length,
    )
    try:
        check_sizes(model.encoder, start)
    except ValueError as error:
        raise InputError(
            str(error), "Give the model the sizes of its start in the recipe."
        ) from None
    start.build()
    _fill(start, backbone)
    take_encoder(model.encoder, start)
    if model.pooler is not None:
        model.pooler.set_weights(backbone.pooled_dense.get_weights())


def _backbone(bert):
    """The keras-hub BERT of an encoder."""
    backbone = bert.backbone if isinstance(bert, HubEncoder) else hub_bert(bert)
    if type(backbone).__name__ != "BertBackbone":
        raise InputError(
            f"skills cannot start from a {type(backbone).__name__}",
            "Name a checkpoint of BERT.",
        )
    return backbone


def _fill(encoder, backbone):
    """Gives a dense encoder the weights of a keras-hub BERT."""
    weights = {v.path: ops.convert_to_numpy(v) for v in backbone.weights}

    def of(layer):
        """The weights of a layer: kernel and bias, or gamma and beta."""
        return [value for path, value in weights.items() if f"{layer}/" in path]

    encoder.embedding.set_weights(of("token_embedding"))
    encoder.segment_embedding.set_weights(of("segment_embedding"))
    encoder.positions.assign(of("position_embedding")[0])
    encoder.norm.set_weights(of("embeddings_layer_norm"))
    for place, layer in enumerate(encoder.layers):
        block = f"transformer_layer_{place}"
        attention = f"{block}/self_attention_layer"
        projections = [of(f"{attention}/{name}") for name in ("query", "key", "value")]
        _fill_attention(layer, projections, of(f"{attention}/attention_output"))
        layer.attention_norm.norm.set_weights(of(f"{attention}_norm"))
        layer.feed_forward.inner.set_weights(
            of(f"{block}/feedforward_intermediate_dense")
        )
        layer.feed_forward.outer.set_weights(of(f"{block}/feedforward_output_dense"))
        layer.output_norm.norm.set_weights(of(f"{block}/feedforward_layer_norm"))


def _fill_attention(layer, projections, output):
    """keras-hub has an axis for the heads, and a layer for each projection."""
    kernels = [kernel.reshape(layer.dim, -1) for kernel, _ in projections]
    biases = [bias.reshape(-1) for _, bias in projections]
    layer.attention.projection.set_weights(
        [np.concatenate(kernels, axis=1), np.concatenate(biases)]
    )
    kernel, bias = output
    layer.attention.output_projection.set_weights([kernel.reshape(-1, layer.dim), bias])
