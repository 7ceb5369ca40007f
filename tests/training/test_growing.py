"""Going on from a run: what it learned keeps its place, new data add theirs."""

import json
from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tiny
from checks import array
from checks import draw
from checks import draw_weights

import keras_slu
from keras_slu.data import read
from keras_slu.data.encoding import LabelSet
from keras_slu.errors import InputError
from keras_slu.training import growing
from keras_slu.training.fit import train
from keras_slu.training.growing import grow
from keras_slu.training.growing import grow_labels
from keras_slu.training.growing import keep_learned
from keras_slu.training.growing import load_start
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare


def write_more(folder, verb, owner):
    """Tiny data and, in each split, some with a new verb and a new slot."""
    tiny.write_tokenised(folder)
    for split in tiny.SPLITS:
        with open(folder / f"{split}.jsonl", "a") as stream:
            for number in range(6):
                item = {
                    "text": [verb, "the", f"lamp{number}", "with", owner],
                    "slot": ["O", "O", "B-thing", "O", f"B-{owner}"],
                    "intent": verb,
                }
                print(json.dumps(item), file=stream)


def short_recipe(start, **more):
    return tiny.make_recipe({}, {"epochs": 2}, start=str(start), **more)


@pytest.fixture(scope="module")
def twice(tiny_run, tmp_path_factory):
    """The tiny run, and two runs that each went on from the one before."""
    folder = tmp_path_factory.mktemp("growing")
    runs = [tiny_run.folder]
    for verb, owner in (("ask", "zoe"), ("boil", "adam")):
        data = folder / verb
        data.mkdir()
        write_more(data, verb, owner)
        train(short_recipe(runs[-1]), data, data / "run")
        runs.append(data / "run")
    models = [keras_slu.load(run).model for run in runs]
    return SimpleNamespace(folder=folder, runs=runs, models=models)


def test_old_labels_and_words_keep_their_ids(twice):
    for old, new in zip(twice.models, twice.models[1:], strict=False):
        for name in ("intents", "tags"):
            before, after = getattr(old, name), getattr(new, name)
            assert after[: len(before)] == before
        words = old.vocabulary.words
        assert new.vocabulary.words[: len(words)] == words


def test_new_labels_and_words_come_after_once(twice):
    first, second, third = twice.models
    assert second.intents == [*first.intents, "ask"]
    assert third.intents == [*first.intents, "ask", "boil"]
    assert second.tags == [*first.tags, "B-zoe"]
    assert third.tags == [*first.tags, "B-zoe", "B-adam"]
    added = set(third.vocabulary.words) - set(second.vocabulary.words)
    assert added == {"boil", "adam"}


@pytest.fixture(scope="module")
def grown(tiny_data, tmp_path_factory):
    """A model with a CRF before training, and the one that it grew from."""
    folder = tmp_path_factory.mktemp("grown")
    write_more(folder, "ask", "zoe")
    recipe = tiny.make_recipe({"slot_head": "crf"})
    learned = build_model(recipe, prepare(recipe, tiny_data))
    draw_weights(learned)
    prepared = grow(prepare(recipe, folder), learned, recipe.text.max_tokens)
    model = build_model(recipe, prepared)
    fresh = model.encoder.embedding.get_weights()[0]
    keep_learned(model, learned)
    return SimpleNamespace(
        model=model, learned=learned, prepared=prepared, fresh=fresh, folder=folder
    )


def test_old_outputs_are_what_they_were(grown):
    old, new = grown.learned, grown.model
    rows = np.random.default_rng(0).integers(1, len(old.vocabulary), (8, 6))
    inputs = {"token_ids": rows.astype("int32")}
    before, after = old(inputs), new(inputs)
    for name, output in before.items():
        kept = array(after[name])[..., : output.shape[-1]]
        np.testing.assert_array_equal(kept, array(output))
        assert not array(after[name])[..., output.shape[-1] :].any()
    for of_new, of_old in zip(new.crf.weights, old.crf.weights, strict=True):
        kept = array(of_new)[tuple(map(slice, of_old.shape))]
        np.testing.assert_array_equal(kept, array(of_old))


def test_new_words_keep_their_fresh_embedding(grown):
    known = len(grown.learned.vocabulary)
    table = grown.model.encoder.embedding.get_weights()[0]
    np.testing.assert_array_equal(
        table[:known], grown.learned.encoder.embedding.get_weights()[0]
    )
    np.testing.assert_array_equal(table[known:], grown.fresh[known:])
    assert np.abs(table[known:]).sum(axis=1).all()
    assert {"ask", "zoe", "with"} <= set(grown.model.vocabulary.words[known - 2 :])


def test_counts_are_those_of_the_new_data(grown):
    vocabulary, counts = grown.prepared.vocabulary, grown.prepared.vocabulary.counts
    words = [
        token.text
        for utterance in read(grown.folder / "train.jsonl")
        for token in utterance.tokens
    ]
    assert len(counts) == len(vocabulary)
    for word in ("ask", "zoe", "the", "lamp3"):
        assert counts[vocabulary.ids([word])[0]] == words.count(word)
    assert counts.sum() == len(words) and counts[0] == 0


def test_training_goes_on(twice):
    metrics = [json.loads((run / "metrics.json").read_text()) for run in twice.runs]
    fresh, *grown = [figures["history"][0] for figures in metrics]
    for logs in grown:
        assert logs["loss"] < 0.8 * fresh["loss"]


def test_a_class_of_several_intents_is_the_same_in_any_order():
    model = SimpleNamespace(intents=["b#a", "c"], tags=["O", "B-x"])
    grown = grow_labels(model, LabelSet(["a#b", "a", "c"], ["O", "B-a", "B-x", "I-x"]))
    assert grown.intents == ["b#a", "c", "a"]
    assert grown.tags == ["O", "B-x", "B-a", "I-x"]


def test_word_vectors_are_for_new_words_only(tiny_run, tmp_path):
    write_more(tmp_path, "ask", "zoe")
    vector = " ".join(["0.5"] * 8)
    (tmp_path / "vectors.txt").write_text(f"ask {vector}\nplay {vector}\n")
    recipe = tiny.make_recipe(text={"word_vectors": {"path": "vectors.txt"}})
    learned, recipe = load_start(tiny_run.folder, recipe)
    prepared = grow(prepare(recipe, tmp_path), learned, 128)
    model = build_model(recipe, prepared)
    keep_learned(model, learned)
    table = model.encoder.embedding.get_weights()[0]
    ask, play = prepared.vocabulary.ids(["ask", "play"])
    assert (table[ask] == 0.5).all()
    assert not (table[play] == 0.5).any()


@pytest.fixture(scope="module")
def two_channels(tmp_path_factory):
    """A model with static vectors, and the one that grew from it."""
    folder = tmp_path_factory.mktemp("channels")
    tiny.write_tokenised(folder)
    words = ["ask", "play", "stop", "spare"]
    lines = [f"{word} {row}.5 {row} 1" for row, word in enumerate(words)]
    (folder / "vectors.txt").write_text("\n".join(lines))
    text = {"word_vectors": {"path": "vectors.txt", "use": "static"}}
    recipe = tiny.make_recipe(text=text)
    learned = build_model(recipe, prepare(recipe, folder))
    learned.encoder.embedding.tuned.assign(
        draw(*learned.encoder.embedding.tuned.shape, seed=3)
    )
    write_more(folder, "ask", "zoe")
    prepared = grow(prepare(recipe, folder), learned, recipe.text.max_tokens)
    model = build_model(recipe, prepared)
    keep_learned(model, learned)
    return SimpleNamespace(model=model, learned=learned)


def test_endings_stay_those_that_were_taught(tiny_run, tmp_path):
    write_more(tmp_path, "ask", "zoe")
    recipe = tiny.make_recipe(text={"longest_ending": 4})
    learned = keras_slu.load(tiny_run.folder).model
    prepared = prepare(recipe, tmp_path)
    assert prepared.vocabulary.longest_ending
    assert not grow(prepared, learned, 128).vocabulary.longest_ending
    learned = build_model(recipe, prepared)
    again = grow(prepared, learned, 128).vocabulary
    assert again.words == learned.vocabulary.words
    # What the run knows counts, not what the new recipe asks for.
    plain = grow(prepare(tiny.make_recipe(), tmp_path), learned, 128).vocabulary
    np.testing.assert_array_equal(plain.unknown_ids(), again.unknown_ids())
    assert plain.unknown_ids().max() > 1


def test_every_known_word_is_embedded_as_before(two_channels):
    old, new = two_channels.learned, two_channels.model
    assert "ask" in old.vocabulary.words and "zoe" not in old.vocabulary.words
    token_ids = np.arange(len(old.vocabulary))[None]
    np.testing.assert_array_equal(
        array(new.encoder.embedding(token_ids)), array(old.encoder.embedding(token_ids))
    )


def test_a_known_word_that_is_new_in_training_becomes_tuned(two_channels):
    old, new = (m.encoder.embedding for m in (two_channels.learned, two_channels.model))
    place = two_channels.model.vocabulary.ids(["ask", "zoe", "spare", "play"])
    rows = new.rows.numpy()
    assert old.rows.numpy()[place[0]] == 1
    assert rows[place[0]] >= old.tuned_words and rows[place[1]] >= old.tuned_words
    assert rows[place[2]] == 1
    assert rows[place[3]] == old.rows.numpy()[place[3]] > 1
    assert new.tuned_words == rows.max() + 1


def test_static_vectors_are_not_grown_from_a_run_without(tiny_run):
    text = {"word_vectors": {"path": "vectors.txt", "use": "static"}}
    with pytest.raises(InputError, match="`text.word_vectors.use: static` False"):
        load_start(tiny_run.folder, tiny.make_recipe(text=text))


def test_static_vectors_of_another_width_are_refused(two_channels, tmp_path):
    tiny.write_tokenised(tmp_path)
    (tmp_path / "vectors.txt").write_text("play 1 2\n")
    text = {"word_vectors": {"path": "vectors.txt", "use": "static"}}
    prepared = prepare(tiny.make_recipe(text=text), tmp_path)
    with pytest.raises(InputError, match="of 2 numbers, the run's are of 3"):
        grow(prepared, two_channels.learned, 128)


@pytest.mark.parametrize(
    "change, key",
    [
        ({"model": {"dim": 32}}, "model.dim"),
        ({"model": {"slot_head": "crf"}}, "model.slot_head"),
        ({"model": {"label_attention": True}}, "model.label_attention"),
        ({"text": {"lowercase": False}}, "text.lowercase"),
        ({"text": {"tokenizer": "unicode"}}, "text.tokenizer"),
    ],
)
def test_another_architecture_is_refused(tiny_run, tiny_data, tmp_path, change, key):
    recipe = tiny.make_recipe(
        change.get("model", {}), start=str(tiny_run.folder), text=change.get("text", {})
    )
    with pytest.raises(InputError) as error:
        train(recipe, tiny_data, tmp_path / "run")
    assert f"`{key}` " in str(error.value) and str(tiny_run.folder) in str(error.value)
    assert not (tmp_path / "run").exists()


def test_settings_that_no_weight_depends_on_may_change(tiny_run):
    recipe = tiny.make_recipe(
        {"dropout": 0.0, "embedding_dropout": 0.1, "label_smoothing": 0.1}
    )
    assert load_start(tiny_run.folder, recipe)[0].intents


def test_a_model_that_cannot_grow_is_refused(monkeypatch):
    parser = SimpleNamespace(model=keras.Model())
    monkeypatch.setattr(growing, "load_parser", lambda run: parser)
    with pytest.raises(InputError, match="runs/a: is a Model, whose layers"):
        load_start("runs/a", tiny.make_recipe())


def test_a_start_that_is_no_run_is_refused(tiny_data, tmp_path):
    with pytest.raises(InputError, match="no finished run"):
        train(short_recipe(tmp_path), tiny_data, tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_the_run_says_what_it_grew_from(twice):
    with pytest.raises(InputError, match="another recipe"):
        train(short_recipe(twice.runs[0]), twice.folder / "boil", twice.runs[2])
