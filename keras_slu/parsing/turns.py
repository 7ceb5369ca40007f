"""Dialogues turn by turn, for whatever can take one turn after a state."""

from keras_slu.data.dialogue import dialogues_of


class TurnByTurn:
    """What follows from `turns`, the same for a run and for its exports.

    A state is a dict of int32 arrays of fixed shape, or `None` before the first
    turn; see `keras_slu.models.dialogue_state`. Whoever holds it, the parser
    does not: any number of dialogues may go on side by side.
    """

    def turns(self, states, texts):
        """Parses a turn of each of many dialogues.

        Args:
            states: list of states.
            texts: list of str, as many.

        Returns:
            `(frames, states)`: lists, in the same order.

        Raises:
            InputError: for a state of another model, or of another version of
                it.
        """
        raise NotImplementedError

    def hear(self, states, texts):
        """Tells what the system has said in each of many dialogues.

        A model that was not trained with `system_turns` does not listen.

        Args:
            states, texts: as for `turns`.

        Returns:
            list of states.
        """
        raise NotImplementedError

    def turn(self, state, text):
        """Parses one turn.

        Args:
            state: dict, what the turn before has given, or `None`.
            text: str.

        Returns:
            `(frame, state)`.

        Raises:
            InputError: as `turns`.
        """
        (frame,), (state,) = self.turns([state], [text])
        return frame, state

    def dialogue(self):
        """Begins a dialogue, a `Session`."""
        return Session(self)

    def frames_of(self, utterances):
        """Parses the texts of utterances, dialogue by dialogue.

        Args:
            utterances: list of `Utterance`, the turns of dialogues in a row.

        Returns:
            list of `Frame`, in the same order.
        """
        dialogues = dialogues_of(utterances)
        states, frames = [None] * len(dialogues), [None] * len(utterances)
        for number in range(max(map(len, dialogues))):
            now = [d for d, places in enumerate(dialogues) if number < len(places)]
            places = [dialogues[dialogue][number] for dialogue in now]
            before = self._prompted(
                [states[dialogue] for dialogue in now],
                [utterances[place].prompts for place in places],
            )
            texts = [utterances[place].text for place in places]
            found, after = self.turns(before, texts)
            for dialogue, place, frame, state in zip(
                now, places, found, after, strict=True
            ):
                frames[place], states[dialogue] = frame, state
        return frames

    def _prompted(self, states, prompts):
        """The states after what the system said, in turn."""
        states = list(states)
        for number in range(max(map(len, prompts))):
            now = [row for row, said in enumerate(prompts) if number < len(said)]
            after = self.hear(
                [states[row] for row in now], [prompts[row][number].text for row in now]
            )
            for row, state in zip(now, after, strict=True):
                states[row] = state
        return states


class Session:
    """One dialogue.

    Args:
        parser: `TurnByTurn`.

    Attributes:
        state: dict, or `None` before the first turn. It may be kept and set
            again, in another process too.

    Example:

    >>> session = parser.dialogue()  # doctest: +SKIP
    >>> session.parse("turn on the kitchen lights").active_intents
    ... # doctest: +SKIP
    ('turn_on',)
    >>> session.parse("and in the hall").active_intents  # doctest: +SKIP
    ('turn_on',)
    """

    def __init__(self, parser):
        self._parser = parser
        self.state = None

    def parse(self, text):
        """Parses what the user says next, a `Frame`."""
        frame, self.state = self._parser.turn(self.state, text)
        return frame

    def hear(self, text):
        """Tells what the system says."""
        (self.state,) = self._parser.hear([self.state], [text])
