"""Scores of a parser on labelled utterances."""

from keras_slu.data.alignment import bio_tags
from keras_slu.data.encoding import tokens_of
from keras_slu.evaluation import Labels
from keras_slu.evaluation import score
from keras_slu.evaluation import score_spans
from keras_slu.evaluation.turns import scores_by_turn
from keras_slu.evaluation.turns import uncoordinated


def gold_labels(utterances, tokenizer):
    """The gold of utterances over their tokens, a list of `Labels`."""
    return [
        Labels(bio_tags(utterance, tokens_of(utterance, tokenizer)), utterance.intents)
        for utterance in utterances
    ]


def dialogue_figures(parser, utterances):
    """What the scores of whole data do not show.

    Args:
        parser: `Parser`.
        utterances: list of `Utterance`.

    Returns:
        dict: `uncoordinated_tags`, how many predicted `I-` tags continue
        nothing or another slot; of dialogues also `by_turn`, the scores of
        first turns, of second ones and so on, from gold tokens.
    """
    gold = gold_labels(utterances, parser.model.tokenizer)
    answers = parser.answers_of(utterances)
    predicted = [Labels(answer["tags"], answer["intents"]) for answer in answers]
    figures = {"uncoordinated_tags": sum(uncoordinated(one.tags) for one in predicted)}
    turns = [utterance.turn for utterance in utterances]
    if any(turns):
        scores = scores_by_turn(turns, gold, predicted)
        figures["by_turn"] = {turn: found.to_dict() for turn, found in scores.items()}
    return figures


def score_parser(parser, utterances):
    """Scores a parser from gold tokens and from raw text.

    Args:
        parser: `Parser`.
        utterances: list of `Utterance`.

    Returns:
        dict of `Scores`: `gold_tokens`, where the data's own tokens are given
        to the model (the tokenizer's where they come without), and
        `raw_text`, where the text goes through the tokenizer, as in use.
    """
    tokenizer = parser.model.tokenizer
    answers = parser.answers_of(utterances)
    predicted = [Labels(answer["tags"], answer["intents"]) for answer in answers]
    frames = parser.frames_of(utterances)
    return {
        "gold_tokens": score(gold_labels(utterances, tokenizer), predicted),
        "raw_text": score_spans(utterances, frames),
    }
