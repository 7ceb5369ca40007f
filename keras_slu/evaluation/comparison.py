"""Several parsers on one data set, side by side."""

from keras_slu.evaluation.errors import intents_right
from keras_slu.evaluation.errors import span
from keras_slu.evaluation.scores import score_spans
from keras_slu.evaluation.significance import COLUMNS
from keras_slu.evaluation.significance import counts
from keras_slu.evaluation.significance import intervals
from keras_slu.evaluation.significance import mcnemar
from keras_slu.evaluation.significance import paired_bootstrap

ACCURACIES = {"overall_accuracy": "all_right", "intent_accuracy": "intents_right"}
F1S = ("intent_f1", "slot_f1")


def compare(utterances, answers):
    """Compares what parsers made of the same raw texts.

    Args:
        utterances: list of `Utterance`, the gold, not empty.
        answers: dict, name of a parser to its list of `Frame`s; the others
            are compared with the first.

    Returns:
        dict ready for `json.dumps`: `utterances`, their number; `runs`, for
        each name its `scores` (those of `score_spans`) and their `intervals`;
        `tests`, for each other parser its `name` and for each figure the
        `difference` from the first, its 95 % `interval` and a `p_value`
        (`mcnemar` for accuracies, which adds `only_first` and `only_second`;
        `paired_bootstrap` for F1); `differences`, the utterances to which not
        all gave the same answer, those first where not all are right or wrong.

    Raises:
        ValueError: as `score_spans`.
    """
    rows = {name: counts(utterances, frames) for name, frames in answers.items()}
    first, *others = answers
    runs = {
        name: {
            "scores": score_spans(utterances, frames).to_dict(),
            "intervals": intervals(rows[name]),
        }
        for name, frames in answers.items()
    }
    return {
        "utterances": len(utterances),
        "runs": runs,
        "tests": [
            {"name": other, **_tests(rows[first], rows[other])} for other in others
        ],
        "differences": _differences(utterances, answers),
    }


def _tests(rows, other_rows):
    tests = {
        figure: paired_bootstrap(rows, other_rows, figure)
        for figure in (*ACCURACIES, *F1S)
    }
    for figure, name in ACCURACIES.items():
        column = COLUMNS.index(name)
        tests[figure].update(mcnemar(rows[:, column], other_rows[:, column]))
    return tests


def _differences(utterances, answers):
    found = []
    for utterance, *frames in zip(utterances, *answers.values(), strict=True):
        if len({_meaning(frame.active_intents, frame.slots) for frame in frames}) == 1:
            continue
        found.append(
            {
                "text": utterance.text,
                "origin": utterance.origin,
                "gold": _answer(utterance, utterance.intents, utterance.slots),
                "answers": {
                    name: {
                        **_answer(utterance, frame.active_intents, frame.slots),
                        "is_right": _is_right(utterance, frame),
                    }
                    for name, frame in zip(answers, frames, strict=True)
                },
            }
        )
    return sorted(found, key=_all_alike)


def _meaning(intents, slots):
    """What must be equal for two answers to be the same."""
    return frozenset(intents), frozenset(map(span, slots))


def _is_right(utterance, frame):
    gold = set(map(span, utterance.slots))
    return intents_right(utterance, frame) and gold == set(map(span, frame.slots))


def _answer(utterance, intents, slots):
    return {
        "intents": list(intents),
        "slots": [
            {
                "name": slot.name,
                "value": utterance.text[slot.start : slot.end],
                "start": slot.start,
                "end": slot.end,
            }
            for slot in slots
        ],
    }


def _all_alike(difference):
    """Whether all answers are right, or all wrong."""
    return len({answer["is_right"] for answer in difference["answers"].values()}) == 1
