"""Gold utterances and Frames in one line each, for the tests of evaluation."""

from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot


def gold(text, intents, *slots):
    """An utterance; slots are `(name, start, end)`."""
    spans = tuple(SlotSpan(*slot) for slot in slots)
    return Utterance(text, slots=spans, intents=tuple(intents.split()), origin="f:1")


def parsed(text, intents, *slots, probability=0.75, **more):
    """A frame; slots are `(name, start, end, confidence)`."""
    return Frame(
        text,
        tuple(Intent(name, probability, True) for name in intents.split()),
        tuple(
            Slot(name, text[start:end], start, end, confidence)
            for name, start, end, confidence in slots
        ),
        **more,
    )
