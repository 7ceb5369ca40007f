"""The server in a thread of the test, over any object with the model's methods."""

import json
import time
from contextlib import contextmanager
from threading import Thread

from keras_slu.serving.app import Limits
from keras_slu.serving.app import make_app
from keras_slu.serving.rest import read_inputs
from keras_slu.serving.rest import read_request
from keras_slu.serving.server import listen
from keras_slu.serving.server import make_server


class FakeModel:
    """Answers as an export does, without one: the last word is a song.

    `sleep N` takes N seconds, `fault` is a fault of ours, `xyzzy` is unknown.
    """

    version = 3
    metadata = {"serving_default": {"method_name": "tensorflow/serving/predict"}}

    def __init__(self):
        self.sizes = []  # of the batches that were asked

    def answer(self, body):
        _, form, values = read_request(body)
        texts = read_inputs(form, values, {"text": (object, 1)})["text"]
        self.sizes.append(len(texts))
        rows = [self._row(text.decode()) for text in texts]
        return json.dumps({"predictions": rows})

    def _row(self, text):
        if text.startswith("sleep "):
            time.sleep(float(text.split()[1]))
        if text == "fault":
            raise RuntimeError("broken")
        start = text.rfind(" ") + 1
        return {
            "intents": ["play", "stop"],
            "intent_probabilities": [0.75, 0.25],
            "intent_active": [True, False],
            "is_unknown": text == "xyzzy",
            "tokens": [text[:start], text[start:], ""],
            "tags": ["O", "B-song", ""],
            "starts": [0, start, -1],
            "ends": [start, len(text), -1],
            "slot_confidence": [1.0, 0.5, -1.0],
            "truncated": len(text) > 1000,
        }


@contextmanager
def running(model, name="slu", **limits):
    """Serves a model; gives the address, `http://127.0.0.1:PORT`."""
    listener = listen("127.0.0.1", 0)
    server = make_server(make_app(model, name, Limits(**limits)))
    thread = Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
