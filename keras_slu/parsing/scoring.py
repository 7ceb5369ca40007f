"""Scores of a parser on labelled utterances."""

from keras_slu.data.alignment import bio_tags
from keras_slu.data.encoding import tokens_of
from keras_slu.evaluation import Labels
from keras_slu.evaluation import score
from keras_slu.evaluation import score_spans


def gold_labels(utterances, tokenizer):
    """The gold of utterances over their tokens, a list of `Labels`."""
    return [
        Labels(bio_tags(utterance, tokens_of(utterance, tokenizer)), utterance.intents)
        for utterance in utterances
    ]


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
    answers = parser.answers([tokens_of(u, tokenizer) for u in utterances])
    predicted = [Labels(answer["tags"], answer["intents"]) for answer in answers]
    frames = parser.parse([utterance.text for utterance in utterances])
    return {
        "gold_tokens": score(gold_labels(utterances, tokenizer), predicted),
        "raw_text": score_spans(utterances, frames),
    }
