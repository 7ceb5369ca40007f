"""Word embeddings for TensorBoard's projector.

Keras' callback names a tensor of a TensorFlow checkpoint but writes none; the
projector also takes tables of numbers, which it always finds.
"""

from pathlib import Path

import keras
import numpy as np

from keras_slu.files import write_text
from keras_slu.text.endings import MARKER
from keras_slu.text.vocabulary import FIRST_WORD

MAX_WORDS = 10_000  # the projector samples beyond that
CONFIG = """\
embeddings {
  tensor_name: "words"
  tensor_path: "words.tsv"
  metadata_path: "word-labels.tsv"
}
"""


def write_projector(folder, embedding, vocabulary):
    """Writes the most frequent words, labelled, for the projector.

    Args:
        folder: path of a TensorBoard run, a folder with an event file.
        embedding: layer that embeds word ids, `(batch, time)`.
        vocabulary: `Vocabulary` with its `counts`.
    """
    folder = Path(folder)
    places = np.argsort(-vocabulary.counts[FIRST_WORD:], kind="stable")[:MAX_WORDS]
    ids = (places + FIRST_WORD).astype(np.int32)
    vectors = keras.ops.convert_to_numpy(embedding(ids[None]))[0]
    rows = ("\t".join(f"{number:.5g}" for number in row) + "\n" for row in vectors)
    write_text(folder / "words.tsv", "".join(rows))
    labels = (
        f"{vocabulary.words[place].replace(MARKER, '-')}\t{vocabulary.counts[id_]}\n"
        for place, id_ in zip(places, ids, strict=True)
    )
    write_text(folder / "word-labels.tsv", "word\tcount\n" + "".join(labels))
    write_text(folder / "projector_config.pbtxt", CONFIG)
