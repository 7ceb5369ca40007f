"""The words that a recipe's model knows, and where their vectors come from."""

import numpy as np

from keras_slu.data.encoding import tokens_of
from keras_slu.encoders.word_vectors import read_word_vectors
from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.text.table import SEPARATOR
from keras_slu.text.vocabulary import FIRST_WORD
from keras_slu.text.vocabulary import UNKNOWN
from keras_slu.text.vocabulary import Vocabulary
from keras_slu.training.paths import resolve


def make_vocabulary(recipe, folder, utterances, tokenizer):
    """A recipe's vocabulary, and its rows of pretrained vectors or `None`."""
    text = recipe.text
    extra = set()
    if text.extra_words:
        lines = read_lines(resolve(text.extra_words, folder))
        extra = {
            tokenizer.fold(token.text)
            for _, line in lines
            for token in tokenizer.tokenize(line)
        }
    words = [
        tokenizer.fold(token.text)
        for utterance in utterances
        for token in tokens_of(utterance, tokenizer)
    ]
    if text.word_vectors is None:
        return Vocabulary.build(words, text.min_count, extra, text.longest_ending), None

    path = resolve(text.word_vectors.path, folder)
    keep = None if text.word_vectors.keep == "all" else {*words, *extra}
    known, vectors = read_word_vectors(path, keep=keep, fold=tokenizer.fold)
    width = recipe.model.embedding_dim
    if recipe.has_static_vectors:
        width = vectors.shape[1]
    if known and vectors.shape[1] != width:
        raise InputError(
            f"holds vectors of {vectors.shape[1]} numbers, the model's are {width}",
            f"Set model.embedding_dim to {vectors.shape[1]}.",
            file=path,
        )
    # GloVe has words with spaces inside, which no tokenizer makes.
    whole = [row for row, word in enumerate(known) if not SEPARATOR.search(word)]
    known, vectors = [known[row] for row in whole], vectors[whole]
    vocabulary = Vocabulary.build(
        words, text.min_count, {*extra, *known}, text.longest_ending
    )
    return vocabulary, _embedding(vocabulary, known, vectors, recipe.seed, width)


def _embedding(vocabulary, known, vectors, seed, width):
    """Rows of the pretrained vectors; others drawn at the vectors' scale.

    An ending has the mean vector of the words that end so.
    """
    scale = float(vectors.std()) if known else 0.05
    random = np.random.default_rng([seed, len(vocabulary)])
    table = random.normal(0.0, scale, (len(vocabulary), width)).astype(np.float32)
    if known:
        table[vocabulary.ids(known)] = vectors
        _set_endings(table, vocabulary, known, vectors)
    return table


def _set_endings(table, vocabulary, known, vectors):
    """Puts the mean of known words' vectors into the rows of their endings."""
    pairs = [
        (row, source)
        for source, word in enumerate(known)
        for row in vocabulary.ending_ids(word)
    ]
    if not pairs:
        return
    rows, sources = np.array(pairs).T
    sums = np.zeros_like(table)
    np.add.at(sums, rows, vectors[sources])
    counts = np.bincount(rows, minlength=len(table))[:, None]
    table[:] = np.where(counts, sums / np.maximum(counts, 1), table)


def add_tuned_rows(rows, counts):
    """Gives the words of training rows of the tuned channel.

    Args:
        rows: int sequence, the rows of the first ids as they stand.
        counts: int array `(vocabulary,)`, how often training has each id.

    Returns:
        int32 `(vocabulary,)`: rows that stood, new ones after them for other
        words that training has, the unknown word's for all others.
    """
    grown = np.full(len(counts), UNKNOWN, np.int32)
    grown[: len(rows)] = rows
    is_new = (grown == UNKNOWN) & (np.asarray(counts) > 0)
    is_new[:FIRST_WORD] = False
    grown[is_new] = grown.max() + 1 + np.arange(is_new.sum())
    return grown
