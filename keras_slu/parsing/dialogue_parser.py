"""From the texts of a dialogue to Frames, turn by turn."""

import tensorflow as tf

from keras_slu.data.dialogue import dialogues_of
from keras_slu.data.encoding import encode_words
from keras_slu.data.encoding import pad_rows
from keras_slu.data.encoding import tokens_of
from keras_slu.models.dialogue_state import fingerprint
from keras_slu.models.dialogue_state import hear
from keras_slu.models.dialogue_state import take_turn
from keras_slu.parsing.answers import BATCH_SIZE
from keras_slu.parsing.dialogue_answers import answer_dialogues
from keras_slu.parsing.dialogue_answers import model_prompts
from keras_slu.parsing.parser import Parser
from keras_slu.parsing.states import foreign
from keras_slu.parsing.states import split_states
from keras_slu.parsing.states import stack_states
from keras_slu.parsing.states import state_shapes
from keras_slu.parsing.turns import TurnByTurn


class DialogueParser(TurnByTurn, Parser):
    """Parses dialogues with a model that takes a history.

    `parse` takes each text for the first turn of a dialogue.

    Args:
        model: `JointModel` with `tokenizer`, `vocabulary` and `max_history`.

    Attributes:
        take: `take_turn` of the model as a compiled function of
            `(states, token_ids)`.

    Example:

    >>> parser = keras_slu.load("runs/home-dialogues")  # doctest: +SKIP
    >>> frame, state = parser.turn(None, "is it on?")  # doctest: +SKIP
    >>> frame, state = parser.turn(state, "then turn it off")  # doctest: +SKIP
    """

    def __init__(self, model):
        super().__init__(model)
        ids = tf.TensorSpec((None, None), tf.int32)
        shapes = state_shapes(model.max_history).items()
        states = {n: tf.TensorSpec((None, *s), tf.int32) for n, s in shapes}
        own = fingerprint(model)

        @tf.function(input_signature=[states, ids])
        def take(states, token_ids):
            return take_turn(model, states, token_ids, own)

        @tf.function(input_signature=[states, ids])
        def listen(states, token_ids):
            return hear(model, states, token_ids, own)

        self.take = take
        self._listen = listen

    def turns(self, states, texts):
        token_rows = [self.model.tokenizer.tokenize(text) for text in texts]
        after = []

        def answer(rows):
            answers = []
            for start in range(0, len(rows), BATCH_SIZE):
                part = slice(start, start + BATCH_SIZE)
                found, new = self._take_batch(states[part], rows[part])
                answers += found
                after.extend(new)
            return answers

        answers = self._answers(token_rows, answer)
        return self._frames(texts, token_rows, answers), after

    def _take_batch(self, states, rows):
        batch = stack_states(states, self.model.max_history)
        answers, after, state_ok = self.take(batch, pad_rows(rows, 0))
        _check(state_ok)
        answers = {name: value.numpy() for name, value in answers.items()}
        found = [
            {name: value[row] for name, value in answers.items()}
            for row in range(len(rows))
        ]
        return found, split_states(after)

    def hear(self, states, texts):
        if not self.model.system_turns:
            return states
        rows = [
            encode_words(
                [token.text for token in self.model.tokenizer.tokenize(text)],
                self.model.tokenizer,
                self.model.vocabulary,
                self.model.max_tokens,
            )[0]
            for text in texts
        ]
        batch = stack_states(states, self.model.max_history)
        after, state_ok = self._listen(batch, pad_rows(rows, 0))
        _check(state_ok)
        return split_states(after)

    def answers_of(self, utterances):
        """Gives the answers for dialogues, from their own tokens.

        Args:
            utterances: list of `Utterance`, the turns of dialogues in a row.

        Returns:
            list of dicts; see `Parser.answers`.
        """
        model = self.model
        token_rows = [tokens_of(u, model.tokenizer) for u in utterances]
        prompts = model_prompts(model, utterances)

        def answer(rows):
            dialogues = dialogues_of(utterances)
            return answer_dialogues(self._answerer, dialogues, rows, prompts)

        return self._named(token_rows, self._answers(token_rows, answer))


def _check(state_ok):
    if not state_ok.numpy().all():
        raise foreign()
