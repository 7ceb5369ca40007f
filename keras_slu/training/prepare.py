"""From a recipe to what `fit` needs: data, vocabulary, model."""

from dataclasses import dataclass

import keras
import numpy as np

from keras_slu.data import read
from keras_slu.data.alignment import is_aligned
from keras_slu.data.dialogue import with_acts
from keras_slu.data.encoding import Examples
from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.data.encoding import tokens_of
from keras_slu.data.encoding import training_labels
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError
from keras_slu.models import HAN
from keras_slu.models import LRT
from keras_slu.models import SHALRT
from keras_slu.models import CoInteractive
from keras_slu.models import JointBERT
from keras_slu.models import MemoryEncoder
from keras_slu.models import SlotRefine
from keras_slu.models import StackPropagation
from keras_slu.models import TwoRoundBiLSTM
from keras_slu.text.piece_vocabulary import PieceVocabulary
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import UNKNOWN
from keras_slu.text.vocabulary import Vocabulary
from keras_slu.training.distillation import with_soft_labels
from keras_slu.training.encoder_settings import check_heads
from keras_slu.training.encoder_settings import rate_factors
from keras_slu.training.histories import with_histories
from keras_slu.training.histories import with_prompts
from keras_slu.training.optimizer import make_optimizer
from keras_slu.training.paths import resolve
from keras_slu.training.vocabularies import add_tuned_rows
from keras_slu.training.vocabularies import make_vocabulary

MODELS = {
    "han": HAN,
    "co_interactive": CoInteractive,
    "slot_refine": SlotRefine,
    "stack_propagation": StackPropagation,
    "joint_bert": JointBERT,
    "lrt": LRT,
    "sha_lrt": SHALRT,
    "memory_encoder": MemoryEncoder,
    "two_round": TwoRoundBiLSTM,
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
        vocabulary: `Vocabulary` or `PieceVocabulary`, with its counts.
        vectors: float32 `(vocabulary, width)`, the pretrained vectors and, in
            their place where there is none, random ones; or `None`.
        tuned_rows: int32 `(vocabulary,)`, each word's row in the tuned channel
            of a `TwoChannelEmbedding`.
        left_out: dict, how many utterances of each split were left out for
            their misaligned slots; empty where that was not asked for.
        encoder: the pretrained encoder, or `None`.
    """

    utterances: dict[str, list[Utterance]]
    examples: dict[str, Examples]
    labels: LabelSet
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    vectors: np.ndarray | None
    tuned_rows: np.ndarray
    left_out: dict[str, int]
    encoder: keras.layers.Layer | None


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
        split: _read(recipe, path, folder)
        for split, path in recipe.data.model_dump(exclude_none=True).items()
    }
    tokenizer = _tokenizer(recipe, utterances["train"])
    left_out = {}
    if recipe.misaligned_slots == "leave_out":
        read_in = utterances
        utterances = {split: _aligned(of, tokenizer) for split, of in read_in.items()}
        left_out = {s: len(read_in[s]) - len(utterances[s]) for s in read_in}
    labels = training_labels(utterances["train"], tokenizer, recipe.model.intent_head)
    if not labels.intents:
        raise InputError(
            "no utterance has an intent, which `model.intent_head: sigmoid` needs",
            "Set it to softmax.",
            file=resolve(recipe.data.train, folder),
        )
    encoder = None
    if recipe.encoder is not None:
        encoder, pieces = recipe.encoder.load(folder)
        _check_heads(recipe.model, encoder)
        vocabulary, vectors = PieceVocabulary(pieces, encoder.max_pieces), None
    else:
        heard = with_prompts(utterances["train"], recipe.model)
        vocabulary, vectors = make_vocabulary(recipe, folder, heard, tokenizer)
    # Test too, though training does not use it: its faults are to be told now.
    examples = {
        split: encode(of_split, tokenizer, vocabulary, labels, recipe.text.max_tokens)
        for split, of_split in utterances.items()
    }
    examples = with_histories(
        recipe, folder, utterances, examples, labels, (tokenizer, vocabulary)
    )
    examples["train"] = with_soft_labels(
        recipe, folder, utterances["train"], examples["train"], labels
    )
    if encoder is not None:
        ids = examples["train"].token_ids
        vocabulary.counts = np.bincount(ids[ids != 0], minlength=len(vocabulary))
    tuned_rows = add_tuned_rows([0, UNKNOWN], vocabulary.counts)
    return Prepared(
        utterances,
        examples,
        labels,
        tokenizer,
        vocabulary,
        vectors,
        tuned_rows,
        left_out,
        encoder,
    )


def _check_heads(model, encoder):
    """Refuses heads of JointBERT's own layers that its encoder's width does not fit."""
    if model.type == "joint_bert" and (model.num_layers or model.generator):
        remedy = "Set `model.num_heads` to a number that divides it."
        check_heads(encoder, model.num_heads, remedy)


def _read(recipe, path, folder):
    """A recipe's data as it would have them."""
    utterances = read(resolve(path, folder))
    if recipe.acts_as_intents:
        utterances = with_acts(utterances)
    return _without(utterances, recipe.leave_out_intents, path)


def _without(utterances, intents, path):
    """The utterances that have none of some intents."""
    kept = [u for u in utterances if not set(intents).intersection(u.intents)]
    if not kept:
        raise InputError(
            "every utterance has one of `leave_out_intents`", "Name fewer.", file=path
        )
    return kept


def _aligned(utterances, tokenizer):
    """The utterances whose slots begin and end where tokens do."""
    return [u for u in utterances if is_aligned(u, tokens_of(u, tokenizer))]


def _tokenizer(recipe, utterances):
    mode = recipe.text.tokenizer
    if mode == "auto":
        mode = _fitting_mode([u for u in utterances if u.tokens])
    # Pieces have a case folding of their own.
    lowercase = recipe.text.lowercase and recipe.encoder is None
    return Tokenizer(mode=mode, lowercase=lowercase)


def _fitting_mode(tokenised):
    """The tokenizer's mode that finds the tokens of the most utterances.

    Training has them from the data; what the model is asked later comes as text.
    """
    modes = ("whitespace", "unicode") if tokenised else ("unicode",)
    found = dict.fromkeys(modes, 0)
    for mode in modes:
        tokenizer = Tokenizer(mode=mode, lowercase=False)
        for utterance in tokenised:
            words = [token.text for token in tokenizer.tokenize(utterance.text)]
            found[mode] += words == [token.text for token in utterance.tokens]
        if found[mode] == len(tokenised):
            break
    return max(found, key=found.get)


def build_model(recipe, prepared):
    """Makes the recipe's model, with its embedding and its optimizer."""
    model = MODELS[recipe.model.type](
        intents=prepared.labels.intents,
        tags=prepared.labels.tags,
        max_tokens=recipe.text.max_tokens,
        dtype=recipe.training.precision,
        **recipe.model.model_dump(exclude={"type"}),
        **_encoder_arguments(recipe, prepared),
    )
    model.tokenizer = prepared.tokenizer
    model.vocabulary = prepared.vocabulary
    if recipe.has_static_vectors:
        model.encoder.embedding.set_vectors(prepared.vectors, prepared.tuned_rows)
    elif prepared.vectors is not None:
        model.encoder.embedding.set_weights([prepared.vectors])
    compile_model(model, recipe, prepared)
    return model


def _encoder_arguments(recipe, prepared):
    """What a model's embedding, or the encoder in its place, is made of."""
    if recipe.model.type == "joint_bert":
        return {"encoder": prepared.encoder}
    if prepared.encoder is not None:
        return {"encoder": prepared.encoder, "vocabulary_size": None}
    arguments = {"vocabulary_size": len(prepared.vocabulary)}
    if recipe.has_static_vectors:
        arguments["static_dim"] = prepared.vectors.shape[1]
        arguments["tuned_words"] = int(prepared.tuned_rows.max()) + 1
    return arguments


def compile_model(model, recipe, prepared):
    """Compiles a model with the recipe's optimizer, fresh."""
    steps = -(-len(prepared.examples["train"]) // recipe.training.batch_size)
    optimizer = make_optimizer(recipe.training, steps)
    if prepared.encoder is not None:
        optimizer.rate_factors = rate_factors(
            prepared.encoder, recipe.encoder, recipe.training
        )
    model.compile(
        optimizer=optimizer,
        loss=model.default_loss(),
        jit_compile=False,
    )
