"""What stands on the encoder of a SkillNet, a head for each kind of task.

A head is called with what the encoder made, and gives a dict of outputs;
`losses` makes `(batch,)` of them, and `decode` answers.
"""

import keras
from keras import ops

from keras_slu.layers.crf import CRF
from keras_slu.layers.masks import lengths
from keras_slu.layers.skill_transformer_layer import EPSILON
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.losses import IntentCrossentropy
from keras_slu.losses import IntentSetCrossentropy
from keras_slu.losses import SlotCrossentropy

NOWHERE = -1e9  # the logit of a place where no answer can start or end
# With them a fresh pair of texts, whose vectors are much alike, counts as
# unsure: the start of Zhai et al. (2023).
SCALE, BIAS = 10.0, -10.0


def make_head(task, dim, vocabulary_size, dropout, **kwargs):
    """Makes the head of a task, built.

    Args:
        task: `SkillTask`.
        dim: int. Width of the encoder.
        vocabulary_size: int.
        dropout: float. Rate on what the head sees.
        **kwargs: passed to `keras.layers.Layer`.
    """
    if task.kind == "tagging":
        head = TagHead(task.labels, dropout, **kwargs)
    elif task.kind == "span":
        head = SpanHead(dropout, **kwargs)
    elif task.kind == "ranking":
        head = RankingHead(**kwargs)
    elif task.kind == "masked_pieces":
        head = PieceHead(dim, vocabulary_size, **kwargs)
    else:
        head = ClassHead(len(task.labels), dropout, **kwargs)
    head.build((None, None, dim))
    return head


def take_heads(model, other):
    """Gives a `SkillNet` the pooler of another and the heads of tasks like its own.

    Tasks are alike in name, kind and labels, whatever their skills.
    """
    if model.pooler is not None and other.pooler is not None:
        model.pooler.set_weights(other.pooler.get_weights())
    theirs = {
        (task.name, task.kind, task.labels): head
        for task, head in zip(other.tasks, other.heads, strict=True)
    }
    for task, head in zip(model.tasks, model.heads, strict=True):
        source = theirs.get((task.name, task.kind, task.labels))
        if source is not None:
            head.set_weights(source.get_weights())


class ClassHead(keras.layers.Layer):
    """Logits of one vector, `scores` `(batch, labels)`."""

    def __init__(self, num_labels, dropout, **kwargs):
        super().__init__(**kwargs)
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        self.logits = keras.layers.Dense(num_labels, dtype=self.dtype_policy)

    def build(self, input_shape):
        self.logits.build((None, input_shape[-1]))

    def call(self, pooled, inputs, training=None):
        logits = self.logits(self.drop(pooled, training=training))
        return {"scores": ops.cast(logits, "float32")}

    def losses(self, inputs, targets, outputs):
        return IntentCrossentropy().call(targets[:, 0], outputs["scores"])

    def decode(self, outputs, inputs):
        probabilities = softmax(outputs["scores"])
        label = ops.top_k(probabilities, 1)[1][:, 0]
        return {"probabilities": probabilities, "label": ops.cast(label, "int32")}


class TagHead(keras.layers.Layer):
    """A CRF over the features of each word's first piece."""

    def __init__(self, tags, dropout, **kwargs):
        super().__init__(**kwargs)
        settings = {"dtype": self.dtype_policy}
        self.drop = keras.layers.Dropout(dropout, **settings)
        self.logits = keras.layers.Dense(len(tags), **settings)
        self.crf = CRF(len(tags), tags=list(tags), **settings)

    def build(self, input_shape):
        self.logits.build((None, input_shape[-1]))
        self.crf.build((None, None, self.crf.num_tags))

    def call(self, hidden, inputs, training=None):
        words = _at_words(hidden, inputs)
        potentials = tokenwise(self.logits, self.drop(words, training=training))
        potentials = self.crf(potentials, padding_mask=inputs["words"] > 0)
        return {"tags": ops.cast(potentials, "float32")}

    def losses(self, inputs, targets, outputs):
        mask = inputs["words"] > 0
        losses = self.crf.negative_log_likelihood(outputs["tags"], targets, mask)
        # By word: long texts would outweigh all other tasks.
        return losses / ops.cast(lengths(mask), losses.dtype)

    def decode(self, outputs, inputs):
        tags, confidence = self.crf.decode_with_confidence(
            outputs["tags"], inputs["words"] > 0
        )
        return {"tags": tags, "confidence": confidence}


class SpanHead(keras.layers.Layer):
    """A start and an end vector, and their products with each place.

    Where the answer cannot be, the logits are `NOWHERE`: in the question, at
    padding and at the last piece, `[SEP]`. Place 0 stands for no answer.
    """

    def __init__(self, dropout, **kwargs):
        super().__init__(**kwargs)
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        self.vectors = keras.layers.Dense(2, use_bias=False, dtype=self.dtype_policy)

    def build(self, input_shape):
        self.vectors.build((None, input_shape[-1]))

    def call(self, hidden, inputs, training=None):
        scores = tokenwise(self.vectors, self.drop(hidden, training=training))
        allowed, place = _places(inputs)
        allowed = ops.logical_or(allowed, place == 0)[..., None]
        scores = ops.where(allowed, ops.cast(scores, "float32"), NOWHERE)
        return {"start": scores[..., 0], "end": scores[..., 1]}

    def losses(self, inputs, targets, outputs):
        loss = IntentCrossentropy()
        start = loss.call(targets[:, 0], outputs["start"])
        return 0.5 * (start + loss.call(targets[:, 1], outputs["end"]))

    def decode(self, outputs, inputs, max_answer=30):
        start, end = softmax(outputs["start"]), softmax(outputs["end"])
        allowed, place = _places(inputs)
        start_in, end_in = (ops.where(allowed, side, 0.0) for side in (start, end))
        length = place[:, None, :] - place[:, :, None]  # less 1
        fits = ops.logical_and(length >= 0, length < max_answer)
        pairs = ops.where(fits, start_in[:, :, None] * end_in[:, None, :], 0.0)
        time = ops.shape(start)[1]
        pairs = ops.reshape(pairs, (-1, time * time))
        best, pair = ops.top_k(pairs, 1)
        pair = ops.cast(pair[:, 0], "int32")
        return {
            "start": pair // time,
            "end": pair % time,
            "probability": best[:, 0],
            "no_answer": start[:, 0] * end[:, 0],
        }


class RankingHead(keras.layers.Layer):
    """How near two texts are: their cosine, with a learned scale and bias."""

    def build(self, input_shape=None):
        self.scale, self.bias = (
            self.add_weight(
                shape=(), initializer=keras.initializers.Constant(value), name=name
            )
            for name, value in (("scale", SCALE), ("bias", BIAS))
        )

    def call(self, vectors, inputs, training=None):
        first, second = (_unit(ops.cast(vector, "float32")) for vector in vectors)
        cosine = ops.sum(first * second, axis=-1)
        scale, bias = (ops.cast(w, "float32") for w in (self.scale, self.bias))
        return {"scores": scale * cosine + bias}

    def losses(self, inputs, targets, outputs):
        return IntentSetCrossentropy().call(targets, outputs["scores"][:, None])

    def decode(self, outputs, inputs):
        return {"scores": outputs["scores"]}


class PieceHead(keras.layers.Layer):
    """BERT's head of masked pieces: a dense layer, a norm, the embedding.

    It looks at the pieces that are asked for alone: the product with the
    embedding of a large vocabulary is most of what it costs.
    """

    def __init__(self, dim, vocabulary_size, **kwargs):
        super().__init__(**kwargs)
        settings = {"dtype": self.dtype_policy}
        self.vocabulary_size = vocabulary_size
        self.transform = keras.layers.Dense(dim, activation=ops.gelu, **settings)
        self.norm = keras.layers.LayerNormalization(epsilon=EPSILON, **settings)

    def build(self, input_shape):
        self.transform.build((None, input_shape[-1]))
        self.norm.build((None, input_shape[-1]))
        self.bias = self.add_weight(
            shape=(self.vocabulary_size,), initializer="zeros", name="bias"
        )

    def call(self, features, inputs, training=None):
        hidden, table = features
        hidden = _at_words(hidden, inputs)
        hidden = self.norm(tokenwise(self.transform, hidden))
        table = ops.transpose(ops.cast(table, self.compute_dtype))
        logits = tokenwise(lambda rows: ops.matmul(rows, table), hidden) + self.bias
        return {"pieces": ops.cast(logits, "float32")}

    def losses(self, inputs, targets, outputs):
        total = SlotCrossentropy().call(targets, outputs["pieces"])
        told = ops.sum(ops.cast(targets >= 0, total.dtype), axis=1)
        return total / ops.maximum(told, 1.0)

    def decode(self, outputs, inputs):
        probabilities = softmax(outputs["pieces"])
        best, piece = ops.top_k(probabilities, 1)
        return {
            "pieces": ops.cast(piece[..., 0], "int32"),
            "probability": best[..., 0],
        }


def _at_words(hidden, inputs):
    """The features at the places `words`, `(batch, words, dim)`."""
    return ops.take_along_axis(hidden, inputs["words"][..., None], axis=1)


def _unit(vector):
    return vector * ops.rsqrt(ops.sum(ops.square(vector), -1, keepdims=True) + 1e-12)


def _places(inputs):
    """Where an answer may be, bool `(batch, time)`, and the number of each place."""
    pieces, segments = inputs["pieces"], inputs["segments"]
    real = ops.not_equal(pieces, 0)
    place = ops.cumsum(ops.ones_like(pieces), axis=1) - 1
    before_last = place < lengths(real)[:, None] - 1
    return ops.logical_and(ops.equal(segments, 1), before_last), place
