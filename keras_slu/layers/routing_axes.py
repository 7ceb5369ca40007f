"""How routing lays out its tensors: what it sums over first, positions last.

Sums over the first axes add long rows of numbers. With the capsules' axes last,
where callers want them, forward and backward take half as long again.
"""

from keras import ops


def to_front(values, count):
    """Moves the last `count` axes to the front."""
    axes = range(len(values.shape))
    return ops.transpose(values, (*axes[-count:], *axes[:-count]))


def to_back(values, count):
    """Moves the first `count` axes to the back."""
    axes = range(len(values.shape))
    return ops.transpose(values, (*axes[count:], *axes[:count]))


def softmax_over_outputs(scores):
    """Softmax over the second axis of `(inputs, outputs, ...)`."""
    powers = ops.exp(scores - ops.max(scores, axis=1, keepdims=True))
    return powers / ops.sum(powers, axis=1, keepdims=True)
