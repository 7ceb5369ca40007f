"""Reads JSON lines of dialogues: one dialogue, a JSON object, a line."""

from keras_slu.data.alignment import bio_tags
from keras_slu.data.dialogue import SPEAKERS
from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.json_lines import read_spans
from keras_slu.data.json_values import intent_names
from keras_slu.data.json_values import member
from keras_slu.data.json_values import read_object
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import locate_words
from keras_slu.data.tagged import read_tags
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import check_word
from keras_slu.data.words import join_words
from keras_slu.errors import InputError


def iter_dialogue_lines(path, report=raise_errors):
    """Reads one dialogue a line, from a file that may be `.gz`.

    A line is an object with `turns`, a list of objects, and perhaps
    `dialogue_id`. Keys of a turn; `speaker` and one of `text` and `tokens` must
    be there, others are ignored:

    - `speaker`: `"user"` or `"system"`.
    - `text`: a string. Without it the words are joined by spaces.
    - `tokens`: a list of words, in the order of the text.
    - `tags`: a list of BIO tags, one for each word. Or `slots`: as in JSON lines
      of utterances, see `iter_json_lines`.
    - `intent`: a string, in which `#` separates several, or a list of strings.
    - `acts`: a list of strings, or of objects with a `type`.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`. A
            fault in one turn is a fault of the dialogue.

    Yields:
        `Dialogue`.
    """
    return iter_records(path, _read_dialogue, report)


def _read_dialogue(line, origin, warn):
    item = read_object(line)
    turns = typed(
        member(item, "turns", "a dialogue"), list, '"turns"', "a list of objects"
    )
    if not turns:
        raise InputError('"turns" is empty', "Give it turns, or remove the line.")
    name = string(item.get("dialogue_id", ""), '"dialogue_id"')
    read = [_read_turn(*turn, origin, warn) for turn in enumerate(turns, 1)]
    return Dialogue(tuple(read), name, origin)


def _read_turn(number, item, origin, warn):
    """Reads a turn; faults say its number, as the line is the dialogue's."""

    def in_turn(fault):
        return InputError(f"turn {number}: {fault.problem}", fault.remedy)

    try:
        typed(item, dict, "it", "an object")
        speaker = member(item, "speaker", "a turn")
        if speaker not in SPEAKERS:
            raise InputError(
                f'"speaker" is {speaker!r:.40}', 'Write "user" or "system".'
            )
        text, tokens = _read_text(item)
        slots = _read_slots(item, text, tokens, lambda fault: warn(in_turn(fault)))
        intents = intent_names(item["intent"], '"intent"') if "intent" in item else ()
        acts = _read_acts(item.get("acts", []))
        utterance = Utterance(text, tokens, slots, intents, origin)
        if "slots" in item and tokens:
            bio_tags(utterance, tokens)  # raises when a slot cuts through a token
    except InputError as fault:
        raise in_turn(fault) from None
    return Turn(speaker, utterance, acts)


def _read_text(item):
    """Returns the text, and its tokens where the data give them."""
    if "text" not in item and "tokens" not in item:
        raise InputError('neither "text" nor "tokens"', "Give it one of them.")
    if "tokens" not in item:
        text = string(item["text"], '"text"')
        check_text(text)
        return text, ()
    words = typed(item["tokens"], list, '"tokens"', "a list of words")
    if not words:
        raise InputError('"tokens" is empty', "Give it words, or remove the turn.")
    for word in words:
        check_word(string(word, 'a word of "tokens"'))
    if "text" not in item:
        return join_words(words)
    text = string(item["text"], '"text"')
    return text, locate_words(words, text)


def _read_slots(item, text, tokens, warn):
    if "tags" in item and "slots" in item:
        raise InputError('both "tags" and "slots"', "Keep one of them.")
    if "tags" not in item:
        return read_spans(item.get("slots", []), text)
    tags = typed(item["tags"], list, '"tags"', "a list of BIO tags")
    return read_tags([string(tag, 'a tag in "tags"') for tag in tags], tokens, warn)


def _read_acts(items):
    acts = []
    for act in typed(items, list, '"acts"', "a list"):
        if isinstance(act, dict):
            act = member(act, "type", "an act")
        acts.append(string(act, "an act"))
    return tuple(dict.fromkeys(acts))
