"""Punctuation of what is being said: final, in time, and a matter of words only."""

import random

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies
from marked import WORDS
from marked import make_model

from keras_slu.errors import InputError
from keras_slu.layers import CausalEmbedder
from keras_slu.models import FFA
from keras_slu.parsing.punctuator import Punctuator

ODD = ("-", "...", "3.5", "u.s.", "😀", "i'm", "http://a.b", "so,", "听歌", "x" * 70)


@pytest.fixture(scope="module")
def punctuator():
    return Punctuator(make_model())


def draw_words(count, seed=0):
    return random.Random(seed).choices([*WORDS, *ODD], k=count)


def run(punctuator, latency, pushes):
    stream = punctuator.stream(latency=latency)
    given = [stream.push(text) for text in pushes]
    return [*given, stream.end()]


def flat(given):
    return [word for words in given for word in words]


@given(strategies.data())
@settings(deadline=None, max_examples=25)
def test_how_words_are_pushed_changes_nothing(punctuator, data):
    words = data.draw(strategies.lists(strategies.sampled_from([*WORDS, *ODD])))
    latency = data.draw(strategies.integers(0, 9))
    cuts = sorted(data.draw(strategies.lists(strategies.integers(0, len(words)))))
    bounds = [0, *cuts, len(words)]
    pushes = [" ".join(words[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)]
    together = flat(run(punctuator, latency, [" ".join(words)]))
    apart = flat(run(punctuator, latency, pushes))
    assert [str(word) for word in apart] == [str(word) for word in together]
    assert [word.start for word in apart] == [word.start for word in together]


@pytest.mark.parametrize("latency", [0, 1, 5])
def test_a_word_comes_as_soon_as_it_may(punctuator, latency):
    words = draw_words(60)
    given = run(punctuator, latency, words)
    for number, found in enumerate(given[:-1]):
        ready = number - latency
        assert [word.text for word in found] == words[max(ready, 0) : max(ready + 1, 0)]
    assert [word.text for word in flat(given)] == words


def test_with_room_for_all_words_it_is_the_offline_result(punctuator):
    words = draw_words(90)
    offline = list(punctuator.words([" ".join(words)]))
    live = flat(run(punctuator, len(words), words))
    assert [str(word) for word in live] == [str(word) for word in offline]
    assert [word.start for word in live] == [word.start for word in offline]
    early = flat(run(punctuator, 0, words))
    assert [str(word) for word in early] != [str(word) for word in offline]


def test_a_word_is_decided_from_the_words_up_to_its_latency(punctuator):
    words = draw_words(40, seed=2)
    live = flat(run(punctuator, 3, words))
    for number in range(0, 36, 5):
        upto = list(punctuator.words([" ".join(words[: number + 4])]))
        assert str(live[number]) == str(upto[number])


def test_a_causal_model_answers_at_once_as_it_does_offline():
    encoder = CausalEmbedder(len(WORDS) + 2, embedding_dim=8, dim=8)
    model = FFA(
        encoder,
        ["O", "COMMA", "PERIOD", "QUESTION"],
        interaction="none",
        causal=True,
        num_heads=2,
        window=16,
    )
    other = make_model()
    for weight in model.trainable_variables:
        weight.assign(4.0 * weight)
    model.tokenizer, model.vocabulary = other.tokenizer, other.vocabulary
    punctuator = Punctuator(model)
    words = draw_words(60, seed=1)
    offline = [str(word) for word in punctuator.words([" ".join(words)])]
    assert [str(word) for word in flat(run(punctuator, 0, words))] == offline
    assert len({word[-1] for word in offline} & set(",.?")) > 1


def test_a_soft_boundary_forces_nothing(punctuator):
    words = draw_words(30)
    plain = punctuator.stream(latency=2)
    paused = punctuator.stream(latency=2)
    for word in words:
        assert paused.push(word, boundary="soft") == plain.push(word)
    assert paused.end() == plain.end()


def test_a_hard_boundary_ends_a_sentence_and_begins_anew(punctuator):
    stream = punctuator.stream(latency=4)
    first = [*stream.push("so what happened"), *stream.push("next -", boundary="hard")]
    assert [word.text for word in first] == ["so", "what", "happened", "next", "-"]
    assert first[3].ends_sentence and first[3].mark in (".", "?")
    second = [*stream.push("nobody knows"), *stream.end()]
    alone = flat(run(punctuator, 4, ["nobody knows"]))
    assert [word.mark for word in second] == [word.mark for word in alone]
    spoken = "so what happened next - nobody knows"
    for word in first + second:
        assert spoken[word.start : word.end] == word.text


def test_half_a_word_waits_for_the_rest(punctuator):
    stream = punctuator.stream(latency=0)
    assert [w.text for w in stream.push("so wh", unfinished=True)] == ["so"]
    assert stream.push("at", unfinished=True) == []
    given = stream.push(" happened ne", unfinished=True)
    assert [word.text for word in given] == ["what", "happened"]
    (last,) = stream.end()
    assert (last.text, last.start) == ("ne", 17)
    # Without it, a push ends between words.
    stream = punctuator.stream(latency=0)
    assert [word.text for word in stream.push("wh") + stream.push("at")] == ["wh", "at"]


def test_a_stream_may_go_on_after_its_end(punctuator):
    stream = punctuator.stream(latency=3)
    stream.push("so what")
    stream.end()
    assert stream.push("") == [] == stream.end()
    stream.push("nobody")
    (word,) = stream.end()
    assert (word.text, word.start, word.before) == ("nobody", 8, " ")


def test_wrong_arguments_are_refused(punctuator):
    with pytest.raises(InputError, match="-1 words"):
        punctuator.stream(latency=-1)
    stream = punctuator.stream()
    with pytest.raises(InputError, match="no boundary 'full'"):
        stream.push("so", boundary="full")
    with pytest.raises(InputError, match="inside a word"):
        stream.push("so", boundary="hard", unfinished=True)
