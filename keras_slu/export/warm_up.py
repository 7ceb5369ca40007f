"""Requests that TensorFlow Serving answers to itself before it serves.

The records are protocol buffers of TensorFlow Serving. Five nested messages
are written by hand here, which saves a package that asks for all of TensorFlow
once more.
"""

import tensorflow as tf


def write_warm_up(path, name, batches):
    """Writes warm-up requests for the signature `serving_default`.

    Args:
        path: path of the file; TensorFlow Serving wants it at
            `assets.extra/tf_serving_warmup_requests` in a version's folder.
        name: str. The model's name.
        batches: list of lists of str. The texts of each request.
    """
    with tf.io.TFRecordWriter(str(path)) as writer:
        for texts in batches:
            writer.write(prediction_log(name, texts))


def prediction_log(name, texts):
    """A `tensorflow.serving.PredictionLog` of one request, as bytes."""
    tensor = tf.make_tensor_proto([text.encode() for text in texts], tf.string)
    text_input = _field(1, b"text") + _field(2, tensor.SerializeToString())
    model_spec = _field(1, name.encode()) + _field(3, b"serving_default")
    request = _field(1, model_spec) + _field(2, text_input)  # a PredictRequest
    return _field(6, _field(1, request))


def _field(number, content):
    """A length-delimited field of a message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value):
    """Seven bits a byte, the lowest first; the high bit says that more follow."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
