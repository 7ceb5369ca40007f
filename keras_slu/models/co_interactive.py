"""Co-Interactive Transformer (Qin et al. 2020)."""

import keras

from keras_slu.layers.higher_order_interaction import HigherOrderInteraction
from keras_slu.models.embedders import encoder_config
from keras_slu.models.embedders import make_embedder
from keras_slu.models.joint import JointSLU


@keras.saving.register_keras_serializable(package="keras_slu")
class CoInteractive(JointSLU):
    """Intent and slots that attend to each other, block after block.

    A BiLSTM, then blocks: label attention, attention of each side to the
    other's features, and a feed-forward network over three tokens of both
    sides. A max-pooled intent head and a CRF. With `attention="bilinear"` it
    is the paper of HAN's "Co-Interactive + HAE".

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`.
        embedding_dim: int. Width of the word embedding. Defaults to `300`.
        dim: int. Width of all hidden features, a multiple of 8. Defaults to
            `128`.
        num_blocks: int. Defaults to `2`.
        attention: str. `"first_order"` (8 heads, as published), `"bilinear"`
            or `"none"`. Defaults to `"first_order"`.
        order: str. Of bilinear attention, `"infinite"` or `"second"`. Defaults
            to `"infinite"`.
        trainable_embedding: bool. Defaults to `True`.
        static_dim, tuned_words, channel_dropout: see `SelfAttentiveEmbedder`.
        embedding_dropout, dropout, attention_dropout: float. Rates on the word
            embedding, on the BiLSTM's output and on each attention's output.
            Default to `0.0`.
        encoder: layer or `None`. A pretrained encoder, `HubEncoder` or
            `ModelGardenEncoder`, in place of embedding and BiLSTM; one dense
            layer brings its features to `dim`. `vocabulary_size` and what is
            about embeddings then mean nothing. Defaults to `None`.
        keep_bilstm: bool. Whether the BiLSTM stays, behind that encoder and in
            place of the dense layer. Defaults to `False`.
        **kwargs: passed to `JointModel`.

    Call arguments and returns: as `JointSLU`.

    Example:

    >>> import numpy as np
    >>> model = CoInteractive(50, intents=["play", "stop"],
    ...                       tags=["O", "B-song", "I-song"], dim=16)
    >>> outputs = model({"token_ids": np.array([[4, 8, 15], [16, 23, 0]])})
    >>> outputs["slots"].shape
    TensorShape([2, 3, 3])

    Reference:
        - [Qin et al., 2020](https://arxiv.org/abs/2010.03880)
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), Table 3
    """

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        embedding_dim=300,
        dim=128,
        num_blocks=2,
        attention="first_order",
        order="infinite",
        trainable_embedding=True,
        static_dim=0,
        tuned_words=None,
        channel_dropout=0.0,
        embedding_dropout=0.0,
        dropout=0.0,
        attention_dropout=0.0,
        encoder=None,
        keep_bilstm=False,
        dtype=None,
        **kwargs,
    ):
        if num_blocks < 1:
            raise ValueError(f"`num_blocks` must be > 0. Received: {num_blocks}")
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
            embedding_dropout=embedding_dropout,
            dropout=dropout,
            dtype=dtype,
        )
        blocks = [
            HigherOrderInteraction(
                dim,
                num_layers=1,
                attention=attention,
                order=order,
                fusion="shallow",
                dropout=attention_dropout,
                dtype=dtype,
            )
            for _ in range(num_blocks)
        ]
        super().__init__(
            embedder, intents, tags, interaction=blocks, dtype=dtype, **kwargs
        )
        self._settings = {
            "vocabulary_size": vocabulary_size,
            "embedding_dim": embedding_dim,
            "dim": dim,
            "num_blocks": num_blocks,
            "attention": attention,
            "order": order,
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
            config.pop(part)
        return {**config, **self._settings}
