"""Writes and checks a SavedModel; runs in a child of `saved_model`."""

import json
from pathlib import Path

import tensorflow as tf

from keras_slu.data.batches import bucket_bound
from keras_slu.export.contract import describe
from keras_slu.export.exportable import load_exportable
from keras_slu.export.parser_graph import ParserGraph
from keras_slu.export.piece_graph import PieceGraph
from keras_slu.export.punctuation_exports import SavedModelPunctuator
from keras_slu.export.punctuation_exports import check_punctuation
from keras_slu.export.punctuation_graph import PunctuationGraph
from keras_slu.export.saved_model_dialogues import SavedModelDialogueParser
from keras_slu.export.saved_model_parser import SavedModelParser
from keras_slu.export.skill_exports import SavedModelSkills
from keras_slu.export.skill_exports import check_skills
from keras_slu.export.skill_graph import SkillGraph
from keras_slu.export.translation_exports import SavedModelTranslator
from keras_slu.export.translation_exports import check_translation
from keras_slu.export.translation_graph import TranslationGraph
from keras_slu.export.turn_graph import TurnGraph
from keras_slu.export.turn_graph import check_turns
from keras_slu.export.warm_up import write_warm_up
from keras_slu.files import write_text
from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.models.skillnet import SkillNet
from keras_slu.parsing.punctuator import Punctuator
from keras_slu.parsing.skill_parser import SkillParser
from keras_slu.parsing.skill_texts import input_names
from keras_slu.parsing.translator import Translator
from keras_slu.parsing.turns import TurnByTurn

TOLERANCE = 1e-3


def write_saved_model(run, folder, name, task=None):
    """Writes the SavedModel of a run, with what lies beside it, and checks it.

    `assets.extra` gets the warm-up requests, `vocabulary.txt` and
    `tokenizer.npz` for clients that make token ids themselves, and
    `contract.json`: labels, settings and where the model comes from.

    Args:
        run: path of the run.
        folder: path of the folder to make.
        name: str. The model's name.
        task: str. Of a run of many tasks the one to write, with its skills only.
            Defaults to `None`, all of them.

    Raises:
        InputError: for a damaged run, and a `task` that it has not.
        OSError: when the disk is full, or cannot be written.
        RuntimeError: when what was written does not answer as the run does.
    """
    parser = load_exportable(run, task)
    model = parser.model
    extra = Path(folder) / "assets.extra"
    texts = _texts_by_length(model)
    is_punctuator = isinstance(parser, Punctuator)
    graph = _graph_class(parser)(model)
    try:
        graph.save(folder)
        extra.mkdir()
        requests = _requests(graph, texts)
        write_warm_up(extra / "tf_serving_warmup_requests", name, requests)
    except tf.errors.OpError as error:
        raise OSError(None, error.message.splitlines()[0], folder) from None
    model.save_assets(extra)
    described = describe(run, model)
    contract = json.dumps(described, indent=2, ensure_ascii=False)
    write_text(extra / "contract.json", contract + "\n")
    if isinstance(parser, SkillParser):
        check_skills(parser, SavedModelSkills(folder, described), texts)
        return
    if is_punctuator:
        texts.append(" ".join(texts))  # of many windows
        check_punctuation(parser, SavedModelPunctuator(folder), texts)
        return
    if isinstance(parser, Translator):
        check_translation(parser, SavedModelTranslator(folder), texts)
        return
    _check(parser, SavedModelParser(folder), texts)
    if isinstance(parser, TurnByTurn):
        check_turns(parser, SavedModelDialogueParser(folder), texts)


def _requests(graph, texts):
    """Warm-up requests, one for each signature that takes texts, and each text."""
    if not isinstance(graph, SkillGraph):
        return [("serving_default", {"text": [text]}) for text in texts]
    return [
        (task.name, {name: [text] for name in input_names(task)})
        for task in graph.tasks
        for text in texts
    ]


def _graph_class(parser):
    if isinstance(parser, Punctuator):
        return PunctuationGraph
    if isinstance(parser, Translator):
        return TranslationGraph
    if isinstance(parser, SkillParser):
        return SkillGraph
    if getattr(parser.model, "reads_pieces", False):
        return PieceGraph
    return TurnGraph if isinstance(parser, TurnByTurn) else ParserGraph


def _texts_by_length(model):
    """One text for each bucket of lengths, made of words that the model knows."""
    if isinstance(model, SkillNet):
        words, longest = model.pieces.words, model.encoder.max_pieces
    elif isinstance(model, CapsuleTransformer):
        words, longest = model.pieces.words, model.max_tokens
    else:
        words, longest = model.vocabulary.words, model.max_tokens
    lengths = sorted({bucket_bound(n) for n in range(1, longest + 1)})
    return [
        " ".join(words[place % len(words)] for place in range(length))
        for length in lengths
    ]


def _check(parser, exported, texts):
    """Refuses an export that answers otherwise than the run.

    Probabilities are compared, and not labels: where two are nearly as
    probable, rounding may choose either.
    """
    for ours, theirs in zip(parser.parse(texts), exported.parse(texts), strict=True):
        expected = {intent.name: intent.probability for intent in ours.intents}
        found = {intent.name: intent.probability for intent in theirs.intents}
        is_same = found.keys() == expected.keys() and all(
            abs(found[name] - expected[name]) < TOLERANCE for name in found
        )
        if not is_same or theirs.truncated != ours.truncated:
            raise RuntimeError(
                f"The SavedModel answers {theirs} where the run answers {ours}"
            )
