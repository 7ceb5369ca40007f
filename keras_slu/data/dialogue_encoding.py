"""What each utterance of a dialogue has heard before, as arrays of ids."""

import numpy as np

from keras_slu.data.dialogue import dialogues_of
from keras_slu.data.encoding import encode_words
from keras_slu.data.encoding import pad_rows
from keras_slu.data.encoding import tokens_of
from keras_slu.data.history import HISTORY
from keras_slu.data.history import HeardTurn
from keras_slu.data.history import history_rows
from keras_slu.data.history import intent_result
from keras_slu.data.history import unheard


def encode_histories(utterances, heard, max_history, prompts):
    """Encodes the earlier turns of every utterance.

    Args:
        utterances: list of `Utterance`, dialogues in a row.
        heard: `Examples` of them, whose labels are the results that history
            has: the gold ones, or predicted ones.
        max_history: int. Rows of history that there are.
        prompts: list of what `encode_prompts` gives, one an utterance.

    Returns:
        dict of int32 arrays `(utterances, rows)` by the names in `HISTORY`,
        0 at padding.
    """
    found = []
    for places in dialogues_of(utterances):
        turns = []
        for place in places:
            turns += prompts[place]
            found.append(history_rows(turns, max_history))
            turns.append(_heard(heard, place))
    return pad_histories(found)


def pad_histories(histories):
    """Stacks what `history_rows` gives, as `encode_histories` does."""
    return {
        name: pad_rows([rows[place] for rows in histories], 0, _width(histories))
        for place, name in enumerate(HISTORY)
    }


def encode_prompts(utterance, tokenizer, vocabulary, max_tokens):
    """What the system has said before an utterance, a list of `HeardTurn`."""
    return [
        unheard(
            encode_words(
                [token.text for token in tokens_of(prompt, tokenizer)],
                tokenizer,
                vocabulary,
                max_tokens,
            )[0]
        )
        for prompt in utterance.prompts
    ]


def _width(histories):
    return max(1, *(rows.shape[1] for rows in histories))


def _heard(examples, place):
    length = examples.lengths[place]
    return HeardTurn(
        examples.token_ids[place, :length],
        intent_result(examples.intent[place]),
        np.asarray(examples.slots[place, :length]),
    )
