"""Stack-Propagation with token-level intents (Qin et al. 2019)."""

import keras
from keras import ops

from keras_slu.layers.autoregressive_decoder import AutoregressiveDecoder
from keras_slu.layers.higher_order_encoder import ATTENTIONS
from keras_slu.layers.higher_order_encoder import HigherOrderAttentionEncoder
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.losses import IntentSetCrossentropy
from keras_slu.losses import SlotCrossentropy
from keras_slu.models.embedders import encoder_config
from keras_slu.models.embedders import make_embedder
from keras_slu.models.joint_model import JointModel


@keras.saving.register_keras_serializable(package="keras_slu")
class StackPropagation(JointModel):
    """An intent for each token, handed on to the slot of that token.

    A BiLSTM with self-attention; an autoregressive decoder that gives each
    token an intent; an autoregressive slot decoder that sees it. The
    utterance's intent is the tokens' vote: the mean of their distributions. With
    `intent_head="sigmoid"` a token has any number of intents: the slot decoder
    sees all that it finds likelier than not, the intent decoder the likeliest.
    With `attention`, two projections of the encoder's output attend to each
    other first, "Stack-Propagation + HAE" of the paper of HAN.

    In training, `prev_tags` and `gold_intent` among the inputs teach the
    decoders: an utterance is fed its gold labels at the rate
    `teacher_forcing`, else what the decoders themselves predict. A set of
    intents is not fed: the intent decoder takes one label.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`.
        embedding_dim: int. Width of the word embedding. Defaults to `256`.
        dim: int. Width of the encoder's output, even. Defaults to `256`.
        attention: str. `"none"`, `"first_order"` or `"bilinear"`. Defaults to
            `"none"`, as published.
        num_layers: int. Layers of that attention. Defaults to `1`.
        order: str. Of bilinear attention. Defaults to `"infinite"`.
        decoder_dim: int. Width of each decoder's LSTM. Defaults to `64`.
        intent_dim, tag_dim: int. Widths of the embeddings of the label before.
            Default to `8` and `32`.
        teacher_forcing: float. Defaults to `0.9`.
        trainable_embedding, static_dim, tuned_words, channel_dropout: see
            `SelfAttentiveEmbedder`.
        embedding_dropout, dropout, attention_dropout: float. Rates on the word
            embedding, on the encoder's output and on each attention's output.
            Default to `0.0`.
        encoder: layer or `None`. A pretrained encoder, `HubEncoder` or
            `ModelGardenEncoder`, in place of embedding and BiLSTM; one dense
            layer brings its features to `dim`. `vocabulary_size` and what is
            about embeddings then mean nothing. Defaults to `None`.
        keep_bilstm: bool. Whether the BiLSTM stays, behind that encoder and in
            place of the dense layer. Defaults to `False`.
        **kwargs: passed to `JointModel`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, 0 at padding; in
            training also `prev_tags` `(batch, time)`, the gold tag before each
            token, -1 for none, and `gold_intent` `(batch,)`.
        training: bool.

    Returns:
        dict: `intent`, the log of the vote `(batch, intents)`, of a sigmoid the
        vote's logit; `slots`, logits `(batch, time, tags)`; `token_intents`,
        logits `(batch, time, intents)`.

    Example:

    >>> import numpy as np
    >>> model = StackPropagation(50, intents=["play", "stop"],
    ...                          tags=["O", "B-song", "I-song"], dim=16)
    >>> outputs = model({"token_ids": np.array([[4, 8, 15], [16, 23, 0]])})
    >>> outputs["token_intents"].shape
    TensorShape([2, 3, 2])

    Reference:
        - [Qin et al., 2019](https://arxiv.org/abs/1909.02188)
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), Table 3
    """

    is_taught = True

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        embedding_dim=256,
        dim=256,
        attention="none",
        num_layers=1,
        order="infinite",
        decoder_dim=64,
        intent_dim=8,
        tag_dim=32,
        teacher_forcing=0.9,
        trainable_embedding=True,
        static_dim=0,
        tuned_words=None,
        channel_dropout=0.0,
        embedding_dropout=0.0,
        dropout=0.0,
        attention_dropout=0.0,
        encoder=None,
        keep_bilstm=False,
        **kwargs,
    ):
        super().__init__(intents, tags, slot_head="softmax", **kwargs)
        if attention not in ("none", *ATTENTIONS):
            raise ValueError(
                f"`attention` must be 'none' or one of {ATTENTIONS}. "
                f"Received: {attention!r}"
            )
        self.teacher_forcing = teacher_forcing
        self._settings = {
            "vocabulary_size": vocabulary_size,
            "embedding_dim": embedding_dim,
            "dim": dim,
            "attention": attention,
            "num_layers": num_layers,
            "order": order,
            "decoder_dim": decoder_dim,
            "intent_dim": intent_dim,
            "tag_dim": tag_dim,
            "teacher_forcing": teacher_forcing,
            "trainable_embedding": trainable_embedding,
            "static_dim": static_dim,
            "tuned_words": tuned_words,
            "channel_dropout": channel_dropout,
            "embedding_dropout": embedding_dropout,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            **encoder_config(encoder, keep_bilstm=keep_bilstm),
        }
        self.seed_generator = keras.random.SeedGenerator()
        settings = {"dtype": self.dtype_policy}
        self.reads_pieces = encoder is not None
        self.encoder = make_embedder(
            encoder,
            keep_bilstm,
            vocabulary_size,
            embedding_dim,
            dim,
            trainable_embedding=trainable_embedding,
            static_dim=static_dim,
            tuned_words=tuned_words,
            channel_dropout=channel_dropout,
            self_attention=True,
            embedding_dropout=embedding_dropout,
            dropout=dropout,
            **settings,
        )
        self.attention = None
        if attention != "none":
            self.attention = HigherOrderAttentionEncoder(
                dim,
                num_layers,
                attention,
                order,
                dropout=attention_dropout,
                **settings,
            )
            self.sides = keras.layers.Dense(2 * dim, name="sides", **settings)
        self.intent_decoder = AutoregressiveDecoder(
            len(self.intents), decoder_dim, intent_dim, name="intents", **settings
        )
        self.slot_decoder = AutoregressiveDecoder(
            len(self.tags), decoder_dim, tag_dim, name="slots", **settings
        )
        self.finish()

    def call(self, inputs, training=None):
        mask = self.padding_mask(inputs)
        previous_intents, previous_tags = self._teach(inputs, training)
        intent, slots, _ = self._features(inputs, mask, training)
        token_intents = self.intent_decoder(intent, previous=previous_intents)
        # No gradient goes from the slots to the intents, as in the paper's code.
        chosen = ops.cast(self._chosen(token_intents), slots.dtype)
        potentials = self.slot_decoder(
            ops.concatenate([slots, chosen], axis=-1), previous=previous_tags
        )
        token_intents = ops.cast(token_intents, "float32")
        return {
            "intent": self._vote(token_intents, mask),
            "slots": ops.cast(potentials, "float32"),
            "token_intents": token_intents,
        }

    def _chosen(self, token_intents):
        """The intents that each token hands on, 0 or 1."""
        if self.intent_head == "sigmoid":
            return token_intents > 0.0
        _, best = ops.top_k(token_intents, 1)
        return ops.one_hot(best[..., 0], len(self.intents))

    def _vote(self, token_intents, mask):
        """Log or logit of the mean of the real tokens' probabilities."""
        is_set = self.intent_head == "sigmoid"
        probabilities = ops.sigmoid(token_intents) if is_set else softmax(token_intents)
        weights = ops.cast(mask, "float32")[..., None]
        total = ops.sum(probabilities * weights, axis=1)
        mean = total / ops.sum(weights, axis=1)
        if is_set:
            mean = ops.clip(mean, 1e-7, 1.0 - 1e-7)
            return ops.log(mean) - ops.log(1.0 - mean)
        return ops.log(ops.maximum(mean, 1e-30))

    def _teach(self, inputs, training):
        """The gold labels before each token, -1 where they are not to be seen."""
        if not training or "prev_tags" not in inputs:
            return None, None
        tags = inputs["prev_tags"]
        batch, time = ops.shape(tags)
        drawn = keras.random.uniform((batch, 1), seed=self.seed_generator)
        is_taught = drawn < self.teacher_forcing
        tags = ops.where(is_taught, tags, -1)
        if self.intent_head == "sigmoid":
            return None, tags
        intents = ops.broadcast_to(inputs["gold_intent"][:, None], (batch, time))
        is_first = ops.arange(time)[None] == 0
        intents = ops.where(is_first, -1, intents)
        return ops.where(is_taught, intents, -1), tags

    def _features(self, inputs, mask, training=None):
        """What the decoders see, both `(batch, time, dim)`, and attention maps."""
        hidden = self.encode(inputs, training)
        if self.attention is None:
            return hidden, hidden, []
        intent, slots = ops.split(tokenwise(self.sides, hidden), 2, axis=-1)
        intent, slots, *_, maps = self.attention(
            intent,
            slots,
            padding_mask=mask,
            training=training,
            return_attention_scores=True,
        )
        return intent, slots, maps

    def attention_scores(self, inputs):
        return self._features(inputs, self.padding_mask(inputs))[2]

    def default_loss(self):
        """The slots' loss; that of the tokens' intents is added to it."""
        slots = SlotCrossentropy(self.label_smoothing, self.slot_loss_weight)
        return {"intent": None, "slots": slots}

    def own_losses(self, inputs, labels, outputs):
        """The loss of the tokens' intents, summed over each utterance."""
        # Every token has the utterance's intent for its own.
        intents = ops.cast(labels["intent"], "int32")[:, None]
        mask = self.padding_mask(inputs)
        if self.intent_head == "sigmoid":
            intents = ops.where(mask[..., None], intents, -1)
            losses = IntentSetCrossentropy(self.label_smoothing)
            return ops.sum(losses.call(intents, outputs["token_intents"]), axis=1)
        loss = SlotCrossentropy(self.label_smoothing)
        return loss.call(ops.where(mask, intents, -1), outputs["token_intents"])

    def get_config(self):
        config = super().get_config()
        del config["slot_head"]
        return {**config, **self._settings}
