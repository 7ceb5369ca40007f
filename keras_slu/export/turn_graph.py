"""A dialogue model as one TensorFlow graph: the state goes in and comes out."""

import tensorflow as tf

from keras_slu.export.parser_graph import ParserGraph
from keras_slu.models.dialogue_state import fingerprint
from keras_slu.models.dialogue_state import hear
from keras_slu.models.dialogue_state import take_turn
from keras_slu.parsing.states import state_shapes

TOLERANCE = 1e-3


class TurnGraph(ParserGraph):
    """`ParserGraph` with the signature `turn`, and perhaps `hear`.

    `turn` takes `text` and the state that the turn before gave, of the shapes
    of `state_shapes`, zeros before the first turn. It gives what
    `serving_default` gives, the next state, and `state_ok` bool `(batch,)`:
    false where the state was of another model, whose dialogue then began anew.

    `hear`, of a model with `system_turns`, takes what the system says in
    `text`, and the state, and gives the next state and `state_ok`.

    Args:
        model: `JointModel` that takes a history, with `tokenizer` and
            `vocabulary`.
    """

    def __init__(self, model):
        super().__init__(model)
        self._own = fingerprint(model)
        text = tf.TensorSpec((None,), tf.string, name="text")
        shapes = state_shapes(model.max_history).items()
        states = [tf.TensorSpec((None, *s), tf.int32, name=name) for name, s in shapes]
        self.turn = tf.function(self._turn, input_signature=[text, *states])
        self.hear = tf.function(self._hear, input_signature=[text, *states])

    def signatures(self):
        found = {**super().signatures(), "turn": self.turn}
        return {**found, "hear": self.hear} if self._model.system_turns else found

    def _turn(self, text, *state):
        rows = self._tokenizer.rows(text, self._model.max_tokens)
        answers, state, state_ok = take_turn(
            self._model, self._named(state), rows.pop("token_ids"), self._own
        )
        shown = self._shown(answers, rows["starts"] >= 0)
        return {**shown, **rows, **state, "state_ok": state_ok}

    def _hear(self, text, *state):
        rows = self._tokenizer.rows(text, self._model.max_tokens)
        state, state_ok = hear(
            self._model, self._named(state), rows["token_ids"], self._own
        )
        return {**state, "state_ok": state_ok}

    def _named(self, state):
        return dict(zip(state_shapes(self._model.max_history), state, strict=True))


def check_turns(parser, exported, texts):
    """Refuses an export that answers a dialogue otherwise than the run.

    Args:
        parser, exported: `TurnByTurn`s.
        texts: list of str, the turns of one dialogue.

    Raises:
        RuntimeError: at the first turn whose probabilities differ.
    """
    state = None
    for text in texts:
        found, _ = exported.turn(state, text)
        frame, state = parser.turn(state, text)
        if found.truncated:  # a device reads less
            continue
        expected = {intent.name: intent.probability for intent in frame.intents}
        if any(
            abs(intent.probability - expected[intent.name]) > TOLERANCE
            for intent in found.intents
        ):
            raise RuntimeError(
                f"The export answers the turn {text!r} with {found} where the run "
                f"answers {frame}"
            )
