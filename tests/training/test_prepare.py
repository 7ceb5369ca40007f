"""From a recipe to data, vocabulary and model."""

import json

import keras
import numpy as np
import pytest
import tiny

from keras_slu.errors import InputError
from keras_slu.schedules import WarmupDecay
from keras_slu.training.paths import resolve
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare


@pytest.fixture(scope="module")
def tokenised(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenised")
    tiny.write_tokenised(folder)
    return folder


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    tiny.write_raw(folder)
    return folder


def with_files(source, folder, **texts):
    """A copy of a corpus with files of the given names and texts beside it."""
    for split in tiny.SPLITS:
        (folder / f"{split}.jsonl").write_bytes(
            (source / f"{split}.jsonl").read_bytes()
        )
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def test_each_split_is_read_and_encoded(tokenised):
    prepared = prepare(tiny.make_recipe(), tokenised)
    for split, size in tiny.SPLITS.items():
        assert len(prepared.utterances[split]) == size
        assert len(prepared.examples[split]) == size
    assert prepared.labels.tags == [
        "O", "B-kind", "B-owner", "I-owner", "B-thing"
    ]  # fmt: skip
    assert prepared.vectors is None
    words = [token.text for u in prepared.utterances["train"] for token in u.tokens]
    assert set(prepared.vocabulary.words) == set(words)
    [the] = prepared.vocabulary.ids(["the"])
    assert prepared.vocabulary.counts[the] == words.count("the")


def test_without_test_data_there_are_two_splits(tokenised):
    recipe = tiny.make_recipe(data={"train": "train.jsonl", "dev": "dev.jsonl"})
    assert set(prepare(recipe, tokenised).examples) == {"train", "dev"}


def test_intents_can_be_left_out(tokenised):
    whole = prepare(tiny.make_recipe(), tokenised)
    without = prepare(tiny.make_recipe(leave_out_intents=["play"]), tokenised)
    for split, utterances in whole.utterances.items():
        kept = [u for u in utterances if "play" not in u.intents]
        assert without.utterances[split] == kept
        assert 0 < len(kept) < len(utterances)
    assert "play" not in without.vocabulary.words
    assert without.labels.intents == [
        name for name in whole.labels.intents if "play" not in name
    ]


def test_leaving_out_all_is_refused(tokenised):
    recipe = tiny.make_recipe(leave_out_intents=["play", "stop", "dim"])
    with pytest.raises(InputError, match="every utterance") as error:
        prepare(recipe, tokenised)
    assert error.value.file == "train.jsonl"


def test_misaligned_utterances_are_refused_or_left_out_and_counted(tmp_path):
    tiny.write_raw(tmp_path)
    run_together = {
        "text": "dim the lampfast",
        "intents": ["dim"],
        "slots": [{"name": "thing", "start": 8, "end": 12}],
    }
    with open(tmp_path / "dev.jsonl", "a") as stream:
        print(json.dumps(run_together), file=stream)
    line = tiny.SPLITS["dev"] + 1
    with pytest.raises(InputError, match="misaligned_slots: leave_out") as error:
        prepare(tiny.make_recipe(), tmp_path)
    assert error.value.line == line
    prepared = prepare(tiny.make_recipe(misaligned_slots="leave_out"), tmp_path)
    assert prepared.left_out == {"train": 0, "dev": 1, "test": 0}
    assert len(prepared.utterances["dev"]) == tiny.SPLITS["dev"]
    assert len(prepared.examples["dev"]) == tiny.SPLITS["dev"]


def test_the_tokenizer_follows_the_data_or_the_recipe(tokenised, raw):
    assert prepare(tiny.make_recipe(), tokenised).tokenizer.mode == "whitespace"
    assert prepare(tiny.make_recipe(), raw).tokenizer.mode == "unicode"
    recipe = tiny.make_recipe(text={"tokenizer": "unicode", "lowercase": False})
    tokenizer = prepare(recipe, tokenised).tokenizer
    assert (tokenizer.mode, tokenizer.lowercase) == ("unicode", False)


def test_marks_that_the_data_split_off_are_split_off_in_text(tmp_path):
    tokens = ["dim", "the", "lamp", "."]
    said = {
        "text": "dim the lamp.",
        "intents": ["dim"],
        "tokens": tokens,
        "tags": ["O", "O", "B-thing", "O"],
    }
    for split in tiny.SPLITS:
        (tmp_path / f"{split}.jsonl").write_text(json.dumps(said) + "\n")
    tokenizer = prepare(tiny.make_recipe(), tmp_path).tokenizer
    assert [token.text for token in tokenizer.tokenize(said["text"])] == tokens


def test_longer_utterances_are_cut(tokenised):
    prepared = prepare(tiny.make_recipe(text={"max_tokens": 4}), tokenised)
    examples = prepared.examples["train"]
    assert examples.lengths.max() == 4
    long = [len(u.tokens) > 4 for u in prepared.utterances["train"]]
    np.testing.assert_array_equal(examples.truncated, long)


def test_extra_words_are_known_as_the_tokenizer_makes_them(raw, tmp_path):
    folder = with_files(raw, tmp_path, extra="Sofa\n\n  the  \nnew York, now\n")
    recipe = tiny.make_recipe(text={"extra_words": "extra", "min_count": 2})
    vocabulary = prepare(recipe, folder).vocabulary
    known = vocabulary.ids(["sofa", "the", "new", "york", ",", "now"])
    assert (known > 1).all()
    assert vocabulary.counts[known[0]] == 0


VECTORS = "The 1 2 3\nblue 0 0 1\nsofa 4 5 6\n. . 7 8 9\nthe 0 0 0\n"


def test_word_vectors_become_the_embedding(raw, tmp_path):
    folder = with_files(raw, tmp_path, vectors=VECTORS)
    recipe = tiny.make_recipe(
        {"embedding_dim": 3}, text={"word_vectors": {"path": "vectors"}}
    )
    prepared = prepare(recipe, folder)
    the, blue, sofa, red = prepared.vocabulary.ids(["the", "blue", "sofa", "red"])
    model = build_model(recipe, prepared)
    table = model.encoder.embedding.get_weights()[0]
    assert table.shape == (len(prepared.vocabulary), 3)
    np.testing.assert_array_equal(table[the], [1, 2, 3])
    np.testing.assert_array_equal(table[blue], [0, 0, 1])
    np.testing.assert_array_equal(table[sofa], [4, 5, 6])
    assert sofa > 1 and table[red].any()
    # A word with a space inside is no token; it is left out.
    assert not any(" " in word for word in prepared.vocabulary.words)


def test_word_vectors_of_training_words_alone(raw, tmp_path):
    folder = with_files(raw, tmp_path, vectors=VECTORS)
    vectors = {"path": "vectors", "keep": "training"}
    recipe = tiny.make_recipe({"embedding_dim": 3}, text={"word_vectors": vectors})
    prepared = prepare(recipe, folder)
    assert prepared.vocabulary.ids(["sofa"])[0] == 1
    the = prepared.vocabulary.ids(["the"])[0]
    np.testing.assert_array_equal(prepared.vectors[the], [1, 2, 3])


def test_no_word_with_a_vector_is_no_fault(raw, tmp_path):
    folder = with_files(raw, tmp_path, vectors="sofa 4 5 6\n")
    vectors = {"path": "vectors", "keep": "training"}
    recipe = tiny.make_recipe(text={"word_vectors": vectors})
    prepared = prepare(recipe, folder)
    assert prepared.vectors.shape == (len(prepared.vocabulary), 8)


def test_an_ending_has_the_mean_vector_of_the_words_that_end_so(raw, tmp_path):
    lines = [f"{start}ville {place} 1 0\n" for place, start in enumerate("abcdefghij")]
    folder = with_files(raw, tmp_path, vectors="".join(lines))
    recipe = tiny.make_recipe(
        {"embedding_dim": 3},
        text={"word_vectors": {"path": "vectors"}, "longest_ending": 4},
    )
    prepared = prepare(recipe, folder)
    lane = prepared.vocabulary.ids(["laneville"])[0]
    np.testing.assert_allclose(prepared.vectors[lane], [4.5, 1, 0], rtol=1e-6)
    # Of lamps there are many, in training, and none has a vector.
    lamp = prepared.vocabulary.ids(["lamp99"])[0]
    assert prepared.vocabulary.words[lamp - 2] == "\tmp00"
    assert prepared.vectors[lamp].any()
    dropped = prepared.vocabulary.unknown_ids()
    assert dropped[prepared.vocabulary.ids(["bville"])] == lane


def test_word_vectors_of_another_width_are_told(raw, tmp_path):
    folder = with_files(raw, tmp_path, vectors=VECTORS)
    recipe = tiny.make_recipe(text={"word_vectors": {"path": "vectors"}})
    with pytest.raises(
        InputError, match="vectors of 3 numbers.*embedding_dim"
    ) as error:
        prepare(recipe, folder)
    assert error.value.file == str(folder / "vectors")


def test_a_faulty_line_of_word_vectors_is_told(raw, tmp_path):
    folder = with_files(raw, tmp_path, vectors="the 1 2 3\nblue 1 2\n")
    recipe = tiny.make_recipe(text={"word_vectors": {"path": "vectors"}})
    with pytest.raises(InputError) as error:
        prepare(recipe, folder)
    assert (error.value.file, error.value.line) == (str(folder / "vectors"), 2)


CUT = '{"text": "stop it", "slots": [{"name": "x", "start": 1, "end": 4}]}\n'


@pytest.mark.parametrize("split", tiny.SPLITS)
@pytest.mark.parametrize("text", [CUT, "{}\n", ""])
def test_a_fault_in_any_split_is_told_at_once(raw, tmp_path, split, text):
    folder = with_files(raw, tmp_path, **{f"{split}.jsonl": text})
    with pytest.raises(InputError) as error:
        prepare(tiny.make_recipe(), folder)
    assert error.value.file == str(folder / f"{split}.jsonl")
    assert error.value.line == (1 if text else None)


def test_embedded_data_have_no_folder(tmp_path):
    assert resolve("embedded:home/dev", tmp_path) == "embedded:home/dev"
    assert resolve("dev", tmp_path) == tmp_path / "dev"


@pytest.fixture(scope="module")
def prepared(tokenised):
    return prepare(tiny.make_recipe(), tokenised)


def optimizer_of(prepared, **training):
    return build_model(tiny.make_recipe(training=training), prepared).optimizer


@pytest.mark.parametrize("name", ["radam", "adam", "adamw"])
@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_each_optimizer_with_and_without_decay(prepared, name, decay):
    optimizer = optimizer_of(
        prepared, optimizer=name, weight_decay=decay, clip_norm=2.0
    )
    assert optimizer.rectify == (name == "radam")
    assert (optimizer.weight_decay or 0.0) == decay
    assert optimizer.global_clipnorm == 2.0


def test_averaging_is_on_only_where_asked_for(prepared):
    averaged = optimizer_of(prepared, weight_averaging=0.75)
    assert (averaged.use_ema, averaged.ema_momentum) == (True, 0.75)
    assert not optimizer_of(prepared, weight_averaging=None).use_ema


def test_the_schedule_spans_all_steps(prepared):
    optimizer = optimizer_of(
        prepared, schedule="linear", epochs=10, warmup_epochs=1.5, learning_rate=0.5
    )
    # 44 utterances in batches of 8 are 6 steps an epoch.
    schedule = optimizer._learning_rate
    assert isinstance(schedule, WarmupDecay)
    assert (schedule.total_steps, schedule.warmup_steps) == (60, 9)
    assert (schedule.learning_rate, schedule.shape) == (0.5, "linear")


def test_a_constant_rate_without_warmup_is_a_number(prepared):
    optimizer = optimizer_of(
        prepared, schedule="constant", warmup_epochs=0.0, learning_rate=0.5
    )
    assert not isinstance(
        optimizer._learning_rate, keras.optimizers.schedules.LearningRateSchedule
    )
    assert float(optimizer.learning_rate) == 0.5


def test_the_model_is_that_of_the_recipe(prepared):
    recipe = tiny.make_recipe(
        {"dim": 6, "slot_head": "crf"},
        {"precision": "mixed_bfloat16"},
        text={"max_tokens": 9},
    )
    model = build_model(recipe, prepared)
    assert (model.slot_head, model.max_tokens, model.encoder.dim) == ("crf", 9, 6)
    assert (model.intents, model.tags) == (
        prepared.labels.intents,
        prepared.labels.tags,
    )
    assert model.dtype_policy.name == "mixed_bfloat16"
    assert model.tokenizer is prepared.tokenizer
    assert model.vocabulary is prepared.vocabulary
