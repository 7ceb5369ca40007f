"""A translator whose attention heads may be routed (Gu and Feng 2019)."""

from pathlib import Path

import keras
import numpy as np
from keras import ops

from keras_slu.layers.position_encoding import position_encoding
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.layers.transformer_decoder_layer import TransformerDecoderLayer
from keras_slu.layers.transformer_encoder_layer import TransformerEncoderLayer
from keras_slu.losses import SlotCrossentropy
from keras_slu.models.beam_search import beam_search
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import START
from keras_slu.text.sentence_pieces import SentencePieces

# A translation may have this many tokens more than twice its source has.
MORE_TOKENS = 10


@keras.saving.register_keras_serializable(package="keras_slu")
class CapsuleTransformer(keras.Model):
    """A Transformer for translation, with capsules in any of its attentions.

    Source and target share one vocabulary, and the embedding is the output
    layer's weight too. A fresh model is built and compiled.

    Args:
        vocabulary_size: int. Number of token ids.
        dim: int. Width of all hidden features, a multiple of `num_heads` and at
            least twice it. Defaults to `512`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward networks' hidden layers.
            Defaults to `2048`.
        num_layers: int. Layers of the encoder, and of the decoder. Defaults to
            `6`.
        routing: `"dynamic"` or `"em"`. How heads are routed where the three
            next arguments say so. Defaults to `"dynamic"`.
        encoder_capsules, decoder_capsules, cross_capsules: sequences of int.
            The layers, counted from 1, with routing in the encoder's
            self-attention, the decoder's, and its attention to the source.
            Default to none.
        capsules: dict. More arguments of `CapsuleMultiHeadAttention`. Defaults
            to none.
        dropout: float. Rate on the embeddings and on the output of each part.
            Defaults to `0.1`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        label_smoothing: float. Defaults to `0.1`.
        max_tokens: int. Longest source and target, their ends included.
            Defaults to `128`.
        **kwargs: passed to `keras.Model`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, the source with
            its end, and `target_ids`, int32 `(batch, target_time)`, the start
            and the target without its end; both 0 at padding, right-padded, no
            row all padding.
        training: bool.

    Returns:
        dict: `target`, float32 logits `(batch, target_time, vocabulary)`.

    Attributes:
        pieces: `SentencePieces`, or `None`: what makes token ids of text. They
            are saved with the model.

    Example:

    >>> import numpy as np
    >>> model = CapsuleTransformer(50, dim=16, num_heads=4, inner_dim=32,
    ...                            num_layers=2, cross_capsules=[2])
    >>> inputs = {"token_ids": np.array([[7, 9, 3], [8, 3, 0]]),
    ...           "target_ids": np.array([[2, 7], [2, 6]])}
    >>> model(inputs)["target"].shape
    TensorShape([2, 2, 50])
    >>> tokens, scores = model.translate(inputs["token_ids"], beam_size=4)
    >>> tokens.shape, scores.shape
    (TensorShape([2, 16]), TensorShape([2]))

    Reference:
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188)
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)
    """

    def __init__(
        self,
        vocabulary_size,
        dim=512,
        num_heads=8,
        inner_dim=2048,
        num_layers=6,
        routing="dynamic",
        encoder_capsules=(),
        decoder_capsules=(),
        cross_capsules=(),
        capsules=None,
        dropout=0.1,
        attention_dropout=0.0,
        label_smoothing=0.1,
        max_tokens=128,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self._own_config = {
            "vocabulary_size": vocabulary_size,
            "dim": dim,
            "num_heads": num_heads,
            "inner_dim": inner_dim,
            "num_layers": num_layers,
            "routing": routing,
            "encoder_capsules": list(encoder_capsules),
            "decoder_capsules": list(decoder_capsules),
            "cross_capsules": list(cross_capsules),
            "capsules": dict(capsules or {}),
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "label_smoothing": label_smoothing,
            "max_tokens": max_tokens,
        }
        numbers = range(1, num_layers + 1)
        for place in ("encoder_capsules", "decoder_capsules", "cross_capsules"):
            if not set(self._own_config[place]) <= set(numbers):
                raise ValueError(
                    f"`{place}` must be layers from 1 to {num_layers}. "
                    f"Received: {self._own_config[place]}"
                )
        self.dim = dim
        self.max_tokens = max_tokens
        self.label_smoothing = label_smoothing
        self.pieces = None

        # === Layers ===
        shared = {
            "num_heads": num_heads,
            "inner_dim": inner_dim,
            "capsules": capsules,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "dtype": self.dtype_policy,
        }
        self.embedding = keras.layers.Embedding(
            vocabulary_size,
            dim,
            embeddings_initializer=keras.initializers.RandomNormal(stddev=dim**-0.5),
            dtype=self.dtype_policy,
        )
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        self.encoder = [
            TransformerEncoderLayer(
                dim,
                routing=routing if number in encoder_capsules else None,
                name=f"encoder_{number}",
                **shared,
            )
            for number in numbers
        ]
        self.decoder = [
            TransformerDecoderLayer(
                dim,
                self_routing=routing if number in decoder_capsules else None,
                cross_routing=routing if number in cross_capsules else None,
                name=f"decoder_{number}",
                **shared,
            )
            for number in numbers
        ]

        # === Model ===
        ids = keras.KerasTensor((None, None), dtype="int32")
        self({"token_ids": ids, "target_ids": ids})
        self.compile(
            optimizer=keras.optimizers.Adam(beta_2=0.98),
            loss=self.default_loss(),
            jit_compile=False,
        )

    def build(self, input_shape=None):
        pass  # everything is built on construction

    def default_loss(self):
        """The loss to compile with: of each sentence the sum over its tokens."""
        return {"target": SlotCrossentropy(self.label_smoothing, name="target")}

    def call(self, inputs, training=None):
        source, mask = self.encode(inputs["token_ids"], training)
        targets = inputs["target_ids"]
        places = ops.arange(ops.shape(targets)[1])
        hidden = self._embed(targets, places, training)
        for layer in self.decoder:
            hidden = layer(hidden, source, source_mask=mask, training=training)
        return {"target": self._logits(hidden)}

    def encode(self, token_ids, training=None):
        """Gives what the decoder looks at.

        Args:
            token_ids: int32 `(batch, time)`, as for `call`.
            training: bool.

        Returns:
            float tensor `(batch, time, dim)`, and its bool mask `(batch, time)`.
        """
        mask = ops.not_equal(token_ids, 0)
        places = ops.arange(ops.shape(token_ids)[1])
        hidden = self._embed(token_ids, places, training)
        for layer in self.encoder:
            hidden = layer(hidden, padding_mask=mask, training=training)
        return hidden, mask

    def _embed(self, token_ids, places, training=None):
        """`(batch, time, dim)` of ids `(batch, time)` and places `(time,)`."""
        positions = ops.cast(position_encoding(places, self.dim), self.compute_dtype)
        embedded = self.embedding(token_ids) * self.dim**0.5 + positions
        return self.drop(embedded, training=training)

    def _logits(self, hidden):
        table = ops.cast(self.embedding.embeddings, self.compute_dtype)
        logits = tokenwise(lambda rows: ops.matmul(rows, ops.transpose(table)), hidden)
        return ops.cast(logits, "float32")

    def translate(self, token_ids, beam_size=1, length_penalty=0.6):
        """Translates by greedy or beam search, see `beam_search`.

        Args:
            token_ids: int32 `(batch, time)`, as for `call`.
            beam_size: int. 1 is greedy search. Defaults to `1`.
            length_penalty: float. Defaults to `0.6`.

        Returns:
            tokens, int32 `(batch, length)`, 0 after the end, which is cut where
            twice the source's length and ten more, or `max_tokens`, are full;
            and the scores, float32 `(batch,)`.
        """
        batch, time = ops.shape(token_ids)
        length = ops.minimum(2 * time + MORE_TOKENS, self.max_tokens)
        source, mask = self.encode(token_ids)
        if beam_size > 1:
            source, mask = (ops.repeat(x, beam_size, axis=0) for x in (source, mask))
        sources = [layer.source_cache(source) for layer in self.decoder]

        def step(last, place, cache):
            hidden = self._embed(last[:, None], ops.reshape(place, (1,)))
            new = []
            for layer, own, of_source in zip(self.decoder, cache, sources, strict=True):
                hidden, own = layer.step(hidden, place, own, of_source, mask)
                new.append(own)
            return self._log_probabilities(hidden), new

        rows = batch * beam_size
        cache = [layer.empty_cache(rows, length) for layer in self.decoder]
        return beam_search(
            step, cache, batch, length, START, END, beam_size, length_penalty
        )

    def _log_probabilities(self, hidden):
        """Of the next token, `(batch, vocabulary)`; never padding or a start."""
        never = np.zeros(self.embedding.input_dim, "float32")
        never[[0, START]] = -1e9
        return ops.log_softmax(self._logits(hidden)[:, 0] + never, axis=-1)

    def save_assets(self, folder):
        if self.pieces is not None:
            self.pieces.save(Path(folder) / "sentencepiece.model")

    def load_assets(self, folder):
        path = Path(folder) / "sentencepiece.model"
        if path.exists():
            self.pieces = SentencePieces.load(path)

    def get_config(self):
        return {
            "name": self.name,
            "dtype": keras.saving.serialize_keras_object(self.dtype_policy),
            **self._own_config,
        }

    @classmethod
    def from_config(cls, config):
        dtype = keras.saving.deserialize_keras_object(config["dtype"])
        return cls(**{**config, "dtype": dtype})
