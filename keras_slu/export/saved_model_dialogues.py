"""Parses dialogues with an exported SavedModel."""

from keras_slu.export.saved_model_parser import BATCH_SIZE
from keras_slu.export.saved_model_parser import SavedModelParser
from keras_slu.export.saved_model_parser import encode_texts
from keras_slu.export.saved_model_parser import frames_of_export
from keras_slu.parsing.states import foreign
from keras_slu.parsing.states import split_states
from keras_slu.parsing.states import stack_states
from keras_slu.parsing.turns import TurnByTurn


class SavedModelDialogueParser(TurnByTurn, SavedModelParser):
    """Parses dialogues with an export that has the signature `turn`.

    Args:
        folder: path of a version's folder.

    Raises:
        InputError: as `SavedModelParser`.
    """

    def __init__(self, folder):
        super().__init__(folder)
        self._turn = self._loaded.signatures["turn"]
        self._hear = self._loaded.signatures.get("hear")
        state = self._turn.structured_input_signature[1]["history_ids"]
        self._max_history = state.shape[1]

    def turns(self, states, texts):
        frames, after = [], []
        for start in range(0, len(texts), BATCH_SIZE):
            part = slice(start, start + BATCH_SIZE)
            answers = self._call(self._turn, states[part], texts[part])
            frames += frames_of_export(texts[part], answers)
            after += split_states(answers)
        return frames, after

    def hear(self, states, texts):
        if self._hear is None:
            return states
        return split_states(self._call(self._hear, states, texts))

    def _call(self, signature, states, texts):
        """The outputs of a signature, a dict of arrays."""
        state = stack_states(states, self._max_history)
        answers = signature(text=encode_texts(texts), **state)
        answers = {name: value.numpy() for name, value in answers.items()}
        if not answers["state_ok"].all():
            raise foreign()
        return answers
