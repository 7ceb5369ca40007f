"""The scores of a SkillNet's tasks, each beside chance and majority.

All figures are fractions. `chance` and `majority` are of the main figure of the
task's kind (`MAIN`): what is expected of an answer drawn at random, and what
the one answer gets that is most often right.
"""

from collections import Counter
from itertools import groupby

from keras_slu.evaluation.scores import Labels
from keras_slu.evaluation.scores import score
from keras_slu.evaluation.span_answers import exact_match
from keras_slu.evaluation.span_answers import span_f1
from keras_slu.text.sentences import sentence_spans

# The figure of each kind that selects the epoch.
MAIN = {
    "classification": "accuracy",
    "pair": "accuracy",
    "matching": "accuracy",
    "tagging": "f1",
    "span": "f1",
    "ranking": "top_1",
    "masked_pieces": "accuracy",
}


def label_scores(gold, predicted, num_labels):
    """Accuracy of labels, of any kind of thing that can be equal.

    Args:
        gold, predicted: lists, as long.
        num_labels: int. How many labels there are to choose from.

    Returns:
        dict: `examples`, `accuracy`, `chance`, `majority`.

    Example:

    >>> label_scores(["a", "b", "b", "c"], ["a", "b", "a", "a"], 4)
    {'examples': 4, 'accuracy': 0.5, 'chance': 0.25, 'majority': 0.5}
    """
    return {
        "examples": len(gold),
        "accuracy": _mean(g == p for g, p in zip(gold, predicted, strict=True)),
        "chance": 1 / num_labels,
        "majority": _mean(g == most_frequent(gold) for g in gold),
    }


def matching_scores(gold, predicted, label):
    """`label_scores` of two labels, and the F1 of one of them.

    Args:
        gold, predicted: lists of str.
        label: str. The label that F1 is of.

    Returns:
        dict: also `precision`, `recall` and `f1`, and `majority_f1`, that of
        always answering `label`.
    """
    pairs = list(zip(gold, predicted, strict=True))
    right = sum(g == p == label for g, p in pairs)
    wanted, given = gold.count(label), sum(p == label for p in predicted)
    return {
        **label_scores(gold, predicted, 2),
        "precision": right / max(given, 1),
        "recall": right / max(wanted, 1),
        "f1": 2 * right / max(wanted + given, 1),
        "majority_f1": 2 * wanted / max(len(gold) + wanted, 1),
    }


def tag_scores(gold, predicted):
    """Span-level figures of BIO tags, micro, as `keras_slu.evaluation.score`.

    Args:
        gold, predicted: lists of lists of str.

    Returns:
        dict: `examples`, `precision`, `recall`, `f1`, `f1_strict`,
        `token_accuracy`. Of chance and majority, which find nothing, all is 0.
    """
    scores = score(
        [Labels(tags) for tags in gold], [Labels(tags) for tags in predicted]
    )
    return {
        "examples": len(gold),
        "precision": scores.slot_precision,
        "recall": scores.slot_recall,
        "f1": scores.slot_f1,
        "f1_strict": scores.slot_f1_strict,
        "token_accuracy": scores.token_accuracy,
        "chance": 0.0,
        "majority": 0.0,
    }


def span_scores(questions, predicted):
    """Exact match and F1 of answers.

    A question without answers is right when nothing is answered. Chance is a
    sentence of the passage drawn at random, majority its first sentence.

    Args:
        questions: list of `Question`.
        predicted: list of str, `""` for no answer.

    Returns:
        dict: `examples`, `exact_match`, `f1`, `chance`, `majority`.
    """
    pairs = list(zip(questions, predicted, strict=True))
    by_sentence = [_sentence_f1(question) for question in questions]
    return {
        "examples": len(questions),
        "exact_match": _mean(exact_match(_answers(q), text) for q, text in pairs),
        "f1": _mean(_question_f1(q, text) for q, text in pairs),
        "chance": _mean(_mean(scores) for scores in by_sentence),
        "majority": _mean(scores[0] for scores in by_sentence),
    }


def ranking_scores(examples, scores):
    """How often the candidate with the highest score is right.

    Questions without a right candidate do not count. Chance is a candidate
    drawn at random, majority the first.

    Args:
        examples: list of `TextExample`; neighbours with the same `text` are
            candidates for one question, label `"1"` is right.
        scores: list of float.

    Returns:
        dict: `examples`, the questions that count, `top_1`, `chance`,
        `majority`.

    Example:

    >>> from keras_slu.data.examples import TextExample
    >>> candidates = [TextExample("who?", "he", "0"), TextExample("who?", "she", "1")]
    >>> ranking_scores(candidates, [-1.0, 0.5])
    {'examples': 1, 'top_1': 1.0, 'chance': 0.5, 'majority': 0.0}
    """
    pairs = zip(examples, scores, strict=True)
    questions = []
    for _, candidates in groupby(pairs, key=lambda pair: pair[0].text):
        found = [(value, example.label == "1") for example, value in candidates]
        if any(is_right for _, is_right in found):
            questions.append(found)
    rights = [[is_right for _, is_right in found] for found in questions]
    # Of equal scores the first counts: the labels must not decide.
    best = [max(found, key=lambda pair: pair[0])[1] for found in questions]
    return {
        "examples": len(questions),
        "top_1": _mean(best),
        "chance": _mean(_mean(found) for found in rights),
        "majority": _mean(found[0] for found in rights),
    }


def most_frequent(values):
    """The most frequent value; of several, the one that comes first."""
    return Counter(values).most_common(1)[0][0]


def _answers(question):
    return [answer.text for answer in question.answers] or [""]


def _question_f1(question, text):
    if not question.answers:
        return float(not text)
    return span_f1(_answers(question), text)


def _sentence_f1(question):
    """The F1 of each sentence of the passage as the answer."""
    return [
        _question_f1(question, question.passage[start:end])
        for start, end in sentence_spans(question.passage)
    ]


def _mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0
