"""Requests that TensorFlow Serving answers to itself before it serves.

The records are protocol buffers of TensorFlow Serving. Five nested messages
are written by hand here, which saves a package that asks for all of TensorFlow
once more.
"""

import tensorflow as tf


def write_warm_up(path, name, requests):
    """Writes warm-up requests.

    Args:
        path: path of the file; TensorFlow Serving wants it at
            `assets.extra/tf_serving_warmup_requests` in a version's folder.
        name: str. The model's name.
        requests: iterable of `(signature, inputs)`: a str, and a dict of lists
            of texts by the names of the signature's inputs.
    """
    with tf.io.TFRecordWriter(str(path)) as writer:
        for signature, inputs in requests:
            writer.write(prediction_log(name, signature, inputs))


def prediction_log(name, signature, inputs):
    """A `tensorflow.serving.PredictionLog` of one request, as bytes."""
    model_spec = _field(1, name.encode()) + _field(3, signature.encode())
    request = _field(1, model_spec)  # a PredictRequest
    for input_name, texts in inputs.items():
        tensor = tf.make_tensor_proto([text.encode() for text in texts], tf.string)
        content = _field(1, input_name.encode())
        request += _field(2, content + _field(2, tensor.SerializeToString()))
    return _field(6, _field(1, request))


def _field(number, content):
    """A length-delimited field of a message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value):
    """Seven bits a byte, the lowest first; the high bit says that more follow."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
