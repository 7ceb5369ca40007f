"""The base of the joint models: an encoder, an interaction and two heads."""

from pathlib import Path

import keras
from keras import ops

from keras_slu.layers.crf import CRF
from keras_slu.layers.label_attention import LabelAttention
from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.losses import IntentCrossentropy
from keras_slu.losses import SlotCrossentropy
from keras_slu.losses import UtteranceMean
from keras_slu.models.slot_confidence import least_probability
from keras_slu.optimizers import RectifiedAdam
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

SLOT_HEADS = ("crf", "softmax")


@keras.saving.register_keras_serializable(package="keras_slu")
class JointSLU(keras.Model):
    """Joint intent detection and slot filling.

    tokens -> encoder -> label attention -> interaction -> two heads. The
    intent head pools its features by their maximum over the real tokens; the
    slot head is a CRF or a softmax at each token. A fresh model is built and
    compiled.

    Args:
        encoder: layer with a `dim`, called with `(token_ids, padding_mask=,
            training=)`, that gives `(batch, time, dim)`.
        intents: list of str. The intent head's classes. A class of several
            intents at once is written `"a#b"`, no intent `""`.
        tags: list of str. The slot head's BIO tags.
        interaction: layer called with `(intent, slots, padding_mask=,
            training=)` that gives both sides back, `(batch, time, dim)`, or
            `None`. Defaults to `None`.
        label_attention: bool. Whether both sides start from label attention
            over the heads' weights. Defaults to `True`.
        slot_head: str. `"crf"` or `"softmax"`. Defaults to `"crf"`.
        slot_loss_weight: float. Weight of the slot loss; the intent loss has
            1. Defaults to `1.0`.
        label_smoothing: float. Of the intent loss, and of the slot loss of a
            softmax head. Defaults to `0.0`.
        max_tokens: int. Longest utterance; everything that makes token ids
            cuts there and says so. Defaults to `128`.
        **kwargs: passed to `keras.Model`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, 0 at padding,
            right-padded; no row all padding.
        training: bool.

    Returns:
        dict: `intent`, logits `(batch, intents)`, and `slots`, potentials
        `(batch, time, tags)`, float32. `decode` makes answers of them.

    Attributes:
        tokenizer, vocabulary: `Tokenizer` and `Vocabulary`, or `None`: what
            makes token ids of text. They are saved with the model.

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
        slot_head="crf",
        slot_loss_weight=1.0,
        label_smoothing=0.0,
        max_tokens=128,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if slot_head not in SLOT_HEADS:
            raise ValueError(
                f"`slot_head` must be one of {SLOT_HEADS}. Received: {slot_head!r}"
            )
        self.intents = list(intents)
        self.tags = list(tags)
        self.slot_head = slot_head
        self.slot_loss_weight = slot_loss_weight
        self.label_smoothing = label_smoothing
        self.max_tokens = max_tokens
        self.tokenizer = None
        self.vocabulary = None

        dtype = self.dtype_policy
        self.encoder = encoder
        self.interaction = interaction
        self.label_attention = LabelAttention(dtype=dtype) if label_attention else None
        self.intent_logits = keras.layers.Dense(
            len(self.intents), dtype=dtype, name="intent"
        )
        self.slot_logits = keras.layers.Dense(len(self.tags), dtype=dtype, name="slots")
        self.crf = None
        if slot_head == "crf":
            self.crf = CRF(len(self.tags), tags=self.tags, dtype=dtype, name="crf")
        self.utterance_mean = UtteranceMean()

        self.intent_logits.build((None, encoder.dim))
        self.slot_logits.build((None, None, encoder.dim))
        self({"token_ids": keras.KerasTensor((None, None), dtype="int32")})
        self.compile(
            optimizer=RectifiedAdam(),
            loss=self.default_loss(),
            jit_compile=False,
        )

    def default_loss(self):
        """The losses to compile with.

        A CRF computes its own loss, which `compute_loss` adds: it depends on
        the transitions, not on the outputs alone.
        """
        slots = None
        if self.crf is None:
            slots = SlotCrossentropy(self.label_smoothing, self.slot_loss_weight)
        return {"intent": IntentCrossentropy(self.label_smoothing), "slots": slots}

    def build(self, input_shape=None):
        pass  # everything is built on construction

    def call(self, inputs, training=None):
        token_ids = inputs["token_ids"]
        mask = self.padding_mask(inputs)
        hidden = self.encoder(token_ids, padding_mask=mask, training=training)
        intent = slots = hidden  # (batch, time, dim)
        if self.label_attention is not None:
            intent = self.label_attention(
                hidden, ops.transpose(self.intent_logits.kernel)
            )
            slots = self.label_attention(hidden, ops.transpose(self.slot_logits.kernel))
        if self.interaction is not None:
            intent, slots = self.interaction(
                intent, slots, padding_mask=mask, training=training
            )
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

    def padding_mask(self, inputs):
        """The words that are real, bool `(batch, words)`."""
        return ops.not_equal(inputs["token_ids"], 0)

    def utterance_losses(self, inputs, labels, outputs):
        """Gives the loss of each utterance, `(batch,)`, as training weighs it."""
        losses = self.default_loss()
        intent = losses["intent"].call(labels["intent"], outputs["intent"])
        if self.crf is None:
            return intent + losses["slots"].call(labels["slots"], outputs["slots"])
        slots = self._crf_losses(inputs, labels, outputs)
        return intent + self.slot_loss_weight * slots

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if self.crf is None:
            return loss
        # Keras turns the one array of `fit(x, y, weights)` into a dict.
        if isinstance(sample_weight, dict):
            sample_weight = sample_weight.get("slots")
        losses = self._crf_losses(x, y, y_pred)
        slots = self.utterance_mean(losses, losses, sample_weight)
        return loss + self.slot_loss_weight * slots

    def _crf_losses(self, inputs, labels, outputs):
        return self.crf.negative_log_likelihood(
            outputs["slots"], labels["slots"], self.padding_mask(inputs)
        )

    def decode(self, outputs, padding_mask=None):
        """Makes answers of the outputs of `call`.

        Args:
            outputs: dict, what `call` gave.
            padding_mask: bool tensor `(batch, time)`, true at real tokens, or
                `None` when all are real.

        Returns:
            dict: `intent_probabilities` `(batch, intents)`; `tags`
            `(batch, time)` int32, the most probable sequence, -1 at padding;
            `slot_confidence` `(batch, time)`, the probability of exactly the
            span that a token's tag belongs to (CRF), or the least probability
            of the span's tokens (softmax).
        """
        potentials = outputs["slots"]
        if padding_mask is None:
            padding_mask = ops.ones(ops.shape(potentials)[:2], "bool")
        if self.crf is not None:
            tags = self.crf.decode(potentials, padding_mask)
            confidence = self.crf.span_confidence(potentials, tags, padding_mask)
        else:
            probabilities = softmax(potentials)
            best, tags = ops.top_k(probabilities, 1)
            tags = ops.where(padding_mask, ops.cast(tags[..., 0], "int32"), -1)
            confidence = least_probability(best[..., 0], tags, self.tags)
        return {
            "intent_probabilities": softmax(outputs["intent"]),
            "tags": tags,
            "slot_confidence": confidence,
        }

    def save_assets(self, folder):
        if self.vocabulary is not None:
            self.vocabulary.save(Path(folder) / "vocabulary.txt")
        if self.tokenizer is not None:
            self.tokenizer.save(Path(folder) / "tokenizer.npz")

    def load_assets(self, folder):
        folder = Path(folder)
        if (folder / "vocabulary.txt").exists():
            self.vocabulary = Vocabulary.load(folder / "vocabulary.txt")
        if (folder / "tokenizer.npz").exists():
            self.tokenizer = Tokenizer.load(folder / "tokenizer.npz")

    def get_config(self):
        config = {
            "name": self.name,
            "dtype": keras.saving.serialize_keras_object(self.dtype_policy),
            "intents": self.intents,
            "tags": self.tags,
            "slot_head": self.slot_head,
            "slot_loss_weight": self.slot_loss_weight,
            "label_smoothing": self.label_smoothing,
            "label_attention": self.label_attention is not None,
            "max_tokens": self.max_tokens,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
        }
        if self.interaction is not None:
            config["interaction"] = keras.saving.serialize_keras_object(
                self.interaction
            )
        return config

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        for part in ("encoder", "interaction", "dtype"):
            if isinstance(config.get(part), dict):
                config[part] = keras.saving.deserialize_keras_object(config[part])
        return cls(**config)
