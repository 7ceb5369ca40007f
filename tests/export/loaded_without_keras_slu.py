"""Loads a SavedModel by both of TensorFlow's loaders, without our package.

    python loaded_without_keras_slu.py FOLDER TEXT

Prints the answers of both as two lines of JSON.
"""

import json
import sys

for name in ("keras_slu", "keras", "tensorflow_text"):
    sys.modules[name] = None  # an import raises

import tensorflow as tf  # noqa: E402


def show(answers):
    def plain(value):
        return value.decode() if isinstance(value, bytes) else value

    rows = {name: value[0].tolist() for name, value in answers.items()}
    for name, row in rows.items():
        rows[name] = [plain(v) for v in row] if isinstance(row, list) else row
    print(json.dumps(rows, sort_keys=True))


def main():
    folder, text = sys.argv[1:]
    loaded = tf.saved_model.load(folder)
    answers = loaded.signatures["serving_default"](text=tf.constant([text]))
    show({name: value.numpy() for name, value in answers.items()})

    # As TensorFlow Serving does.
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meta = tf.compat.v1.saved_model.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        outputs = {name: info.name for name, info in signature.outputs.items()}
        show(session.run(outputs, {signature.inputs["text"].name: [text.encode()]}))


if __name__ == "__main__":
    main()
