"""Joint models put together from an encoder, interactions and two heads."""

import keras
from keras import ops

from keras_slu.encoders.piece_embedder import PieceEmbedder
from keras_slu.layers.label_attention import LabelAttention
from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.models.joint_model import JointModel


@keras.saving.register_keras_serializable(package="keras_slu")
class JointSLU(JointModel):
    """Joint intent detection and slot filling.

    tokens -> encoder -> label attention -> interaction -> two heads. The
    intent head pools its features by their maximum over the real tokens; the
    slot head is a CRF or a softmax at each token. A fresh model is built and
    compiled.

    Args:
        encoder: layer with a `dim`, called with `(token_ids, padding_mask=,
            training=)`, that gives `(batch, time, dim)`; or a `PieceEmbedder`.
        intents, tags: list of str. See `JointModel`.
        interaction: layer called with `(intent, slots, padding_mask=,
            training=)` that gives both sides back, `(batch, time, dim)`; a
            list of them, one after the other; or `None`. Defaults to `None`.
        label_attention: bool. Whether label attention over the heads' weights
            comes before each interaction. Defaults to `True`.
        **kwargs: passed to `JointModel`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, 0 at padding,
            right-padded; no row all padding.
        training: bool.

    Returns:
        dict: `intent`, logits `(batch, intents)`, and `slots`, potentials
        `(batch, time, tags)`, float32. `decode` makes answers of them.

    Example:

    >>> import numpy as np
    >>> from keras_slu.layers import SelfAttentiveEmbedder
    >>> model = JointSLU(
    ...     SelfAttentiveEmbedder(50, embedding_dim=8, dim=16),
    ...     intents=["play", "stop"], tags=["O", "B-song", "I-song"])
    >>> token_ids = np.array([[4, 8, 15], [16, 23, 0]])
    >>> outputs = model({"token_ids": token_ids})
    >>> outputs["slots"].shape
    TensorShape([2, 3, 3])
    >>> answers = model.decode(outputs, token_ids != 0)
    >>> answers["tags"].shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        encoder,
        intents,
        tags,
        interaction=None,
        label_attention=True,
        **kwargs,
    ):
        super().__init__(intents, tags, **kwargs)
        dtype = self.dtype_policy
        self.encoder = encoder
        self.reads_pieces = isinstance(encoder, PieceEmbedder)
        self.interaction = interaction
        self.label_attention = LabelAttention(dtype=dtype) if label_attention else None
        self.intent_logits = keras.layers.Dense(
            len(self.intents), dtype=dtype, name="intent"
        )
        self.slot_logits = keras.layers.Dense(len(self.tags), dtype=dtype, name="slots")
        self.intent_logits.build((None, encoder.dim))
        self.slot_logits.build((None, None, encoder.dim))
        self.finish()

    def call(self, inputs, training=None):
        mask = self.padding_mask(inputs)
        intent, slots = self._features(inputs, mask, training)
        # An addition keeps the gradient of the real tokens as it is.
        bias = softmax_bias(mask, self.compute_dtype)[..., None]
        pooled = ops.max(intent + bias, axis=1)  # (batch, dim)
        potentials = tokenwise(self.slot_logits, slots)  # (batch, time, tags)
        if self.crf is not None:
            potentials = self.crf(potentials, padding_mask=mask)
        return {
            "intent": ops.cast(self.intent_logits(pooled), "float32"),
            "slots": ops.cast(potentials, "float32"),
        }

    def _features(self, inputs, mask, training=None, maps=None):
        """What the heads see, both `(batch, time, dim)`; adds attention to `maps`."""
        hidden = self.encode(inputs, training)
        intent, slots = self._attend_labels(hidden, hidden)
        for place, interaction in enumerate(self._interactions()):
            if place:
                intent, slots = self._attend_labels(intent, slots)
            if maps is None:
                intent, slots = interaction(
                    intent, slots, padding_mask=mask, training=training
                )
            else:
                intent, slots, more = interaction(
                    intent, slots, padding_mask=mask, return_attention_scores=True
                )
                maps += more
        return intent, slots

    def _interactions(self):
        if isinstance(self.interaction, (list, tuple)):
            return self.interaction
        return [] if self.interaction is None else [self.interaction]

    def _attend_labels(self, intent, slots):
        if self.label_attention is None:
            return intent, slots
        return tuple(
            self.label_attention(hidden, ops.transpose(head.kernel))
            for hidden, head in (
                (intent, self.intent_logits),
                (slots, self.slot_logits),
            )
        )

    def attention_scores(self, inputs):
        maps = []
        self._features(inputs, self.padding_mask(inputs), maps=maps)
        return maps

    def get_config(self):
        return {
            **super().get_config(),
            "label_attention": self.label_attention is not None,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "interaction": keras.tree.map_structure(
                keras.saving.serialize_keras_object, self.interaction
            ),
        }
