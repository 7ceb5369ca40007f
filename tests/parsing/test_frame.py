"""What a parse returns."""

import json

from keras_slu.parsing import Frame
from keras_slu.parsing import Intent
from keras_slu.parsing import Slot

FRAME = Frame(
    "to Zoë 😀",
    (Intent("call", 0.75, True), Intent("hang_up", 0.25, False)),
    (Slot("who", "Zoë", 3, 6, 0.5),),
)


def test_active_intents_are_the_answer():
    assert FRAME.active_intents == ("call",)
    assert Frame("", (), ()).active_intents == ()


def test_a_frame_as_json():
    assert json.loads(json.dumps(FRAME.to_dict())) == {
        "text": "to Zoë 😀",
        "intents": [
            {"name": "call", "probability": 0.75, "active": True},
            {"name": "hang_up", "probability": 0.25, "active": False},
        ],
        "slots": [
            {"name": "who", "value": "Zoë", "start": 3, "end": 6, "confidence": 0.5}
        ],
        "is_unknown": False,
        "truncated": False,
    }
