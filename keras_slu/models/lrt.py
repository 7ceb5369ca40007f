"""LRT: the layer-refined Transformer (Cheng et al. 2021, 2022)."""

import keras
from keras import ops

from keras_slu.layers.result_embedding import ResultEmbedding
from keras_slu.models.dialogue_state import history_of
from keras_slu.models.embedders import encoder_config
from keras_slu.models.embedders import make_sentence_parts
from keras_slu.models.refined_model import RefinedModel
from keras_slu.models.refined_model import checked_layers


@keras.saving.register_keras_serializable(package="keras_slu")
class LRT(RefinedModel):
    """A relative-position Transformer whose middle knows preliminary answers.

    A sentence row stands before the words. After some layers the heads give
    preliminary answers for `LayerRefine` to feed to the layers above
    (LRM). The intent head reads the sentence row, the slot head that and the
    word's. Nothing is predicted one word after the other.

    In training, `prev_tags` among the inputs teaches a `SlotLabelGenerator`
    (SLG) that reads the encoder run without refinement. Its loss is

        lambda * (L_SLG + alpha * CE(generated slots, predicted slots))

    It has no part in prediction, and exports do not hold it.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`.
        embedding_dim: int. Width of the word embedding. Defaults to `128`.
        dim: int. Width of all hidden features, a multiple of `num_heads`.
            Defaults to `128`.
        num_layers: int. `M`. Defaults to `4`.
        refine_after: tuple of int. The layers after which LRM comes, from 1,
            each below `num_layers`; empty for none. Defaults to `(2,)`.
        merge: str. How LRM's embeddings join the features, see `Merge`.
            Defaults to `"sum"`.
        generator: bool. Whether training has SLG. Defaults to `True`.
        generator_layers: int. Defaults to `1`.
        consistency_weight: float. alpha. Defaults to `0.1`.
        generator_weight: float. lambda. Defaults to `0.5`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward networks' hidden layers, or
            `None` for `dim`. Defaults to `None`.
        max_distance: int. See `RelativeSelfAttention`. Defaults to `16`.
        trainable_embedding, static_dim, tuned_words, channel_dropout: see
            `SentenceEmbedder`.
        embedding_dropout, dropout, attention_dropout: float. Rates on the
            embedded words, on the output of each part of a layer, and on the
            attention weights. Default to `0.0`, `0.1` and `0.0`.
        routing: str or `None`. How the Transformer's heads are routed as
            capsules, see `RelativeSelfAttention`. Defaults to `None`.
        salient_history: `SalientHistoryAttention`, which brings earlier turns
            in, or `None`; see `SHALRT`. Defaults to `None`.
        max_history: int. With `salient_history`, the rows of earlier turns that are
            kept. Defaults to `128`.
        encoder: layer. A pretrained encoder, `HubEncoder` or
            `ModelGardenEncoder`, and a dense layer to `dim`, in place of the
            word embedding; not with `salient_history`. Its first piece gives
            the sentence's row. Defaults to `None`.
        **kwargs: passed to `JointModel`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, 0 at padding,
            right-padded, or with `encoder` as `JointSLU` with a
            `PieceEmbedder`; in training also `prev_tags` `(batch, time)`, the
            gold tag before each token, -1 for none; with `salient_history`
            perhaps `history_ids`, `history_results`, `history_turns`, see `SHALRT`.
        training: bool.

    Returns:
        dict: `intent`, logits `(batch, intents)`; `slots`, logits
        `(batch, time, tags)`; and in training with `prev_tags`, `generated`,
        logits `(batch, time, tags)`.

    Example:

    >>> import numpy as np
    >>> model = LRT(50, intents=["play", "stop"], tags=["O", "B-song", "I-song"],
    ...             dim=16, num_layers=2, refine_after=(1,))
    >>> outputs = model({"token_ids": np.array([[4, 8, 15], [16, 23, 0]])})
    >>> sorted(outputs), outputs["slots"].shape
    (['intent', 'slots'], TensorShape([2, 3, 3]))

    Reference:
        - [Cheng et al., 2021](https://arxiv.org/abs/2108.07005)
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), sections 3.4
          and 3.5
    """

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        embedding_dim=128,
        dim=128,
        num_layers=4,
        refine_after=(2,),
        merge="sum",
        generator=True,
        generator_layers=1,
        consistency_weight=0.1,
        generator_weight=0.5,
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
        routing=None,
        salient_history=None,
        max_history=128,
        encoder=None,
        **kwargs,
    ):
        super().__init__(intents, tags, slot_head="softmax", **kwargs)
        self.reads_pieces = encoder is not None
        if salient_history is not None and self.reads_pieces:
            raise ValueError("`encoder` and `salient_history` do not go together")
        if salient_history is not None:
            self.max_history = max_history
            # Of any turn, all that is read is remembered.
            self.max_tokens = min(self.max_tokens, max_history - 1)
        self._settings = {
            "vocabulary_size": vocabulary_size,
            "embedding_dim": embedding_dim,
            "dim": dim,
            "num_layers": num_layers,
            "refine_after": checked_layers(refine_after, num_layers),
            "merge": merge,
            "generator": generator,
            "generator_layers": generator_layers,
            "consistency_weight": consistency_weight,
            "generator_weight": generator_weight,
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
            "routing": routing,
            "max_history": max_history,
            **encoder_config(encoder),
        }
        settings = {"dtype": self.dtype_policy}
        self.encoder, self.transformer = make_sentence_parts(
            encoder, self._settings, self.dtype_policy
        )
        self.intent_logits = keras.layers.Dense(
            len(self.intents), name="intent", **settings
        )
        self.slot_logits = keras.layers.Dense(len(self.tags), name="slots", **settings)
        self.salient_history = salient_history
        self.results = None
        if salient_history is not None and salient_history.history != "utterances":
            self.results = ResultEmbedding(
                len(self.intents),
                len(self.tags),
                dim,
                intent_sets=self.intent_head == "sigmoid",
                name="results",
                **settings,
            )
        self._make_refinement(self._settings, dim)
        self.finish()

    def call(self, inputs, training=None):
        mask = self._row_mask(inputs)
        lower = self._lower(self._embed(inputs, mask, training), mask, training)
        return {
            **self._answers(lower, mask, training),
            **self._generated(inputs, lower, mask, training),
        }

    def _embed(self, inputs, mask, training):
        """The Transformer's input, with what earlier turns have to do with it."""
        embedded = self._rows(inputs, training)
        if self.salient_history is None:
            return embedded
        ids, results, turns = history_of(inputs)
        return self.salient_history(
            embedded,
            self.encoder(ids, training=training),
            None if self.results is None else self.results(ids, results),
            turns if self.salient_history.max_turns else None,
            padding_mask=mask,
            history_mask=ops.not_equal(ids, 0),
            training=training,
        )

    def get_config(self):
        config = super().get_config()
        del config["slot_head"]
        salient = keras.saving.serialize_keras_object(self.salient_history)
        return {**config, **self._settings, "salient_history": salient}
