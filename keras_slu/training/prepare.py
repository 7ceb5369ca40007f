"""From a recipe to what `fit` needs: data, vocabulary, model."""

from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np

from keras_slu.data import read
from keras_slu.data.encoding import Examples
from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.data.encoding import tokens_of
from keras_slu.data.encoding import training_labels
from keras_slu.data.utterance import Utterance
from keras_slu.encoders.word_vectors import read_word_vectors
from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.models import HAN
from keras_slu.optimizers import RectifiedAdam
from keras_slu.schedules import WarmupDecay
from keras_slu.text.table import SEPARATOR
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary


@dataclass
class Prepared:
    """A recipe's data, read and encoded.

    Args:
        utterances: dict of lists of `Utterance`: `train`, `dev`, and `test`
            where the recipe names one.
        examples: dict of `Examples`, as `utterances`.
        labels: `LabelSet` of training.
        tokenizer: `Tokenizer`.
        vocabulary: `Vocabulary`, with its counts.
        vectors: float32 `(vocabulary, embedding_dim)`, the first embedding,
            or `None`.
    """

    utterances: dict[str, list[Utterance]]
    examples: dict[str, Examples]
    labels: LabelSet
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    vectors: np.ndarray | None


def prepare(recipe, folder):
    """Reads and encodes all that a recipe names.

    Args:
        recipe: `Recipe`.
        folder: path that the recipe's paths are relative to.

    Returns:
        `Prepared`.

    Raises:
        InputError: for faulty data, before anything is written.
    """
    utterances = {
        split: read(resolve(path, folder))
        for split, path in recipe.data.model_dump(exclude_none=True).items()
    }
    tokenizer = _tokenizer(recipe.text, utterances["train"])
    labels = training_labels(utterances["train"], tokenizer)
    vocabulary, vectors = _vocabulary(recipe, folder, utterances["train"], tokenizer)
    # Test too, though training does not use it: its faults are to be told now.
    examples = {
        split: encode(of_split, tokenizer, vocabulary, labels, recipe.text.max_tokens)
        for split, of_split in utterances.items()
    }
    return Prepared(utterances, examples, labels, tokenizer, vocabulary, vectors)


def resolve(path, folder):
    """A recipe's path as seen from here; embedded corpora have none."""
    return path if path.startswith("embedded:") else Path(folder) / path


def _tokenizer(text, utterances):
    mode = text.tokenizer
    if mode == "auto":
        tokenised = any(utterance.tokens for utterance in utterances)
        mode = "whitespace" if tokenised else "unicode"
    return Tokenizer(mode=mode, lowercase=text.lowercase)


def _vocabulary(recipe, folder, utterances, tokenizer):
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
        return Vocabulary.build(words, text.min_count, extra), None

    path = resolve(text.word_vectors.path, folder)
    keep = None if text.word_vectors.keep == "all" else {*words, *extra}
    known, vectors = read_word_vectors(path, keep=keep, fold=tokenizer.fold)
    width = recipe.model.embedding_dim
    if known and vectors.shape[1] != width:
        raise InputError(
            f"holds vectors of {vectors.shape[1]} numbers, the model's are {width}",
            f"Set model.embedding_dim to {vectors.shape[1]}.",
            file=path,
        )
    # GloVe has words with spaces inside, which no tokenizer makes.
    whole = [row for row, word in enumerate(known) if not SEPARATOR.search(word)]
    known, vectors = [known[row] for row in whole], vectors[whole]
    vocabulary = Vocabulary.build(words, text.min_count, {*extra, *known})
    return vocabulary, _embedding(vocabulary, known, vectors, recipe.seed, width)


def _embedding(vocabulary, known, vectors, seed, width):
    """Rows of the pretrained vectors; others drawn at the vectors' scale."""
    scale = float(vectors.std()) if known else 0.05
    random = np.random.default_rng([seed, len(vocabulary)])
    table = random.normal(0.0, scale, (len(vocabulary), width)).astype(np.float32)
    if known:
        table[vocabulary.ids(known)] = vectors
    return table


def build_model(recipe, prepared):
    """Makes the recipe's model, with its embedding and its optimizer."""
    settings = recipe.model.model_dump(exclude={"type"})
    model = HAN(
        len(prepared.vocabulary),
        intents=prepared.labels.intents,
        tags=prepared.labels.tags,
        max_tokens=recipe.text.max_tokens,
        dtype=recipe.training.precision,
        **settings,
    )
    model.tokenizer = prepared.tokenizer
    model.vocabulary = prepared.vocabulary
    if prepared.vectors is not None:
        model.encoder.embedding.set_weights([prepared.vectors])
    steps = -(-len(prepared.examples["train"]) // recipe.training.batch_size)
    model.compile(
        optimizer=_optimizer(recipe.training, steps),
        loss=model.default_loss(),
        jit_compile=False,
    )
    return model


def _optimizer(training, steps):
    makers = {
        "radam": RectifiedAdam,
        "adam": keras.optimizers.Adam,
        "adamw": keras.optimizers.AdamW,
    }
    averaging = training.weight_averaging
    decay = training.weight_decay
    if not decay and training.optimizer != "adamw":  # which insists on a number
        decay = None  # spares a pass over the weights
    return makers[training.optimizer](
        _schedule(training, steps),
        weight_decay=decay,
        global_clipnorm=training.clip_norm,
        use_ema=averaging is not None,
        ema_momentum=averaging or 0.99,
    )


def _schedule(training, steps):
    warmup = round(training.warmup_epochs * steps)
    if training.schedule == "constant" and not warmup:
        return training.learning_rate
    return WarmupDecay(
        training.learning_rate, training.epochs * steps, warmup, training.schedule
    )
