"""From a recipe of skills to what `fit` needs: data, pieces, model."""

from dataclasses import dataclass

from keras_slu.data.encoding import training_labels
from keras_slu.data.examples import Question
from keras_slu.data.examples import TextExample
from keras_slu.data.findings import place
from keras_slu.data.holding_out import hold_out
from keras_slu.data.sentence_tasks import CONTAINS
from keras_slu.data.skill_data import read_examples
from keras_slu.data.skill_rows import SkillExamples
from keras_slu.data.skill_rows import encode_examples
from keras_slu.data.skill_task import WITHOUT_LABELS
from keras_slu.data.skill_task import SkillTask
from keras_slu.data.tokenising import tokenised
from keras_slu.encoders.skill_start import start_from_bert
from keras_slu.errors import InputError
from keras_slu.models.skillnet import SkillNet
from keras_slu.parsing.parser import load_model
from keras_slu.text.piece_counts import make_piece_vocabulary
from keras_slu.text.word_pieces import WordPieces
from keras_slu.training.optimizer import make_optimizer
from keras_slu.training.paths import resolve


@dataclass
class PreparedSkills:
    """A recipe's data, read and encoded, and what its model starts from.

    Args:
        tasks: list of `SkillTask`, all of the model: those that stay from its
            start, then those of the recipe.
        splits: dict of splits, each a dict of `SkillExamples` by task.
        pieces: `WordPieces`.
        start: the `SkillNet` of the start, or `None`.
        bert: the encoder to start from, or `None`.
    """

    tasks: list[SkillTask]
    splits: dict[str, dict[str, SkillExamples]]
    pieces: WordPieces
    start: SkillNet | None
    bert: object | None


def prepare(recipe, folder):
    """Reads and encodes all that a recipe names.

    Args:
        recipe: `SkillRecipe`.
        folder: path that the recipe's paths are relative to.

    Returns:
        `PreparedSkills`.

    Raises:
        InputError: for faulty data or a start that does not fit, before
            anything is written.
    """
    read = {
        name: _read(settings, folder, name) for name, settings in recipe.data.items()
    }
    start = recipe.start and _load_start(recipe, folder)
    bert, pieces = None, None
    if recipe.bert is not None:
        bert, tokens = recipe.bert.load(folder)
        tokenizer = tokens.tokenizer
        pieces = WordPieces(tokenizer.get_vocabulary(), tokenizer.lowercase)
    elif start is not None:
        pieces = start.pieces
    pieces = pieces or _make_pieces(recipe.text, folder, read)
    splits, tasks = {"train": {}, "dev": {}, "test": {}}, []
    for name, of_task in read.items():
        if recipe.data[name].kind == "tagging":
            of_task = {
                split: [tokenised(utterance, pieces) for utterance in utterances]
                for split, utterances in of_task.items()
            }
        task = make_task(name, recipe.data[name], of_task["train"], pieces, start)
        tasks.append(task)
        for split, examples in of_task.items():
            splits[split][name] = encode_examples(
                examples, task, pieces, recipe.max_pieces
            )
    return PreparedSkills(_kept(recipe, start) + tasks, splits, pieces, start, bert)


def _read(settings, folder, name):
    """The examples of a task's splits."""
    found = {
        split: read_examples(
            [resolve(path, folder) for path in paths], settings.kind, settings.format
        )
        for split, paths in settings.paths().items()
    }
    if settings.kind == "ranking":
        for examples in found.values():
            _check_candidates(examples)
    if "dev" not in found:
        try:
            kept, held = hold_out(found["train"], settings.dev_share)
        except InputError as error:
            raise InputError(f"task {name!r}: {error.problem}", error.remedy) from None
        found |= {"train": kept, "dev": held}
    return found


def _check_candidates(examples):
    for example in examples:
        if example.label not in CONTAINS:
            file, line = place(example.origin)
            raise InputError(
                f"the label {example.label!r} of a candidate",
                "Give those that are right 1, and the others 0.",
                file=file,
                line=line,
            )


def _load_start(recipe, folder):
    """The model that a recipe starts from."""
    run = resolve(recipe.start, folder)
    model = load_model(run)
    if not isinstance(model, SkillNet) or model.pieces is None:
        raise InputError(
            "is no run of skills", "Name one of a recipe with `task: skills`.", file=run
        )
    return model


def _kept(recipe, start):
    """The tasks of the start that stay beside those of the recipe."""
    if not recipe.keep_tasks:
        return []
    kept = [task for task in start.tasks if task.name not in recipe.data]
    for task in kept:
        unknown = [skill for skill in task.skills if skill not in recipe.skills]
        if unknown:
            raise InputError(
                f"the task {task.name!r} of the start has the skills {unknown}, "
                "which the recipe lacks",
                "Add them to `skills`.",
                file=recipe.start,
            )
    return kept


def _make_pieces(text, folder, read):
    if text.vocabulary is not None:
        return WordPieces.load(resolve(text.vocabulary, folder), text.lowercase)
    texts = (
        part
        for of_task in read.values()
        for example in of_task["train"]
        for part in _texts_of(example)
    )
    vocabulary = make_piece_vocabulary(
        texts, text.vocabulary_size, text.min_count, text.lowercase
    )
    return WordPieces(vocabulary, text.lowercase)


def _texts_of(example):
    if isinstance(example, TextExample):
        return example.text, example.second or ""
    if isinstance(example, Question):
        return example.text, example.passage
    return (example if isinstance(example, str) else example.text,)


def make_task(name, settings, examples, pieces, start=None):
    """A recipe's task, with the labels of its training data.

    Args:
        name: str.
        settings: `SkillTaskSettings`.
        examples: list, the training data.
        pieces: `WordPieces`.
        start: `SkillNet` or `None`. Where it has a task of this name, its
            labels are taken. Defaults to `None`.

    Returns:
        `SkillTask`.

    Raises:
        InputError: when there are too few labels, or others than the start's.
    """
    labels = []
    if settings.kind == "tagging":
        labels = training_labels(examples, pieces).tags
    elif settings.kind not in WITHOUT_LABELS:
        labels = sorted({example.label for example in examples})
    for known in start.tasks if start else ():
        if known.name == name:
            if known.kind != settings.kind or set(labels) - set(known.labels):
                raise InputError(
                    f"the task {name!r} of the start is of the kind {known.kind!r} "
                    f"with the labels {list(known.labels)}, the data's are {labels}",
                    "Give the task another name.",
                )
            labels = known.labels
    try:
        return SkillTask(name, settings.kind, labels, settings.skills)
    except ValueError as error:
        raise InputError(
            str(error), f"Correct `data.{name}`, or its training data."
        ) from None


def build_model(recipe, prepared):
    """Makes the recipe's model, with the weights of its start."""
    settings = recipe.model.model_dump(exclude={"type"})
    start, longest = prepared.start, recipe.max_pieces
    if recipe.keep_tasks:
        longest = max(longest, start.encoder.max_pieces)
    model = SkillNet(
        prepared.tasks,
        list(recipe.skills),
        len(prepared.pieces),
        kind=recipe.model.type,
        max_pieces=longest,
        dtype=recipe.training.precision,
        **settings,
    )
    model.pieces = prepared.pieces
    if prepared.bert is not None:
        start_from_bert(model, prepared.bert)
    if start is not None:
        try:
            new = set(recipe.skills) - set(start.skills)
            model.take_weights(start, dict.fromkeys(new, recipe.start_skill))
        except ValueError as error:
            raise InputError(
                str(error), "Make the recipe's `model` the start's.", file=recipe.start
            ) from None
    if recipe.train_only is not None:
        model.train_only(recipe.train_only, list(recipe.data))
    return model


def compile_model(model, recipe, steps):
    """Compiles a model with the recipe's optimizer, fresh."""
    model.compile(optimizer=make_optimizer(recipe.training, steps), jit_compile=False)
