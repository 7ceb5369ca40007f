"""Parses dialogues with an exported `.tflite` file. It needs no TensorFlow."""

from keras_slu.export.litert_parser import LiteRTParser
from keras_slu.parsing.states import foreign
from keras_slu.parsing.states import split_states
from keras_slu.parsing.states import stack_states
from keras_slu.parsing.turns import TurnByTurn


class LiteRTDialogueParser(TurnByTurn, LiteRTParser):
    """Parses dialogues with an exported LiteRT model that takes a state.

    `parse` takes each text for the first turn of a dialogue. Arguments, errors
    and attributes are those of `LiteRTModel`.

    Example:

    >>> session = keras_slu.load("tflite/home.tflite").dialogue()  # doctest: +SKIP
    >>> session.parse("turn off the kitchen lights").active_intents
    ... # doctest: +SKIP
    ('turn_off',)
    """

    def turns(self, states, texts):
        found = [self._take(*one) for one in zip(states, texts, strict=True)]
        return [frame for frame, _ in found], [state for _, state in found]

    def hear(self, states, texts):
        return states  # no export of a model that listens

    def _parse(self, text):
        return self.turn(None, text)[0]

    def _take(self, state, text):
        batch = stack_states([state], self.contract["max_history"])
        inputs, offsets = self.encode(text)
        answer = {**self.run(inputs, batch), **offsets}
        if not answer["state_ok"]:
            raise foreign()
        after = split_states({name: answer.pop(name)[None] for name in batch})
        return self._frame(text, answer), after[0]
