"""A dialogue model as a TensorFlow graph for one turn on a device."""

import tensorflow as tf

from keras_slu.export.litert_graph import DeviceGraph
from keras_slu.models.dialogue_state import fingerprint
from keras_slu.models.dialogue_state import take_turn
from keras_slu.parsing.states import state_shapes


class DeviceTurnGraph(DeviceGraph):
    """`DeviceGraph` whose functions take and give the state of a dialogue.

    Behind the text comes the state that the turn before gave, int32, of the
    shapes of `state_shapes` with a batch of 1; zeros before the first turn. The
    dict has the next state too, by the same names, and `state_ok` int32
    `(1,)`: 0 where the state was of another model, and the dialogue began anew.

    Args:
        model, max_tokens, max_chars: as for `DeviceGraph`.
    """

    def __init__(self, model, max_tokens, max_chars):
        super().__init__(model, max_tokens, max_chars)
        self._own = fingerprint(model)

    def _state_specs(self):
        shapes = state_shapes(self._model.max_history).items()
        return [tf.TensorSpec((1, *shape), tf.int32, name=n) for n, shape in shapes]

    def _decode(self, token_ids, state):
        names = state_shapes(self._model.max_history)
        answers, state, state_ok = take_turn(
            self._model,
            dict(zip(names, state, strict=True)),
            token_ids,
            self._own,
        )
        return answers, {**state, "state_ok": tf.cast(state_ok, tf.int32)}
