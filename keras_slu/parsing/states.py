"""The states of dialogues as clients hold them: one dict of arrays each."""

import numpy as np

from keras_slu.data.history import HISTORY
from keras_slu.errors import InputError


def state_shapes(max_history):
    """The shape of each array of a state, a dict."""
    return {**dict.fromkeys(HISTORY, (max_history,)), "fingerprint": (2,)}


def stack_states(states, max_history):
    """Makes a batch of states.

    Args:
        states: list of dicts, or of `None`, which is the empty state.
        max_history: int.

    Returns:
        dict of int32 arrays, the batch first.

    Raises:
        InputError: for a state that is not of this shape.
    """
    shapes = state_shapes(max_history)
    batch = {name: np.zeros((len(states), *s), np.int32) for name, s in shapes.items()}
    for row, state in enumerate(states):
        if state is None:
            continue
        for name, shape in shapes.items():
            value = np.asarray(state.get(name))
            if value.shape != shape or value.dtype.kind not in "iu":
                raise foreign()
            batch[name][row] = value
    return batch


def split_states(batch):
    """A batch of states, of tensors, as a list of dicts of arrays."""
    arrays = {name: np.asarray(batch[name]) for name in (*HISTORY, "fingerprint")}
    rows = range(len(arrays["fingerprint"]))
    return [{name: values[row] for name, values in arrays.items()} for row in rows]


def foreign():
    """The error for a state that is another model's."""
    return InputError(
        "the state of a dialogue is of another model, or of another version of it",
        "Begin the dialogue anew, with no state.",
    )
