"""SlotRefine: slots in two passes, the second seeing the first's (Wu et al. 2020)."""

import keras
from keras import ops

from keras_slu.losses import SlotCrossentropy
from keras_slu.models.embedders import encoder_config
from keras_slu.models.embedders import make_sentence_parts
from keras_slu.models.joint_model import INTENT_LOSSES
from keras_slu.models.refined_model import RefinedModel
from keras_slu.models.refined_model import checked_layers

NO_TAG = 0  # row of the tag embedding; tag `k` has the row `k + 1`


@keras.saving.register_keras_serializable(package="keras_slu")
class SlotRefine(RefinedModel):
    """A Transformer that reads the sentence twice, not word after word.

    A learned row stands before the words. With `x_t` a word's embedding and
    `E` that of tags:

        pass 1: H = encoder([cls; x_t + E(O)]),  slots = W [h_cls ; h_t] + b
        pass 2: H = encoder([cls; x_t + E(b_t)]), likewise,

    where `b_t` is what pass 1 found if that is a `B-` tag, else none. So a
    word knows where the other slots begin, and an `I-` tag what it follows.
    The answer is that of pass 2; training adds the loss of pass 1, which the
    authors' code takes a step of its own for.

    It can have LRM and SLG of `LRT`, which its paper has not. LRM then works
    in each pass, with what that pass would answer by then. SLG reads pass 1
    run without LRM: pass 2 knows tags that pass 1 found, with LRM's help, for
    the whole sentence, and SLG is to see none but those before the word. The
    answers that its consistency loss compares it with are those of pass 2.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`; `O` is among the tags.
        embedding_dim: int. Width of the word embedding. Defaults to `128`.
        dim: int. Width of all hidden features, a multiple of `num_heads`.
            Defaults to `128`.
        num_layers: int. Defaults to `2`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward networks' hidden layers, or
            `None` for `dim`. Defaults to `None`.
        max_distance: int. See `RelativeSelfAttention`. Defaults to `16`.
        trainable_embedding, static_dim, tuned_words, channel_dropout: see
            `SentenceEmbedder`.
        embedding_dropout, dropout, attention_dropout: float. Rates on the
            embedded words, on the output of each part of a layer, and on the
            attention weights. Default to `0.0`, `0.1` and `0.0`.
        refine_after: tuple of int. The layers after which LRM comes, as in
            `LRT`. Defaults to `()`, no LRM.
        generator: bool. Whether training has SLG. Defaults to `False`.
        merge, generator_layers, consistency_weight, generator_weight, encoder:
            see `LRT`.
        **kwargs: passed to `JointModel`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, 0 at padding,
            right-padded, or with `encoder` as `JointSLU` with a
            `PieceEmbedder`; in training with SLG also `prev_tags` `(batch, time)`,
            see `LRT`.
        training: bool.

    Returns:
        dict: `intent`, logits `(batch, intents)`; `slots`, logits
        `(batch, time, tags)`; of pass 1 `first_intent` and `first_slots`; and
        in training with `prev_tags` those of SLG, `generated`.

    Example:

    >>> import numpy as np
    >>> model = SlotRefine(50, intents=["play", "stop"],
    ...                    tags=["O", "B-song", "I-song"], dim=16)
    >>> outputs = model({"token_ids": np.array([[4, 8, 15], [16, 23, 0]])})
    >>> outputs["slots"].shape
    TensorShape([2, 3, 3])

    Reference:
        - [Wu et al., 2020](https://arxiv.org/abs/2010.02693), section 2, and
          the authors' code
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), of LRM and SLG
    """

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        embedding_dim=128,
        dim=128,
        num_layers=2,
        num_heads=8,
        inner_dim=None,
        max_distance=16,
        trainable_embedding=True,
        static_dim=0,
        tuned_words=None,
        channel_dropout=0.0,
        embedding_dropout=0.0,
        dropout=0.1,
        attention_dropout=0.0,
        refine_after=(),
        merge="sum",
        generator=False,
        generator_layers=1,
        consistency_weight=0.1,
        generator_weight=0.5,
        encoder=None,
        **kwargs,
    ):
        super().__init__(intents, tags, slot_head="softmax", **kwargs)
        self.reads_pieces = encoder is not None
        if "O" not in self.tags:
            raise ValueError(f"`tags` must hold 'O'. Received: {self.tags}")
        self._settings = {
            "vocabulary_size": vocabulary_size,
            "embedding_dim": embedding_dim,
            "dim": dim,
            "num_layers": num_layers,
            "num_heads": num_heads,
            "inner_dim": inner_dim,
            "max_distance": max_distance,
            "trainable_embedding": trainable_embedding,
            "static_dim": static_dim,
            "tuned_words": tuned_words,
            "channel_dropout": channel_dropout,
            "embedding_dropout": embedding_dropout,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "refine_after": checked_layers(refine_after, num_layers),
            "merge": merge,
            "generator": generator,
            "generator_layers": generator_layers,
            "consistency_weight": consistency_weight,
            "generator_weight": generator_weight,
            **encoder_config(encoder),
        }
        settings = {"dtype": self.dtype_policy}
        self.encoder, self.transformer = make_sentence_parts(
            encoder, self._settings, self.dtype_policy
        )
        self.tag_embedding = keras.layers.Embedding(
            len(self.tags) + 1, dim, name="tag_embedding", **settings
        )
        self.intent_logits = keras.layers.Dense(
            len(self.intents), name="intent", **settings
        )
        self.slot_logits = keras.layers.Dense(len(self.tags), name="slots", **settings)
        self._make_refinement(self._settings, dim)
        # The row that each tag of pass 1 has in pass 2.
        self._fed_back = [
            place + 1 if tag.startswith("B-") else NO_TAG
            for place, tag in enumerate(self.tags)
        ]
        self.finish()

    def call(self, inputs, training=None):
        mask = self._row_mask(inputs)
        embedded = self._rows(inputs, training)
        is_word = self.padding_mask(inputs)  # (batch, time)
        outside = ops.full_like(is_word, self.tags.index("O") + 1, dtype="int32")
        lower = self._lower(self._tagged(embedded, outside), mask, training)
        first = self._answers(lower, mask, training)
        generated = self._generated(inputs, lower, mask, training)
        # No gradient goes back through the tags that are chosen.
        _, best = ops.top_k(first["slots"], 1)
        begins = ops.take(ops.convert_to_tensor(self._fed_back), best[..., 0])
        lower = self._lower(self._tagged(embedded, begins), mask, training)
        return {
            **self._answers(lower, mask, training),
            **{f"first_{name}": logits for name, logits in first.items()},
            **generated,
        }

    def _tagged(self, embedded, tag_rows):
        """The Transformer's input, given a row of the tag embedding a word."""
        tags = ops.pad(self.tag_embedding(tag_rows), [[0, 0], [1, 0], [0, 0]])
        return embedded + tags

    def own_losses(self, inputs, labels, outputs):
        """The losses of the first pass, and the generator's where it is taught."""
        intent = INTENT_LOSSES[self.intent_head](self.label_smoothing)
        slots = SlotCrossentropy(self.label_smoothing, self.slot_loss_weight)
        first = intent.call(labels["intent"], outputs["first_intent"]) + slots.call(
            labels["slots"], outputs["first_slots"]
        )
        taught = super().own_losses(inputs, labels, outputs)
        return first if taught is None else first + taught

    def get_config(self):
        config = super().get_config()
        del config["slot_head"]
        return {**config, **self._settings}
