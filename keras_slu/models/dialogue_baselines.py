"""Recurrent models of dialogues that SHA-LRT is measured against, made small."""

import keras
from keras import ops

from keras_slu.layers.embedder import SelfAttentiveEmbedder
from keras_slu.layers.history_attention import HistoryResultAttention
from keras_slu.layers.masks import reverse_rows
from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.result_embedding import ResultEmbedding
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.losses import SlotCrossentropy
from keras_slu.models.dialogue_state import history_of
from keras_slu.models.joint_model import INTENT_LOSSES
from keras_slu.models.joint_model import JointModel


class _RecurrentDialogueModel(JointModel):
    """A BiLSTM and softmax heads; a subclass brings the history in between."""

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        embedding_dim=128,
        dim=128,
        trainable_embedding=True,
        static_dim=0,
        tuned_words=None,
        channel_dropout=0.0,
        embedding_dropout=0.0,
        dropout=0.0,
        attention_dropout=0.0,
        max_history=128,
        system_turns=False,
        **kwargs,
    ):
        super().__init__(intents, tags, slot_head="softmax", **kwargs)
        self.dim = dim
        self.attention_dropout = attention_dropout
        self.max_history = max_history
        self.max_tokens = min(self.max_tokens, max_history - 1)
        self.system_turns = system_turns
        self._settings = {
            "vocabulary_size": vocabulary_size,
            "embedding_dim": embedding_dim,
            "dim": dim,
            "trainable_embedding": trainable_embedding,
            "static_dim": static_dim,
            "tuned_words": tuned_words,
            "channel_dropout": channel_dropout,
            "embedding_dropout": embedding_dropout,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "max_history": max_history,
            "system_turns": system_turns,
        }
        self.encoder = SelfAttentiveEmbedder(
            vocabulary_size,
            embedding_dim,
            dim,
            trainable_embedding=trainable_embedding,
            static_dim=static_dim,
            tuned_words=tuned_words,
            channel_dropout=channel_dropout,
            embedding_dropout=embedding_dropout,
            dropout=dropout,
            dtype=self.dtype_policy,
            name="encoder",
        )
        self.intent_logits = self._dense(len(self.intents), "intent")
        self.slot_logits = self._dense(len(self.tags), "slots")

    def _dense(self, units, name, **kwargs):
        return keras.layers.Dense(units, dtype=self.dtype_policy, name=name, **kwargs)

    def _said_before(self, ids):
        """The words of the history, `(batch, history, dim)`."""
        return tokenwise(self.remember, self.encoder.embedding(ops.maximum(ids, 0)))

    def _heads(self, hidden, mask):
        """Logits `(batch, intents)` and `(batch, time, tags)`, in float32."""
        bias = softmax_bias(mask, self.compute_dtype)[..., None]
        intent = self.intent_logits(ops.max(hidden + bias, axis=1))
        slots = tokenwise(self.slot_logits, hidden)
        return ops.cast(intent, "float32"), ops.cast(slots, "float32")

    def get_config(self):
        config = super().get_config()
        del config["slot_head"]
        return {**config, **self._settings}


@keras.saving.register_keras_serializable(package="keras_slu")
class MemoryEncoder(_RecurrentDialogueModel):
    """A recurrent network over the earlier turns, in the manner of SDEN.

    Each earlier turn is the mean of its words, joined to the mean of the
    current utterance; a GRU reads these from the oldest to the newest, and its
    last state goes to every word. Results of earlier turns are not used.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`.
        embedding_dim, dim: int. Widths of the word embedding and of all hidden
            features; `dim` is even. Default to `128`.
        max_turns: int. Turns that are remembered. Defaults to `8`.
        trainable_embedding, static_dim, tuned_words, channel_dropout,
            embedding_dropout, dropout: see `SelfAttentiveEmbedder`.
        attention_dropout: float. Rate on what the history brings. Defaults to
            `0.0`.
        max_history, system_turns: see `SHALRT`.
        **kwargs: passed to `JointModel`.

    Call arguments:
        inputs: dict, as for `SHALRT`.
        training: bool.

    Returns:
        dict: `intent`, logits `(batch, intents)`; `slots`, logits
        `(batch, time, tags)`.

    Example:

    >>> import numpy as np
    >>> model = MemoryEncoder(50, intents=["play", "stop"], tags=["O", "B-song"],
    ...                       dim=16)
    >>> model({"token_ids": np.array([[4, 8, 15]])})["slots"].shape
    TensorShape([1, 3, 2])

    Reference:
        - [Bapna et al., 2017](https://aclanthology.org/W17-5514/)
    """

    def __init__(self, vocabulary_size, intents, tags, max_turns=8, **kwargs):
        super().__init__(vocabulary_size, intents, tags, **kwargs)
        self.max_turns = max_turns
        self.remember = self._dense(self.dim, "remember", activation="tanh")
        self.compare = self._dense(self.dim, "compare", activation="relu")
        self.read = keras.layers.GRU(self.dim, dtype=self.dtype_policy, name="read")
        self.drop = keras.layers.Dropout(
            self.attention_dropout, dtype=self.dtype_policy
        )
        self.join = self._dense(self.dim, "join", activation="tanh")
        self.finish()

    def call(self, inputs, training=None):
        mask = self.padding_mask(inputs)
        hidden = self.encoder(inputs["token_ids"], padding_mask=mask, training=training)
        context = self.read(self._memories(inputs, hidden, mask), training=training)
        context = self.drop(context, training=training)
        context = ops.broadcast_to(context[:, None], ops.shape(hidden))
        hidden = tokenwise(self.join, ops.concatenate([hidden, context], axis=-1))
        intent, slots = self._heads(hidden, mask)
        return {"intent": intent, "slots": slots}

    def _memories(self, inputs, hidden, mask):
        """Each earlier turn beside the current one, oldest first; zeros for none."""
        ids, _, turns = history_of(inputs)
        ages = ops.arange(self.max_turns, 0, -1, dtype="int32")[None, :, None]
        is_of_turn = ops.logical_and(turns[:, None] == ages, ids[:, None] > 0)
        memories = _mean(is_of_turn, self._said_before(ids))
        current = _mean(mask[:, None], hidden)
        current = ops.broadcast_to(current, ops.shape(memories))
        both = tokenwise(self.compare, ops.concatenate([memories, current], axis=-1))
        return ops.where(ops.any(is_of_turn, axis=-1)[..., None], both, 0.0)

    def get_config(self):
        return {**super().get_config(), "max_turns": self.max_turns}


@keras.saving.register_keras_serializable(package="keras_slu")
class TwoRoundBiLSTM(_RecurrentDialogueModel):
    """Two rounds of prediction, in the manner of RPFSLU.

    The first round's answers for the utterance, and those for earlier turns
    that resemble it (`HistoryResultAttention`), are embedded and join the
    words; a second BiLSTM reads both, and the same heads answer again.
    Training adds the first round's loss.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`.
        embedding_dim, dim: int. Widths of the word embedding and of all hidden
            features; `dim` is a multiple of 8, at least 16. Default to `128`.
        trainable_embedding, static_dim, tuned_words, channel_dropout,
            embedding_dropout, dropout: see `SelfAttentiveEmbedder`.
        attention_dropout: float. Rate on what the history brings. Defaults to
            `0.0`.
        max_history, system_turns: see `SHALRT`.
        **kwargs: passed to `JointModel`.

    Call arguments:
        inputs: dict, as for `SHALRT`.
        training: bool.

    Returns:
        dict: `intent`, logits `(batch, intents)`; `slots`, logits
        `(batch, time, tags)`; and of the first round `first_intent` and
        `first_slots`.

    Example:

    >>> import numpy as np
    >>> model = TwoRoundBiLSTM(50, intents=["play", "stop"], tags=["O", "B-song"],
    ...                        dim=16)
    >>> model({"token_ids": np.array([[4, 8, 15]])})["slots"].shape
    TensorShape([1, 3, 2])

    Reference:
        - [Cheng et al., 2021](https://arxiv.org/abs/2103.06010)
    """

    def __init__(self, vocabulary_size, intents, tags, **kwargs):
        super().__init__(vocabulary_size, intents, tags, **kwargs)
        settings = {"dtype": self.dtype_policy}
        self.remember = self._dense(self.dim, "remember")
        self.attention = HistoryResultAttention(
            self.dim, dropout=self.attention_dropout, name="history", **settings
        )
        self.results = ResultEmbedding(
            len(self.intents),
            len(self.tags),
            self.dim,
            intent_sets=self.intent_head == "sigmoid",
            name="results",
            **settings,
        )
        self.intent_embedding = self._dense(self.dim, "intent_embedding")
        self.slot_embedding = self._dense(self.dim, "slot_embedding", use_bias=False)
        self.ahead, self.back = (
            keras.layers.LSTM(
                self.dim // 2, return_sequences=True, name=name, **settings
            )
            for name in ("ahead", "back")
        )
        self.finish()

    def call(self, inputs, training=None):
        mask = self.padding_mask(inputs)
        hidden = self.encoder(inputs["token_ids"], padding_mask=mask, training=training)
        intent, slots = first = self._heads(hidden, mask)
        ids, results, _ = history_of(inputs)
        heard = self.attention(
            hidden,
            self._said_before(ids),
            self.results(ids, results),
            history_mask=ops.not_equal(ids, 0),
            training=training,
        )
        is_set = self.intent_head == "sigmoid"
        intent = ops.sigmoid(intent) if is_set else softmax(intent)
        found = self.intent_embedding(intent)[:, None] + tokenwise(
            self.slot_embedding, softmax(slots)
        )
        found = ops.cast(found, self.compute_dtype)
        intent, slots = self._heads(
            self._read(ops.concatenate([heard, found], axis=-1), mask, training), mask
        )
        names = ("first_intent", "first_slots")
        return {
            "intent": intent,
            "slots": slots,
            **dict(zip(names, first, strict=True)),
        }

    def _read(self, rows, mask, training):
        """The second BiLSTM, `(batch, time, dim)`."""
        back = self.back(reverse_rows(rows, mask), training=training)
        ahead = self.ahead(rows, training=training)
        return ops.concatenate([ahead, reverse_rows(back, mask)], axis=-1)

    def own_losses(self, inputs, labels, outputs):
        """The first round's losses, as the second's are weighed."""
        intent = INTENT_LOSSES[self.intent_head](self.label_smoothing)
        slots = SlotCrossentropy(self.label_smoothing, self.slot_loss_weight)
        return intent.call(labels["intent"], outputs["first_intent"]) + slots.call(
            labels["slots"], outputs["first_slots"]
        )


def _mean(is_in, rows):
    """Means of the rows that are in each group.

    Args:
        is_in: bool tensor `(batch, groups, rows)`.
        rows: float tensor `(batch, rows, dim)`.

    Returns:
        float tensor `(batch, groups, dim)`, zeros for an empty group.
    """
    weights = ops.cast(is_in, rows.dtype)
    total = ops.sum(weights, axis=-1, keepdims=True)
    return ops.matmul(weights / ops.maximum(total, 1.0), rows)
