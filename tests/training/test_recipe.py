"""A recipe is read safely, and each fault in it is told with its place."""

import hashlib
import json

import pytest
import yaml

from keras_slu.errors import InputError
from keras_slu.training.base_recipe import DEFAULTS
from keras_slu.training.recipe import Recipe
from keras_slu.training.recipe import load_recipe

LEAST = "name: least\ndata:\n  train: a\n  dev: b\n"


def load(folder, text):
    path = folder / "recipe.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_recipe(path)[0]


def fault_in(folder, text):
    """Loads a faulty recipe; gives the message without its file, and the line."""
    with pytest.raises(InputError) as error:
        load(folder, text)
    assert error.value.file == str(folder / "recipe.yaml")
    message = str(error.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 400 + len(str(folder))
    return message.removeprefix(str(folder / "recipe.yaml")), error.value.line


def test_defaults(tmp_path):
    recipe = load(tmp_path, LEAST)
    assert recipe == Recipe(name="least", data={"train": "a", "dev": "b"})
    assert (recipe.seed, recipe.data.test) == (1, None)
    assert recipe.text.max_tokens == 128
    assert (recipe.model.type, recipe.model.slot_head) == ("han", "crf")
    assert recipe.training.strategy == "auto"
    assert recipe.training.weight_averaging is None


def test_paths_are_relative_to_the_recipe(tmp_path):
    (tmp_path / "deep").mkdir()
    path = tmp_path / "deep" / "recipe.yaml"
    path.write_text(LEAST)
    assert load_recipe(path)[1] == tmp_path / "deep"


def test_every_key_can_be_set(tmp_path):
    content = Recipe(
        name="full",
        seed=7,
        data={"train": "a", "dev": "b", "test": "c"},
        text={"extra_words": "w", "word_vectors": {"path": "v", "keep": "training"}},
        model={"attention": "first_order", "dim": 16, "fusion": "shallow"},
        training={"optimizer": "adamw", "weight_averaging": 0.5, "patience": 2},
    ).model_dump(mode="json")
    assert load(tmp_path, yaml.safe_dump(content)).model_dump(mode="json") == content


def test_a_recipe_never_changes(tmp_path):
    recipe = load(tmp_path, LEAST)
    with pytest.raises(ValueError):
        recipe.training.epochs = 3


@pytest.mark.parametrize("number", ["1e-3", "1.0e-3", "0.001", "'0.001'"])
def test_numbers_may_have_exponents(tmp_path, number):
    # YAML 1.1 reads 1e-3 as a string.
    recipe = load(tmp_path, f"{LEAST}training: {{learning_rate: {number}}}\n")
    assert recipe.training.learning_rate == 0.001


def test_bytes_of_windows_are_no_fault(tmp_path):
    text = b"\xef\xbb\xbf" + LEAST.replace("\n", "\r\n").encode()
    assert load(tmp_path, text) == load(tmp_path, LEAST)


@pytest.mark.parametrize(
    ("more", "key", "line"),
    [
        ("sed: 1\n", "sed", 5),
        ("model:\n  dims: 8\n", "model.dims", 6),
        ("model: {dims: 8}\n", "model.dims", 5),
        ("  tset: c\n", "data.tset", 5),
        ("model: {type: co_interactive, alpha: 1.5}\n", "model.alpha", 5),
        (
            "text:\n  word_vectors:\n    path: v\n    kept: all\n",
            "text.word_vectors.kept",
            8,
        ),
    ],
)
def test_an_unknown_key_at_any_depth(tmp_path, more, key, line):
    message, where = fault_in(tmp_path, LEAST + more)
    assert f"unknown key `{key}`" in message
    assert where == line


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("training", "learning_rate", "-0.1"),
        ("training", "learning_rate", "0"),
        ("training", "learning_rate", ".inf"),
        ("training", "learning_rate", ".nan"),
        ("training", "epochs", "many"),
        ("training", "epochs", "2.5"),
        ("training", "epochs", "0"),
        ("training", "epochs", "[1, 2]"),
        ("training", "batch_size", "-1"),
        ("training", "optimizer", "sgd"),
        ("training", "word_dropout", "1.0"),
        ("training", "weight_averaging", "1.0"),
        ("training", "patience", "0"),
        ("training", "clip_norm", "0"),
        ("training", "strategy", "parameter_server"),
        ("model", "dropout", "-0.3"),
        ("model", "dropout", "nothing"),
        ("model", "dim", "9"),
        ("model", "alpha", "0"),
        ("model", "type", "bert"),
        ("model", "trainable_embedding", "7"),
        ("text", "lowercase", "sometimes"),
        ("text", "max_tokens", "0"),
        ("text", "tokenizer", "null"),
        ("text", "word_vectors", "glove.txt"),
    ],
)
def test_a_value_that_cannot_be(tmp_path, section, key, value):
    message, line = fault_in(tmp_path, f"{LEAST}{section}:\n  {key}: {value}\n")
    assert f"`{section}.{key}` cannot be " in message
    assert line == 6


@pytest.mark.parametrize(
    "name", ["5", "a b", "../up", "''", "null", "[a]", ".hidden", "a/b", "'a\n'"]
)
def test_a_name_that_makes_no_file_name(tmp_path, name):
    message, line = fault_in(tmp_path, LEAST.replace("least", name))
    assert "`name` cannot be " in message
    assert line == 1


@pytest.mark.parametrize("seed", ["-1", "4294967296", "one", "1.5"])
def test_a_seed_that_cannot_be(tmp_path, seed):
    message, line = fault_in(tmp_path, f"{LEAST}seed: {seed}\n")
    assert "`seed` cannot be " in message
    assert line == 5


def test_the_largest_seed(tmp_path):
    assert load(tmp_path, f"{LEAST}seed: 4294967295\n").seed == 2**32 - 1


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("{attention: none}", "fusion: shallow"),
        ("{attention: first_order, dim: 12}", "multiple of 8"),
        ("{attention: first_order, dim: 8}", "at least 16"),
        ("{type: slot_refine, refine_after: [2]}", "below `num_layers`"),
        ("{type: lrt, refine_after: [1, 4]}", "below `num_layers`"),
        ("{type: joint_bert, slot_head: softmax, refine_after: [0]}", "below"),
        ("{type: joint_bert, generator: true}", "slot_head: softmax"),
    ],
)
def test_parts_of_a_model_that_do_not_fit(tmp_path, model, told):
    message, line = fault_in(tmp_path, f"{LEAST}model: {model}\n")
    assert "`model`" in message and told in message
    assert line == 5


def test_a_channel_that_is_not_there_has_no_dropout(tmp_path):
    message, _ = fault_in(tmp_path, f"{LEAST}model: {{channel_dropout: 0.1}}\n")
    assert "use: static" in message


@pytest.mark.parametrize(
    "model",
    [
        {"attention": "none", "fusion": "shallow"},
        {"attention": "none", "interaction": False},
        {"attention": "first_order", "dim": 16},
        {"attention": "first_order", "dim": 12, "interaction": False},
        {"slot_head": "softmax", "self_attention": True, "merge": "sum"},
    ],
)
def test_parts_that_a_recipe_allows_make_a_model(model):
    from keras_slu.models import HAN

    settings = Recipe(
        name="x",
        data={"train": "a", "dev": "b"},
        model={"dim": 8, "embedding_dim": 4, "num_layers": 1, **model},
    ).model.model_dump(exclude={"type"})
    HAN(5, intents=["a"], tags=["O", "B-x"], **settings)


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("data: {train: a, dev: b}\n", "name", None),
        ("name: x\n", "data", None),
        ("name: x\ndata:\n  train: a\n", "data.dev", 2),
        (LEAST + "text:\n  word_vectors: {keep: all}\n", "text.word_vectors.path", 6),
    ],
)
def test_a_missing_key(tmp_path, text, key, line):
    message, where = fault_in(tmp_path, text)
    assert f"the key `{key}` is missing" in message
    assert where == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (LEAST + "text: {a: 1\nmodel: 2\n", 6),
        (LEAST + "\ttext: 1\n", 5),
        (LEAST + "text: 'open\n", 5),
        (LEAST + "---\nname: two\n", 5),
        (LEAST + "? [a]\n: 1\n", 5),
        (LEAST + "seed: *nowhere\n", 5),
        (LEAST + "seed: 2020-13-45\n", None),
        (LEAST + f"seed: {'9' * 5000}\n", None),
        (LEAST + f"text: {'[' * 3000}\n", None),
        (LEAST + "text: \x07\n", None),
    ],
)
def test_a_syntax_error(tmp_path, text, line):
    message, where = fault_in(tmp_path, text)
    assert "is not valid YAML" in message
    assert where == line


def test_a_tag_makes_no_object(tmp_path):
    trace = tmp_path / "trace"
    text = f"{LEAST}text: !!python/object/apply:os.mkdir ['{trace}']\n"
    message, line = fault_in(tmp_path, text)
    assert "is not valid YAML" in message
    assert line == 5
    assert not trace.exists()


@pytest.mark.parametrize("key", ["seed", "unknown", "text", "model"])
def test_aliases_that_would_fill_the_memory(tmp_path, key):
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 30):
        aliases = ", ".join([f"*a{level - 1}"] * 10)
        levels.append(f"a{level}: &a{level} [{aliases}]")
    text = "\n".join([*levels, f"{key}: *a29", LEAST])
    fault_in(tmp_path, text)


def test_a_list_within_itself(tmp_path):
    message, _ = fault_in(tmp_path, LEAST + "seed: &a [*a]\n")
    assert "`seed` cannot be a list" in message


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "5\n", "text\n"])
def test_what_holds_no_keys(tmp_path, text):
    message, _ = fault_in(tmp_path, text)
    assert "is no recipe" in message


def test_bytes_that_are_no_text(tmp_path):
    assert fault_in(tmp_path, b"name: x\nseed: \xff\n")[1] == 2
    assert fault_in(tmp_path, b"name: x\nseed: \0\n")[1] == 2


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_recipe(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="is a folder"):
        load_recipe(tmp_path)


def leaves(content, path=()):
    """Every key of a recipe's content, as a path."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


OTHER = {
    "train": "other",
    "leave_out_intents": ("play",),
    "misaligned_slots": "leave_out",
    "intent_head": "sigmoid",
    "path": "other",
    "tokenizer": "unicode",
    "attention": "first_order",
    "order": "second",
    "fusion": "shallow",
    "merge": "sum",
    "slot_head": "softmax",
    "optimizer": "adam",
    "schedule": "linear",
    "strategy": "mirrored",
    "precision": "mixed_float16",
    "keep": "training",
    "use": "start",
    "weight_averaging": 0.5,
    "extra_words": "other",
    "distillation": {"teacher": "other"},
    "max_tokens": 64,
    "dim": 64,
}
FULL = Recipe(
    name="full",
    data={"train": "a", "dev": "b", "test": "c"},
    text={"word_vectors": {"path": "v", "use": "static"}},
    training={"patience": 5},
)
# What the model does not take, and what word vectors leave no place for.
FIXED = [("task",), ("history",), ("encoder",), ("model", "type")]
KEYS = [path for path in leaves(FULL.model_dump()) if path not in FIXED]


@pytest.mark.parametrize("path", KEYS, ids=".".join)
def test_the_digest_is_of_all_that_shapes_the_result(path):
    content = FULL.model_dump()
    section = content
    for key in path[:-1]:
        section = section[key]
    key, value = path[-1], section[path[-1]]
    if isinstance(value, bool):
        other = not value
    elif isinstance(value, int):
        other = value + 8
    elif isinstance(value, float):
        other = value + 0.25
    else:
        other = OTHER.get(key, "other")
    section[key] = other
    changed = Recipe.model_validate(content)
    assert changed != FULL
    same = path in (("name",), ("seed",))
    assert (changed.digest() == FULL.digest()) == same


def test_the_digest_does_not_depend_on_the_spelling(tmp_path):
    spelled = LEAST + "training: {epochs: 30, learning_rate: 1e-3}\ntext: {}\n"
    assert load(tmp_path, spelled).digest() == load(tmp_path, LEAST).digest()
    assert len(load(tmp_path, LEAST).digest()) == 12


def test_keys_at_their_defaults_leave_the_digest_alone():
    content = {
        "data": {"train": "a", "dev": "b", "test": "c"},
        "text": {"word_vectors": {"path": "v", "use": "static"}},
        "training": {"patience": 5},
        "defaults": DEFAULTS,
    }
    text = json.dumps(content, sort_keys=True)
    assert FULL.digest() == hashlib.sha256(text.encode()).hexdigest()[:12]
