"""Linear-chain conditional random field (Lafferty et al. 2001)."""

import keras
import numpy as np
from keras import ops

from keras_slu.layers.bio import bio_constraints
from keras_slu.layers.bio import bio_continues
from keras_slu.layers.log_matrix import IMPOSSIBLE
from keras_slu.layers.log_matrix import LogMatrix
from keras_slu.layers.masks import check_prefix_mask
from keras_slu.layers.recursion import at_the_end
from keras_slu.layers.recursion import recurse
from keras_slu.layers.softmax import softmax
from keras_slu.layers.span_confidence import span_confidence


@keras.saving.register_keras_serializable(package="keras_slu")
class CRF(keras.layers.Layer):
    """Linear-chain conditional random field over tag potentials.

    The probability of a tag sequence `y` of an utterance of `n` tokens is
    proportional to `exp(start[y_1] + sum_t potentials[t, y_t] +
    sum_t transitions[y_t, y_t+1] + end[y_n])`. Calling the layer hands the
    potentials on unchanged; the probabilities are asked for by method, so
    that potentials and decoded tags cannot be mistaken for each other.

    All arithmetic is in float32 under any dtype policy, or in float64 when
    the policy is float64.

    Args:
        num_tags: int. Number of tags, `K`.
        tags: list of `num_tags` str, or `None`. BIO names of the tags. Given,
            sequences that BIO forbids have probability zero, and spans have a
            confidence. Defaults to `None`.
        **kwargs: passed to `keras.layers.Layer`.

    Attributes:
        hides_constants: bool. Whether a traced graph computes its matrices of
            transitions. A converter that quantises constants would round all
            that is far less than the largest number in them, which is that of
            what may not be.

    Call arguments:
        potentials: float tensor `(batch, time, num_tags)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real. Each row must be a prefix: some real
            tokens, then padding. Every method takes it.

    Returns:
        The potentials, float32 (or float64).

    Raises:
        ValueError: for a mask that is no prefix or has an empty row, when it
            is concrete. In a traced graph such a row's loss is NaN.

    Example:

    >>> import numpy as np
    >>> crf = CRF(3, tags=["O", "B-city", "I-city"])
    >>> potentials = crf(np.array([[[0.0, 3.0, 5.0], [0.0, 1.0, 2.0]]]))
    >>> crf.decode(potentials).numpy()
    array([[1, 2]], dtype=int32)

    Reference:
        - [Lafferty et al., 2001](https://dl.acm.org/doi/10.5555/645530.655813)
        - [Lample et al., 2016](https://arxiv.org/abs/1603.01360), section 2.2
    """

    def __init__(self, num_tags, tags=None, **kwargs):
        # Potentials of low precision are cast here, never the other way round.
        super().__init__(autocast=False, **kwargs)
        if tags is not None and len(tags) != num_tags:
            raise ValueError(
                "`tags` must name each tag. "
                f"Received: num_tags={num_tags} and {len(tags)} names"
            )
        self.supports_masking = True  # the potentials keep their mask
        self.hides_constants = False
        self.num_tags = num_tags
        self.tags = None if tags is None else list(tags)
        self.float_dtype = "float64" if self.compute_dtype == "float64" else "float32"
        allowed = np.ones((num_tags, num_tags), bool)
        starts = np.ones(num_tags, bool)
        continues = np.zeros((num_tags, num_tags), bool)
        if tags is not None:
            allowed, starts = bio_constraints(self.tags)
            continues = bio_continues(self.tags)
        self._forbidden = np.where(_with_start(allowed, starts), 0.0, IMPOSSIBLE)
        self._continues = continues

    def build(self, input_shape):
        if input_shape[-1] != self.num_tags:
            raise ValueError(
                f"The last axis must hold num_tags={self.num_tags} potentials. "
                f"Received: input_shape={input_shape}"
            )

        def weight(name, shape):
            return self.add_weight(
                name=name,
                shape=shape,
                initializer="zeros",
                dtype=self.float_dtype,
                autocast=False,
            )

        self.transitions = weight("transitions", (self.num_tags, self.num_tags))
        self.start = weight("start", (self.num_tags,))
        self.end = weight("end", (self.num_tags,))

    def call(self, potentials, padding_mask=None):
        check_prefix_mask(padding_mask)
        return ops.cast(potentials, self.float_dtype)

    def compute_output_spec(self, potentials, padding_mask=None):
        return keras.KerasTensor(potentials.shape, dtype=self.float_dtype)

    def log_partition(self, potentials, padding_mask=None):
        """Gives `log sum_y exp score(y)` of each utterance, `(batch,)`."""
        potentials, mask = self._prepare(potentials, padding_mask)
        return self._log_partition(potentials, mask)

    def negative_log_likelihood(self, potentials, tags, padding_mask=None):
        """Gives minus the log-probability of the gold tags, `(batch,)`.

        Args:
            potentials: float tensor `(batch, time, num_tags)`.
            tags: int tensor `(batch, time)`. A -1 at a real token stands for
                any tag: its tags are summed over, so the value is never
                below zero. At padding `tags` is not read.
            padding_mask: see the class.
        """
        valid = check_prefix_mask(padding_mask)
        potentials, mask = self._prepare(potentials, padding_mask)
        # Both sums in one recursion: its cost is in its steps, not its rows.
        pinned = self._pinned(potentials, ops.cast(tags, "int32"))
        log_sums = self._log_partition(
            ops.concatenate([potentials, pinned], axis=0),
            ops.concatenate([mask, mask], axis=0),
        )
        everything, gold = ops.split(log_sums, 2)
        loss = everything - gold
        return loss if valid is None else ops.where(valid, loss, np.nan)

    def decode(self, potentials, padding_mask=None):
        """Gives the most probable tags, `(batch, time)` int32, -1 at padding."""
        potentials, mask = self._prepare(potentials, padding_mask)
        (best,) = self._run_forward(potentials, mask, [self._best_step(potentials)])
        (tags,) = recurse(
            [self._trace_step(potentials)],
            best[:, :-1],
            mask,
            [self._last_tag(best, mask)],
            reverse=True,
        )
        return _tags(tags, mask)

    def decode_with_confidence(self, potentials, padding_mask=None):
        """Gives `decode`'s tags and their `span_confidence` in half the loops.

        Returns:
            `(tags, confidence)`.
        """
        potentials, mask = self._prepare(potentials, padding_mask)
        best, reached = self._run_forward(
            potentials,
            mask,
            [self._best_step(potentials), self._reach_step(potentials)],
        )
        trace, back = self._trace_step(potentials), self._back_step(potentials)
        size = self.num_tags + 1
        tags, after = recurse(
            [
                lambda inputs, tag: trace(inputs[:, :size], tag),
                lambda inputs, after: back(inputs[:, size:], after),
            ],
            ops.concatenate([best[:, :-1], potentials], axis=-1),
            mask,
            [self._last_tag(best, mask), self._at_end(potentials)],
            reverse=True,
        )
        tags = _tags(tags, mask)
        confidence = self._span_confidence(potentials, tags, reached, after, mask)
        return tags, confidence

    def marginals(self, potentials, padding_mask=None):
        """Gives `P(y_t = k)`, `(batch, time, num_tags)`; zeros at padding."""
        potentials, mask = self._prepare(potentials, padding_mask)
        return _joint(*self._messages(potentials, mask), mask)

    def span_confidence(self, potentials, tags, padding_mask=None):
        """Gives each token the probability of exactly its span.

        For a span of `tags` this is the probability that the tags from its
        first to its last token are these and that the next token does not
        carry it on, whatever the rest of the utterance is. A token that
        belongs to no span gets the probability of its own tag. Without tag
        names each token is a span of its own.

        Args:
            potentials: float tensor `(batch, time, num_tags)`.
            tags: int tensor `(batch, time)`, as `decode` gives them.
            padding_mask: see the class.

        Returns:
            float tensor `(batch, time)`; 0 at padding.
        """
        potentials, mask = self._prepare(potentials, padding_mask)
        reached, after = self._messages(potentials, mask)
        return self._span_confidence(potentials, tags, reached, after, mask)

    def _span_confidence(self, potentials, tags, reached, after, mask):
        tags = ops.maximum(ops.cast(tags, "int32"), 0)
        chosen = ops.one_hot(tags, self.num_tags, dtype=self.float_dtype)
        onward = ops.take(self._log_transitions(potentials), tags[:, :-1], axis=0)
        onward = onward[..., : self.num_tags] + (potentials + after[:, 1:])[:, 1:]
        continues = ops.take(
            ops.cast(self._continues, self.float_dtype), tags[:, :-1], axis=0
        )
        marginals = _joint(reached, after, mask)
        return span_confidence(chosen, marginals, softmax(onward), continues, mask)

    def get_config(self):
        config = super().get_config()
        config.update({"num_tags": self.num_tags, "tags": self.tags})
        return config

    def _prepare(self, potentials, padding_mask):
        potentials = ops.cast(potentials, self.float_dtype)
        if padding_mask is None:
            return potentials, ops.ones(ops.shape(potentials)[:2], "bool")
        check_prefix_mask(padding_mask)
        return potentials, ops.cast(padding_mask, "bool")

    # The recursions start from a virtual tag, number K: only it is possible
    # before the first token, and nothing leads to it. So the first step is a
    # step like all others, and one token is no special case.

    def _log_transitions(self, potentials):
        """Transitions and start scores as one matrix, `(K+1, K+1)`."""
        scores = ops.concatenate([self.transitions, self.start[None]], axis=0)
        scores = ops.pad(scores, [[0, 0], [0, 1]])
        scores = scores + ops.cast(self._forbidden, self.float_dtype)
        if self.hides_constants:  # behind a zero that a converter cannot know
            scores = scores + ops.minimum(ops.abs(potentials[0, 0, 0]), 0.0)
        return scores

    def _at_start(self, potentials):
        """The log state before the first token, `(batch, K+1)`."""
        zeros = ops.zeros_like(potentials[:, 0])
        return ops.concatenate([zeros + IMPOSSIBLE, zeros[:, :1]], axis=-1)

    def _at_end(self, potentials):
        """The log state after the last token, `(batch, K)`."""
        return self.end + ops.zeros_like(potentials[:, 0])

    def _run_forward(self, potentials, mask, steps):
        """Runs steps over tags and virtual start; see `recurse`."""
        states = [self._at_start(potentials)] * len(steps)
        return recurse(steps, _with_start_column(potentials), mask, states)

    def _log_partition(self, potentials, mask):
        matrix = LogMatrix(self._log_transitions(potentials))

        def step(potential, reached):
            return matrix.log_product(reached) + potential

        (reached,) = self._run_forward(potentials, mask, [step])
        reached = at_the_end(reached, mask)[:, : self.num_tags]
        return ops.logsumexp(reached + self.end, axis=-1)

    def _messages(self, potentials, mask):
        """What `_joint` takes: both sides' log sums, each up to a constant."""
        (reached,) = self._run_forward(potentials, mask, [self._reach_step(potentials)])
        (after,) = recurse(
            [self._back_step(potentials)],
            potentials,
            mask,
            [self._at_end(potentials)],
            reverse=True,
        )
        return reached, after

    def _reach_step(self, potentials):
        """From the log sum of what leads to each tag to that of the next."""
        matrix = LogMatrix(self._log_transitions(potentials))

        def step(potential, reached):
            return matrix.shifted_log_product(reached) + potential

        return step

    def _back_step(self, potentials):
        """From the log sum of what follows each tag to that of the one before."""
        transitions = self._log_transitions(potentials)
        transitions = transitions[: self.num_tags, : self.num_tags]
        matrix = LogMatrix(ops.transpose(transitions))

        def step(potential, after):
            return matrix.shifted_log_product(after + potential)

        return step

    def _best_step(self, potentials):
        """From the score of the best way to each tag to that of the next."""
        # Row `j` holds what leads to tag `j`, `(K+1, K+1)`.
        into = ops.transpose(self._log_transitions(potentials))

        def step(potential, best):
            return ops.max(ops.expand_dims(best, 1) + into, axis=-1) + potential

        return step

    def _last_tag(self, best, mask):
        """The tag that the best way ends with, `(batch, 1)`."""
        best = at_the_end(best, mask)[:, : self.num_tags]
        # Tags travel as floats, as all that an RNN carries.
        return ops.cast(ops.top_k(best + self.end, 1)[1], self.float_dtype)

    def _trace_step(self, potentials):
        """From a tag to the one that the best way to it comes from.

        Asked on the way back, it is asked for one tag of each step only.
        """
        into = ops.transpose(self._log_transitions(potentials))

        def step(best, tag):
            scores = best + ops.take(into, ops.cast(tag[:, 0], "int32"), axis=0)
            return ops.cast(ops.top_k(scores, 1)[1], self.float_dtype)

        return step

    def _pinned(self, potentials, tags):
        """Potentials that leave only the gold tag possible where it is known."""
        gold = ops.one_hot(tags, self.num_tags, dtype="bool")  # none for -1
        keep = ops.logical_or(gold, tags[..., None] < 0)
        return ops.where(keep, potentials, IMPOSSIBLE)


def _with_start(allowed, starts):
    """Adds the virtual start tag to a matrix of allowed transitions."""
    rows = np.concatenate([allowed, starts[None]])
    return np.pad(rows, [(0, 0), (0, 1)])


def _with_start_column(potentials):
    """Adds the virtual start tag, which no token can have."""
    return ops.pad(potentials, [[0, 0], [0, 0], [0, 1]], constant_values=IMPOSSIBLE)


def _joint(reached, after, mask):
    """Marginals of messages from both sides, `(batch, time, K)`.

    Args:
        reached: float tensor `(batch, time + 1, K + 1)`.
        after: float tensor `(batch, time + 1, K)`.
        mask: bool tensor `(batch, time)`.
    """
    tags = after.shape[-1]
    joint = softmax(reached[:, 1:, :tags] + after[:, 1:])
    return ops.where(ops.expand_dims(mask, -1), joint, 0.0)


def _tags(sequence, mask):
    """Tags that `recurse` traced back, as ints, -1 at padding."""
    return ops.where(mask, ops.cast(sequence[:, 1:, 0], "int32"), -1)
