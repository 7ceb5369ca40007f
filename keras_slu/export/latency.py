"""How long an exported model takes for one utterance."""

import time

import numpy as np

from keras_slu.parsing.loading import load

WARM_UP = 20  # utterances that do not count
REPEATS = 3  # the least of them counts: what interrupts a process is not its own


def litert_times(path, texts, num_threads=1):
    """Times a `.tflite` model on texts, from its input tensor to its outputs.

    Finding the tokens is inside where the model takes code points; building
    the Frame is not.

    Args:
        path: path of the `.tflite` file.
        texts: list of str, not empty.
        num_threads: int. How many threads may compute. Defaults to `1`.

    Returns:
        float64 array `(len(texts),)`, milliseconds.

    Raises:
        InputError: for a file that cannot be loaded.
    """
    from keras_slu.export.litert_parser import LiteRTParser

    parser = LiteRTParser(path, num_threads)
    return _times(parser.run, [parser.encode(text)[0] for text in texts])


def saved_model_times(folder, texts):
    """Times a SavedModel on texts, one a call, from the string to the arrays.

    TensorFlow computes with as many threads as it finds right.

    Args:
        folder: path of a version's folder, or of the folder of versions.
        texts: list of str, not empty.

    Returns:
        float64 array `(len(texts),)`, milliseconds.

    Raises:
        InputError: for a folder that cannot be loaded.
    """
    return _times(load(folder).run, [[text] for text in texts])


def _times(run, inputs):
    for value in inputs[:WARM_UP]:
        run(value)
    times = np.empty((REPEATS, len(inputs)))
    for repeat in range(REPEATS):
        for place, value in enumerate(inputs):
            start = time.perf_counter()
            run(value)
            times[repeat, place] = time.perf_counter() - start
    return 1e3 * times.min(axis=0)


def summary(milliseconds):
    """The figures that a table shows.

    >>> summary(np.array([1.0, 2.0, 3.0]))
    {'utterances': 3, 'median_ms': 2.0, 'p95_ms': 2.9}
    """
    return {
        "utterances": len(milliseconds),
        "median_ms": round(float(np.median(milliseconds)), 3),
        "p95_ms": round(float(np.percentile(milliseconds, 95)), 3),
    }
