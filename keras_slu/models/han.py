"""HAN: Higher-order Attention Network (Chen et al. 2021)."""

import keras

from keras_slu.layers.higher_order_interaction import HigherOrderInteraction
from keras_slu.models.embedders import encoder_config
from keras_slu.models.embedders import make_embedder
from keras_slu.models.joint import JointSLU


@keras.saving.register_keras_serializable(package="keras_slu")
class HAN(JointSLU):
    """Higher-order Attention Network for joint intent and slot prediction.

    A BiLSTM embedder with label attention; layers of bilinear attention in
    which intent and slot features attend to each other; dynamic fusion; a
    max-pooled intent head and a CRF. The switches give each row of the
    paper's ablations.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents: list of str. Classes of the intent head, see `JointSLU`.
        tags: list of str. BIO tags.
        embedding_dim: int. Width of the word embedding. Defaults to `300`.
        dim: int. Width of all hidden features, even. Defaults to `128`.
        num_layers: int. Attention layers. Defaults to `2`.
        attention: str. `"bilinear"`, `"first_order"`, `"none"`, or first-order
            with its heads routed as capsules, `"capsule_dynamic"` or
            `"capsule_em"`. Defaults to `"bilinear"`.
        order: str. `"infinite"` (CELU) or `"second"` (ReLU). Defaults to
            `"infinite"`.
        alpha: float. CELU scale. Defaults to `1.0`.
        label_attention: bool. Defaults to `True`.
        fusion: str. `"dynamic"` or `"shallow"` (plain concatenation). Defaults
            to `"dynamic"`.
        merge: str. What the paper's circled plus is in dynamic fusion:
            `"concat"` or `"sum"`. Defaults to `"concat"`.
        interaction: bool. False leaves out attention, fusion and feed-forward
            altogether, the paper's BiLSTM row. Defaults to `True`.
        slot_head: str. `"crf"` or `"softmax"`. Defaults to `"crf"`.
        self_attention: bool. Whether the embedder adds self-attention, which
            its name promises and the text does not have. Defaults to `False`.
        trainable_embedding: bool. Defaults to `True`.
        static_dim, tuned_words, channel_dropout: see `SelfAttentiveEmbedder`.
        embedding_dropout: float. Rate on the word embedding. Defaults to `0.0`.
        dropout: float. Rate on the BiLSTM's output. Defaults to `0.0`.
        attention_dropout: float. Rate on each attention's output. Defaults to
            `0.0`.
        slot_loss_weight, label_smoothing, max_tokens: see `JointSLU`.
        encoder: layer or `None`. A pretrained encoder, `HubEncoder` or
            `ModelGardenEncoder`, in place of embedding and BiLSTM; one dense
            layer brings its features to `dim`. `vocabulary_size` and what is
            about embeddings then mean nothing. Defaults to `None`.
        keep_bilstm: bool. Whether the BiLSTM stays, behind that encoder and in
            place of the dense layer. Defaults to `False`.
        **kwargs: passed to `keras.Model`.

    Call arguments and returns: as `JointSLU`.

    Example:

    >>> import numpy as np
    >>> model = HAN(50, intents=["play", "stop"], tags=["O", "B-song", "I-song"],
    ...             embedding_dim=8, dim=16)
    >>> token_ids = np.array([[4, 8, 15], [16, 23, 0]], "int32")
    >>> labels = {"intent": np.array([0, 1]),
    ...           "slots": np.array([[0, 1, 2], [0, 0, -1]])}
    >>> history = model.fit({"token_ids": token_ids}, labels, verbose=0)
    >>> sorted(model.predict({"token_ids": token_ids}, verbose=0))
    ['intent', 'slots']

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916)
    """

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        embedding_dim=300,
        dim=128,
        num_layers=2,
        attention="bilinear",
        order="infinite",
        alpha=1.0,
        label_attention=True,
        fusion="dynamic",
        merge="concat",
        interaction=True,
        slot_head="crf",
        self_attention=False,
        trainable_embedding=True,
        static_dim=0,
        tuned_words=None,
        channel_dropout=0.0,
        embedding_dropout=0.0,
        dropout=0.0,
        attention_dropout=0.0,
        slot_loss_weight=1.0,
        label_smoothing=0.0,
        max_tokens=128,
        encoder=None,
        keep_bilstm=False,
        dtype=None,
        **kwargs,
    ):
        # === Layers ===
        embedder = make_embedder(
            encoder,
            keep_bilstm,
            vocabulary_size,
            embedding_dim,
            dim,
            trainable_embedding=trainable_embedding,
            static_dim=static_dim,
            tuned_words=tuned_words,
            channel_dropout=channel_dropout,
            self_attention=self_attention,
            embedding_dropout=embedding_dropout,
            dropout=dropout,
            dtype=dtype,
        )
        middle = None
        if interaction:
            middle = HigherOrderInteraction(
                dim,
                num_layers=num_layers,
                attention=attention,
                order=order,
                alpha=alpha,
                fusion=fusion,
                merge=merge,
                dropout=attention_dropout,
                dtype=dtype,
            )

        # === Model ===
        super().__init__(
            embedder,
            intents,
            tags,
            interaction=middle,
            label_attention=label_attention,
            slot_head=slot_head,
            slot_loss_weight=slot_loss_weight,
            label_smoothing=label_smoothing,
            max_tokens=max_tokens,
            dtype=dtype,
            **kwargs,
        )

        # === Config ===
        self._han_config = {
            "vocabulary_size": vocabulary_size,
            "embedding_dim": embedding_dim,
            "dim": dim,
            "num_layers": num_layers,
            "attention": attention,
            "order": order,
            "alpha": alpha,
            "fusion": fusion,
            "merge": merge,
            "interaction": interaction,
            "self_attention": self_attention,
            "trainable_embedding": trainable_embedding,
            "static_dim": static_dim,
            "tuned_words": tuned_words,
            "channel_dropout": channel_dropout,
            "embedding_dropout": embedding_dropout,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            **encoder_config(encoder, keep_bilstm=keep_bilstm),
        }

    def get_config(self):
        config = super().get_config()
        for part in ("encoder", "interaction"):
            config.pop(part, None)
        return {**config, **self._han_config}
