"""From a translation recipe to its sentences and their vocabulary."""

from dataclasses import dataclass

from keras_slu.data.parallel import read_parallel
from keras_slu.parsing.translator import encode_source
from keras_slu.text.sentence_pieces import SentencePieces
from keras_slu.training.paths import resolve


@dataclass
class Pairs:
    """The sentences of a split, read and encoded.

    Args:
        sources, targets: lists of str.
        source_ids: list of lists of int, with their end.
        target_ids: list of lists of int, without start and end.
    """

    sources: list[str]
    targets: list[str]
    source_ids: list[list[int]]
    target_ids: list[list[int]]


@dataclass
class PreparedPairs:
    """A recipe's data.

    Args:
        splits: dict of `Pairs`: `train`, `dev`, and `test` where the recipe
            names one.
        pieces: `SentencePieces` of the training text in both languages.
    """

    splits: dict[str, Pairs]
    pieces: SentencePieces


def prepare(recipe, folder):
    """Reads and encodes all that a recipe names.

    Args:
        recipe: `TranslationRecipe`.
        folder: path that the recipe's paths are relative to.

    Returns:
        `PreparedPairs`.

    Raises:
        InputError: for faulty data, before anything is written.
    """
    text = recipe.text
    read = {
        split: read_parallel(*(resolve(path, folder) for path in files.values()))
        for split, files in recipe.data.model_dump(exclude_none=True).items()
    }
    sources, targets = read["train"]
    pieces = SentencePieces.train([*sources, *targets], text.vocabulary_size)
    splits = {
        split: _encode(*sides, pieces, text.max_tokens) for split, sides in read.items()
    }
    return PreparedPairs(splits, pieces)


def _encode(sources, targets, pieces, max_tokens):
    return Pairs(
        sources,
        targets,
        [encode_source(pieces, source, max_tokens)[0] for source in sources],
        [pieces.encode(target)[: max_tokens - 1] for target in targets],
    )
