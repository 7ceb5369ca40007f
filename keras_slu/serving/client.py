"""A client of `keras-slu serve` and of TF Serving, on the standard library alone."""

import http.client
import json
import re
import urllib.error
import urllib.request

from keras_slu.errors import InputError
from keras_slu.parsing.frames import frame_of_export

BATCH_SIZE = 32


class Client:
    """Parses texts by asking a server over REST.

    Args:
        url: str. The server, such as `http://127.0.0.1:8501`, or the model on
            it: `http://127.0.0.1:8501/v1/models/slu/versions/2`.
        name: str. The model, where the URL names none. Defaults to `"slu"`.
        timeout: float. Seconds to wait for the server. Defaults to `30.0`.

    Raises:
        InputError: a URL that is none of these.

    Example:

    >>> client = Client("http://127.0.0.1:8501")
    >>> client.url
    'http://127.0.0.1:8501/v1/models/slu:predict'
    >>> client.parse("play hey jude").active_intents  # doctest: +SKIP
    ('play_music',)
    """

    def __init__(self, url, name="slu", timeout=30.0):
        self.url = _predict_url(url, name)
        self.timeout = timeout

    def parse(self, texts):
        """Parses one text or many.

        Args:
            texts: str, or list of str.

        Returns:
            A `Frame`, or a list of them.

        Raises:
            InputError: when no server answers, or not as it should.
        """
        if isinstance(texts, str):
            return self.parse([texts])[0]
        frames = []
        for start in range(0, len(texts), BATCH_SIZE):
            batch = texts[start : start + BATCH_SIZE]
            rows = self._predictions(batch)
            frames += map(self._frame, batch, rows)
        return frames

    def _predictions(self, texts):
        # JSON in UTF-8 has no lone surrogates; the offsets stay the same.
        instances = [re.sub("[\ud800-\udfff]", "\ufffd", text) for text in texts]
        answer = self._post(json.dumps({"instances": instances}).encode("ascii"))
        try:
            predictions = json.loads(answer)["predictions"]
        except (ValueError, TypeError, KeyError):
            raise self._foreign(answer[:60]) from None
        if not isinstance(predictions, list) or len(predictions) != len(texts):
            raise self._foreign(f"not {len(texts)} predictions")
        return predictions

    def _post(self, body):
        request = urllib.request.Request(
            self.url, body, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            with error:
                reason = _error_message(error)
            raise InputError(
                f"the server answers {error.code}: {reason}",
                "Check the model's name and version.",
                file=self.url,
            ) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise InputError(
                f"no server answers ({getattr(error, 'reason', error)})",
                "Start one with `keras-slu serve`, or check the address.",
                file=self.url,
            ) from None

    def _frame(self, text, row):
        try:
            return frame_of_export(text, row)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise self._foreign(f"{type(error).__name__}: {error}") from None

    def _foreign(self, detail):
        return InputError(
            f"answers, but not as a keras_slu model does ({detail})",
            "Name the model that `keras-slu export` made.",
            file=self.url,
        )


def _predict_url(url, name):
    if not re.match(r"https?://[^/?#]+", url):
        raise InputError(f"{url!r} is no address of a server", "Give http://HOST:PORT.")
    model = url.rstrip("/").removesuffix(":predict")
    if "/v1/models/" not in model:
        model += f"/v1/models/{name}"
    return model + ":predict"


def _error_message(response):
    """What a server tells in `{"error": ...}`, or else the HTTP reason."""
    try:
        return str(json.loads(response.read())["error"])
    except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
        return response.reason
