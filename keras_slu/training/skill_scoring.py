"""How a SkillNet scores on encoded examples."""

import numpy as np

from keras_slu.data.alignment import bio_tags
from keras_slu.data.encoding import tokens_of
from keras_slu.evaluation.skill_scores import MAIN
from keras_slu.evaluation.skill_scores import label_scores
from keras_slu.evaluation.skill_scores import matching_scores
from keras_slu.evaluation.skill_scores import ranking_scores
from keras_slu.evaluation.skill_scores import span_scores
from keras_slu.evaluation.skill_scores import tag_scores


def score_task(answerer, examples):
    """Scores a task.

    Args:
        answerer: `SkillAnswerer`.
        examples: `SkillExamples`.

    Returns:
        dict: `loss`, the mean over rows, `cut`, how many examples lost an end,
        and the figures of the kind, see `keras_slu.evaluation.skill_scores`.
    """
    found = answerer.answers(examples)
    score = {
        "matching": _score_matching,
        "tagging": _score_tags,
        "span": _score_spans,
        "ranking": _score_ranking,
        "masked_pieces": _score_pieces,
    }.get(examples.task.kind, _score_labels)
    losses = [answer["loss"] for _, _, answer in found]
    return {
        "loss": float(np.mean(losses)),
        "cut": examples.cut,
        **score(examples, found),
    }


def mean_of(figures, tasks):
    """The unweighted mean of the tasks' main figures.

    Args:
        figures: dict of figures by task.
        tasks: list of `SkillTask`.
    """
    return float(np.mean([figures[task.name][MAIN[task.kind]] for task in tasks]))


def _labels(examples, found):
    gold = [example.label for example in examples.examples]
    names = examples.task.labels
    return gold, [names[answer["label"]] for _, _, answer in found]


def _score_labels(examples, found):
    return label_scores(*_labels(examples, found), len(examples.task.labels))


def _score_matching(examples, found):
    return matching_scores(*_labels(examples, found), examples.task.labels[1])


def _score_tags(examples, found):
    gold, predicted = [], []
    names = examples.task.labels
    for utterance, (_, row, answer) in zip(examples.examples, found, strict=True):
        tokens = tokens_of(utterance, examples.pieces)
        gold.append(bio_tags(utterance, tokens))
        tags = [names[tag] for tag in answer["tags"][: len(row.words)]]
        missing = len(tokens) - len(tags)  # words that the row has no room for
        predicted.append((tags + ["O"] * missing)[: len(tokens)])
    return tag_scores(gold, predicted)


def _score_spans(examples, found):
    return span_scores(examples.examples, best_spans(examples, found))


def best_spans(examples, found):
    """The text that the most probable window gives as the answer.

    Where questions without an answer are among the examples, so is none: when
    each window prefers it.

    Args:
        examples: `SkillExamples` of spans.
        found: list, what `SkillAnswerer.answers` gave.

    Returns:
        list of str, one for each question.
    """
    may_be_none = not all(question.answers for question in examples.examples)
    best = [("", 0.0)] * len(examples)
    for place, row, answer in found:
        probability = float(answer["probability"])
        if may_be_none and probability <= answer["no_answer"]:
            continue
        if probability > best[place][1]:
            start, end = row.starts[answer["start"]], row.ends[answer["end"]]
            passage = examples.examples[place].passage
            best[place] = (passage[start:end], probability)
    return [text for text, _ in best]


def _score_ranking(examples, found):
    scores = [float(answer["scores"]) for _, _, answer in found]
    return ranking_scores(examples.examples, scores)


def _score_pieces(examples, found):
    gold, predicted = [], []
    for _, row, answer in found:
        gold += row.targets.tolist()
        predicted += answer["pieces"][: len(row.words)].tolist()
    return label_scores(gold, predicted, len(examples.pieces))
