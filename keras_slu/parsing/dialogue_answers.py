"""Answers turn by turn: what was found is what later turns have heard."""

import numpy as np

from keras_slu.data.dialogue_encoding import encode_prompts
from keras_slu.data.history import HeardTurn
from keras_slu.data.history import history_rows
from keras_slu.data.history import intent_result


def answer_dialogues(answerer, dialogues, rows, prompts):
    """Answers for whole dialogues, of which each has its own results for history.

    All first turns are answered together, then all second ones.

    Args:
        answerer: `Answerer` of a model that takes a history.
        dialogues: list of lists of int, the places of each dialogue's turns.
        rows: list of int32 arrays, the token ids of each turn.
        prompts: list of lists of `HeardTurn`, what the system said before each.

    Returns:
        list of dicts, in the order of `rows`; see `Answerer.answers`.
    """
    heard = [[] for _ in dialogues]
    found = [None] * len(rows)
    for number in range(max(map(len, dialogues))):
        now = [(d, p[number]) for d, p in enumerate(dialogues) if number < len(p)]
        for dialogue, place in now:
            heard[dialogue] += prompts[place]
        answers = answerer.answers(
            [rows[place] for _, place in now],
            [history_rows(heard[d], answerer.model.max_history) for d, _ in now],
        )
        for (dialogue, place), answer in zip(now, answers, strict=True):
            found[place] = answer
            heard[dialogue].append(heard_answer(rows[place], answer))
    return found


def model_prompts(model, utterances):
    """What a model hears of the system before each utterance.

    Args:
        model: `JointModel` with `tokenizer` and `vocabulary`.
        utterances: list of `Utterance`.

    Returns:
        list of lists of `HeardTurn`, empty ones for a model that hears nothing.
    """
    if not model.system_turns:
        return [[] for _ in utterances]
    words = (model.tokenizer, model.vocabulary, model.max_tokens)
    return [encode_prompts(utterance, *words) for utterance in utterances]


def heard_answer(ids, answer):
    """A turn and its answer as a `HeardTurn`."""
    intent = answer.get("intent_active")
    if intent is None:
        intent = np.argmax(answer["intent_probabilities"])
    return HeardTurn(ids, intent_result(intent), answer["tags"])
