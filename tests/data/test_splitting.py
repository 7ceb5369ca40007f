"""Utterances are divided fairly, and none is in two splits."""

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.data import read
from keras_slu.data.splitting import DEV
from keras_slu.data.splitting import KEPT
from keras_slu.data.splitting import TEST
from keras_slu.data.splitting import TRAIN
from keras_slu.data.splitting import assign
from keras_slu.data.splitting import split
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.data.writers import FORMATS
from keras_slu.data.writers import write
from keras_slu.errors import InputError


def say(text, intents=("play",), slots=()):
    spans = tuple(SlotSpan(name, at, at + 1) for at, name in enumerate(slots))
    return Utterance(text, (), spans, tuple(intents))


def corpus(**sizes):
    """As many different utterances of each intent."""
    return [say(f"{i} {n}", (i,)) for i, size in sizes.items() for n in range(size)]


def counts_by_intent(utterances, chosen):
    pairs = zip(utterances, chosen.tolist(), strict=True)
    return Counter((utterance.intents[0], split) for utterance, split in pairs)


def test_each_intent_gets_its_share():
    utterances = corpus(a=200, b=100, c=50)
    counts = counts_by_intent(utterances, assign(utterances, 0.2, 0.1, seed=1))
    assert [counts[name, DEV] for name in "abc"] == [40, 20, 10]
    assert [counts[name, TEST] for name in "abc"] == [20, 10, 5]


def test_small_intents_add_up_to_the_share():
    sizes = {f"intent{n}": KEPT + 1 for n in range(50)}
    utterances = corpus(**sizes)
    chosen = assign(utterances, 0.1, 0.1, seed=1)
    assert np.bincount(chosen).tolist() == [160, 20, 20]


@settings(max_examples=50, deadline=None)
@given(
    texts=st.lists(st.sampled_from([f"text {n}" for n in range(30)]), min_size=20),
    seed=st.integers(0, 99),
)
def test_repeats_stay_together(texts, seed):
    spellings = (str.upper, str.lower, lambda text: text.replace(" ", "  "))
    utterances = [say(spellings[i % 3](text)) for i, text in enumerate(texts)]
    try:
        chosen = assign(utterances, 0.2, 0.2, seed)
    except InputError:  # too few different texts
        return
    splits = {}
    for text, index in zip(texts, chosen.tolist(), strict=True):
        assert splits.setdefault(text, index) == index


def test_rare_labels_stay_in_training():
    rare = [say(f"rare {n}", slots=["day"]) for n in range(KEPT)]
    single = [say("single", ("stop", "play"))]
    utterances = [*corpus(play=200), *rare, *single]
    for seed in range(20):
        chosen = assign(utterances, 0.45, 0.45, seed)
        assert chosen[200:].tolist() == [TRAIN] * (KEPT + 1)


def test_training_has_some_of_each_label():
    utterances = [say(f"{n}", slots=["day"] if n % 9 else ["song"]) for n in range(200)]
    for seed in range(20):
        chosen = assign(utterances, 0.49, 0.49, seed)
        songs = chosen[[u.slots[0].name == "song" for u in utterances]]
        assert (songs == TRAIN).sum() >= KEPT


def test_the_seed_decides():
    utterances = corpus(a=100, b=100)
    one, same, other = (assign(utterances, 0.1, 0.1, seed) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_another_process_draws_the_same():
    # Texts are told apart by their hashes, which differ between processes.
    code = (
        "from keras_slu.data import read\n"
        "from keras_slu.data.splitting import assign\n"
        "print(assign(read('embedded:home/dev'), 0.2, 0.1, 7).tolist())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    chosen = assign(read("embedded:home/dev"), 0.2, 0.1, 7)
    assert out.strip() == str(chosen.tolist())


def test_without_dev():
    chosen = assign(corpus(a=100), 0, 0.3, seed=1)
    assert np.bincount(chosen, minlength=3).tolist() == [70, 0, 30]


@pytest.mark.parametrize("shares", [(0, 0), (-0.1, 0.3), (0.5, 0.5), (0.1, 1.2)])
def test_impossible_shares(shares):
    with pytest.raises(InputError, match="shares of"):
        assign(corpus(a=100), *shares, seed=1)


def test_too_few_utterances():
    with pytest.raises(InputError, match="too few for a dev of 0.1"):
        assign(corpus(a=KEPT, b=KEPT), 0.1, 0, seed=1)


def test_published_data(shared_data):
    utterances = read(shared_data("atis") / "train")
    chosen = assign(utterances, 0.1, 0.1, seed=1)
    assert np.bincount(chosen).tolist() == pytest.approx([3582, 448, 448], abs=2)
    labels = [{u.intents, *(slot.name for slot in u.slots)} for u in utterances]
    texts = [u.text for u in utterances]

    def held(values, split):
        return [v for v, s in zip(values, chosen.tolist(), strict=True) if s == split]

    assert set().union(*labels) == set().union(*held(labels, TRAIN))
    train, dev, test = (set(held(texts, split)) for split in (TRAIN, DEV, TEST))
    assert not train & dev and not train & test and not dev & test


@pytest.fixture
def tokenised(tmp_path):
    """40 utterances, written so that every format can hold them."""
    utterances = [
        Utterance(
            *join_words(["play", f"song{n}"]),
            (SlotSpan("song", 5, 9 + len(str(n))),),
            ("play",),
        )
        for n in range(40)
    ]
    path = tmp_path / "all.jsonl"
    write(utterances, path, "json-lines")
    return path, utterances


@pytest.mark.parametrize("to", FORMATS)
def test_splits_are_written_in_order(tokenised, tmp_path, to):
    path, utterances = tokenised
    folder = tmp_path / "deep" / "out"
    counts = split(path, folder, 0.2, 0.1, seed=1, to=to)
    assert counts == {"train": 28, "dev": 8, "test": 4}
    chosen = assign(utterances, 0.2, 0.1, seed=1)
    assert len(os.listdir(folder)) == 3
    for index, name in enumerate(("train", "dev", "test")):
        [file] = folder.glob(f"{name}*")
        wanted = [u for u, c in zip(utterances, chosen, strict=True) if c == index]
        found = read(file, to)
        assert [u.text for u in found] == [u.text for u in wanted]
        assert [u.slots for u in found] == [u.slots for u in wanted]


def test_without_dev_no_file_is_written(tokenised, tmp_path):
    counts = split(tokenised[0], tmp_path / "out", 0, 0.1, seed=1)
    assert counts == {"train": 36, "test": 4}
    assert sorted(os.listdir(tmp_path / "out")) == ["test.jsonl", "train.jsonl"]


def test_nothing_is_written_of_faulty_data(tokenised, tmp_path):
    path, _ = tokenised
    path.write_text(path.read_text() + '{"text": 5}\n')
    with pytest.raises(InputError) as error:
        split(path, tmp_path / "out", 0.1, 0.1, seed=1)
    assert error.value.line == 41
    assert os.listdir(tmp_path) == [path.name]


def test_what_a_format_cannot_hold_is_refused_whole(tmp_path):
    path = tmp_path / "all.jsonl"
    several = [say(f"{n}", ("play", "stop")) for n in range(40)]
    write([*corpus(play=40), *several], path, "json-lines")
    with pytest.raises(InputError):
        split(path, tmp_path / "out", 0.1, 0.1, seed=1, to="snips-json")
    assert os.listdir(tmp_path) == [path.name]


def test_a_folder_that_exists_is_left_alone(tokenised, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="exists"):
        split(tokenised[0], tmp_path / "out", 0.1, 0.1, seed=1)
    assert os.listdir(tmp_path / "out") == []


def test_an_unknown_format_is_told(tokenised, tmp_path):
    with pytest.raises(InputError, match="no format 'xml' to write"):
        split(tokenised[0], tmp_path / "out", 0.1, 0.1, seed=1, to="xml")
