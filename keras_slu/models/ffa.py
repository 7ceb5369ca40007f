"""FFA: context-aware feature fusion for punctuation (Wu et al. 2022)."""

import keras
from keras import ops

from keras_slu.layers.stream_fusion import FeatureFusion
from keras_slu.layers.transformer_layer import InteractionSelfAttention
from keras_slu.layers.transformer_layer import MaskedSelfAttention
from keras_slu.layers.transformer_layer import TransformerLayer
from keras_slu.models.punctuation_model import PunctuationModel

INTERACTIONS = {
    "isa": InteractionSelfAttention,
    "mha": TransformerLayer,
    "none": None,
}


@keras.saving.register_keras_serializable(package="keras_slu")
class FFA(PunctuationModel):
    """Two streams over an encoder, fused: which mark follows each word.

    One stream is interaction self-attention, whose heads share their scores;
    the other is masked self-attention, which sees the words so far. Both are
    joined and run through one Transformer layer. The switches give each row
    of the paper's ablations.

    Args:
        encoder: layer with a `dim`, called with `(token_ids, padding_mask=,
            training=)`, that gives `(batch, time, dim)`. It feeds both streams, or
            the first alone where there is a `masked_encoder`. Its `dim` is a
            multiple of `num_heads`.
        marks: list of str, see `PunctuationModel`.
        masked_encoder: another such layer, which feeds the masked stream.
            Defaults to `None`.
        interaction: str. `"isa"`; `"mha"`, plain multi-head attention in its
            place; or `"none"`, no such stream. Defaults to `"isa"`.
        masked: bool. Whether there is a masked stream. Defaults to `True`.
        fusion: bool. Whether a Transformer layer runs over the joined streams;
            if not, the head sees them side by side. Defaults to `True`.
        causal: bool. Whether nothing sees what comes later: for
            `interaction="none"` and an encoder that sees the left only. Such
            a model answers live as it does offline. Defaults to `False`.
        num_heads: int. Of all attention. Defaults to `8`.
        num_layers: int. Layers of each stream. Defaults to `1`.
        inner_dim: int. Width of the feed-forward networks in the streams, or
            `None` for that of the encoder. Defaults to `None`. The fusion
            layer's is three times the width of a stream.
        dropout: float. Rate on the output of all parts of the Transformer
            layers. Defaults to `0.2`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        **kwargs: passed to `PunctuationModel`: `head`, `loss`, `r_drop`,
            `window` and others.

    Call arguments and returns: as `PunctuationModel`.

    Example:

    >>> import numpy as np
    >>> from keras_slu.layers import SelfAttentiveEmbedder
    >>> model = FFA(SelfAttentiveEmbedder(50, embedding_dim=8, dim=16),
    ...             marks=["O", "COMMA", "PERIOD"], r_drop=1.0)
    >>> token_ids = np.array([[4, 8, 15], [16, 23, 0]], "int32")
    >>> labels = {"marks": np.array([[0, 1, 2], [0, 2, -1]])}
    >>> history = model.fit({"token_ids": token_ids}, labels, verbose=0)
    >>> model.predict({"token_ids": token_ids}, verbose=0)["marks"].shape
    (2, 3, 3)

    Reference:
        - [Wu et al., 2022](https://arxiv.org/abs/2203.12487)
    """

    def __init__(
        self,
        encoder,
        marks,
        masked_encoder=None,
        interaction="isa",
        masked=True,
        fusion=True,
        causal=False,
        num_heads=8,
        num_layers=1,
        inner_dim=None,
        dropout=0.2,
        attention_dropout=0.0,
        **kwargs,
    ):
        _check(interaction, masked, causal)
        super().__init__(marks, **kwargs)
        self.encoder = encoder
        self.masked_encoder = masked_encoder
        self._ffa_config = {
            "interaction": interaction,
            "masked": masked,
            "fusion": fusion,
            "causal": causal,
            "num_heads": num_heads,
            "num_layers": num_layers,
            "inner_dim": inner_dim,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
        }
        settings = {
            "num_heads": num_heads,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "dtype": self.dtype_policy,
        }

        def stream(kind, dim):
            layers = range(num_layers if kind else 0)
            return [kind(dim, inner_dim=inner_dim, **settings) for _ in layers]

        masked_dim = (masked_encoder or encoder).dim
        self.interaction_stream = stream(INTERACTIONS[interaction], encoder.dim)
        self.masked_stream = stream(MaskedSelfAttention if masked else None, masked_dim)
        self.fusion_layer = None
        if fusion and masked and interaction != "none":
            self.fusion_layer = FeatureFusion(encoder.dim + masked_dim, **settings)
        elif fusion:  # of one stream: the layer alone
            kind = MaskedSelfAttention if causal else TransformerLayer
            dim = masked_dim if masked else encoder.dim
            self.fusion_layer = kind(dim, inner_dim=3 * dim, **settings)
        self.finish()

    def features(self, token_ids, padding_mask, training=None):
        how = {"padding_mask": padding_mask, "training": training}
        hidden = self.encoder(token_ids, **how)
        masked = hidden
        if self.masked_encoder is not None:
            masked = self.masked_encoder(token_ids, **how)
        streams = [
            _run(layers, start, how)
            for layers, start in (
                (self.interaction_stream, hidden),
                (self.masked_stream, masked),
            )
            if layers
        ]
        if self.fusion_layer is not None:
            return self.fusion_layer(*streams, **how)
        return ops.concatenate(streams, axis=-1)

    def get_config(self):
        return {
            **super().get_config(),
            **self._ffa_config,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "masked_encoder": keras.saving.serialize_keras_object(self.masked_encoder),
        }


def _run(layers, hidden, how):
    for layer in layers:
        hidden = layer(hidden, **how)
    return hidden


def _check(interaction, masked, causal):
    if interaction not in INTERACTIONS:
        raise ValueError(
            f"`interaction` must be one of {tuple(INTERACTIONS)}. "
            f"Received: {interaction!r}"
        )
    if interaction == "none" and not masked:
        raise ValueError(
            "FFA needs a stream. Received: interaction='none', masked=False"
        )
    if causal and interaction != "none":
        raise ValueError(
            "What sees the left only has no interaction stream. "
            f"Received: causal=True, interaction={interaction!r}"
        )
