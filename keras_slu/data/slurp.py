"""Reads the JSON lines of SLURP: a sentence, its tokens, entities over them."""

from reprlib import repr as short

from keras_slu.data.json_values import member
from keras_slu.data.json_values import read_object
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import in_order
from keras_slu.data.spans import locate_words
from keras_slu.data.spans import make_span
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError


def iter_slurp(path, report=raise_errors):
    """Reads `sentence`, `tokens`, `entities` and `intent` of each line.

    The text is the sentence, which is spelled a little otherwise than the
    tokens ("what's" is two of them); the tokens only place the entities in it.
    Scenario, action, lemmas and recordings are ignored.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.

    Reference: Bastianelli et al., "SLURP: A Spoken Language Understanding
    Resource Package", 2020.
    """
    return iter_records(path, _read_utterance, report)


def _read_utterance(line, origin, warn):
    item = read_object(line)
    text = string(member(item, "sentence", "an object"), '"sentence"')
    check_text(text)
    words = typed(member(item, "tokens", "an object"), list, '"tokens"', "a list")
    tokens = locate_words([_surface(word) for word in words], text)
    entities = member(item, "entities", "an object")
    typed(entities, list, '"entities"', "a list")
    slots = in_order([_read_entity(entity, tokens, text) for entity in entities])
    intents = split_intents(string(member(item, "intent", "an object"), '"intent"'))
    return Utterance(text, (), slots, intents, origin)


def _surface(word):
    typed(word, dict, "a token", "an object")
    return string(member(word, "surface", "a token"), '"surface"')


def _read_entity(entity, tokens, text):
    typed(entity, dict, "an entity", "an object")
    name = string(member(entity, "type", "an entity"), '"type"')
    span = typed(member(entity, "span", "an entity"), list, '"span"', "a list")
    for place in span:
        typed(place, int, "a place in a span", "a whole number")
    if not span or span != list(range(span[0], span[0] + len(span))):
        raise InputError(
            f"entity {name!r} has the span {short(span)}",
            "List neighbouring tokens, in order.",
        )
    if span[0] < 0 or span[-1] >= len(tokens):
        raise InputError(
            f"entity {name!r} has the span {short(span)} of {len(tokens)} tokens",
            "Count them from 0.",
        )
    return make_span(name, tokens[span[0]].start, tokens[span[-1]].end, text)
