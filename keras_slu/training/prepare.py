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
from keras_slu.models import CoInteractive
from keras_slu.models import StackPropagation
from keras_slu.optimizers import RectifiedAdam
from keras_slu.schedules import WarmupDecay
from keras_slu.text.table import SEPARATOR
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import FIRST_WORD
from keras_slu.text.vocabulary import UNKNOWN
from keras_slu.text.vocabulary import Vocabulary

MODELS = {
    "han": HAN,
    "co_interactive": CoInteractive,
    "stack_propagation": StackPropagation,
}


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
        vectors: float32 `(vocabulary, width)`, the pretrained vectors and, in
            their place where there is none, random ones; or `None`.
        tuned_rows: int32 `(vocabulary,)`, each word's row in the tuned channel
            of a `TwoChannelEmbedding`.
    """

    utterances: dict[str, list[Utterance]]
    examples: dict[str, Examples]
    labels: LabelSet
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    vectors: np.ndarray | None
    tuned_rows: np.ndarray


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
        split: _without(read(resolve(path, folder)), recipe.leave_out_intents, path)
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
    tuned_rows = add_tuned_rows([0, UNKNOWN], vocabulary.counts)
    return Prepared(
        utterances, examples, labels, tokenizer, vocabulary, vectors, tuned_rows
    )


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


def resolve(path, folder):
    """A recipe's path as seen from here; embedded corpora have none."""
    return path if path.startswith("embedded:") else Path(folder) / path


def _without(utterances, intents, path):
    """The utterances that have none of some intents."""
    kept = [u for u in utterances if not set(intents).intersection(u.intents)]
    if not kept:
        raise InputError(
            "every utterance has one of `leave_out_intents`", "Name fewer.", file=path
        )
    return kept


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
    if recipe.has_static_vectors:
        settings["static_dim"] = prepared.vectors.shape[1]
        settings["tuned_words"] = int(prepared.tuned_rows.max()) + 1
    model = MODELS[recipe.model.type](
        len(prepared.vocabulary),
        intents=prepared.labels.intents,
        tags=prepared.labels.tags,
        max_tokens=recipe.text.max_tokens,
        dtype=recipe.training.precision,
        **settings,
    )
    model.tokenizer = prepared.tokenizer
    model.vocabulary = prepared.vocabulary
    embedding = model.encoder.embedding
    if recipe.has_static_vectors:
        embedding.set_vectors(prepared.vectors, prepared.tuned_rows)
    elif prepared.vectors is not None:
        embedding.set_weights([prepared.vectors])
    compile_model(model, recipe, prepared)
    return model


def compile_model(model, recipe, prepared):
    """Compiles a model with the recipe's optimizer, fresh."""
    steps = -(-len(prepared.examples["train"]) // recipe.training.batch_size)
    model.compile(
        optimizer=_optimizer(recipe.training, steps),
        loss=model.default_loss(),
        jit_compile=False,
    )


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
