"""Whatever the text is, it gets a Frame, and the Frame tells the truth."""

import json

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.parsing import Parser
from keras_slu.text.tokenizer import code_points

# Letters, what stands between words, and what tokenizers stumble over.
CHARACTERS = (
    "abzßİıſﬁ 09\t\n\r\u00a0\u3000\u2028.!?,'-_#"
    "éë\u0301\u0308\u200d\u200b\ufeff\ufe0f"
    "听歌かไทย한שלוםمرحبا\u202e\u202d"
    "😀👩🏽🇩🇪\U0001d400\x00\x7f\ud800\udfff"
)
WORDS = ["play", "book", "Hey", "JUDE", "Rome", "unheard"]
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=30),
    st.text(max_size=10),  # any code point, surrogates too
    st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join),
)
ODD = [
    "",
    " ",
    "\u3000\t\n",
    "...!?",
    "😀",
    "👩🏽\u200d🚀 🇩🇪",
    "שלום עולם play",
    "\u202eplay hey jude",
    "e\u0301\u0301\u0301 \u0301",
    "\ud800 play \udfff",
    "\x00",
    "听歌听歌",
    "#",
    "play\u2028hey",
    "B-city O",
]


def check(frame, text, parser):
    """Checks everything that holds of any Frame."""
    assert frame.text == text
    end = 0
    for slot in frame.slots:
        assert end <= slot.start < slot.end <= len(text)
        assert text[slot.start : slot.end] == slot.value
        assert slot.name in {tag[2:] for tag in parser.model.tags}
        assert 0.0 <= slot.confidence <= 1.0
        end = slot.end
    probabilities = [intent.probability for intent in frame.intents]
    assert probabilities == sorted(probabilities, reverse=True)
    assert all(0.0 <= probability <= 1.0 for probability in probabilities)
    names = [intent.name for intent in frame.intents]
    assert sorted(names) == ["book", "play"]
    # What is active is one of the classes, exactly.
    classes = [set(name.split("#")) - {""} for name in parser.model.intents]
    assert set(frame.active_intents) in classes
    assert not frame.is_unknown
    tokens = parser.model.tokenizer.tokenize(text)
    assert frame.truncated == (len(tokens) > parser.model.max_tokens)
    json.dumps(frame.to_dict())


def check_same(frame, other):
    """Checks that two Frames are equal, up to rounding."""
    assert frame.active_intents == other.active_intents
    ours = {intent.name: intent.probability for intent in frame.intents}
    theirs = {intent.name: intent.probability for intent in other.intents}
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert [(s.name, s.start, s.end) for s in frame.slots] == [
        (s.name, s.start, s.end) for s in other.slots
    ]
    assert [s.confidence for s in frame.slots] == pytest.approx(
        [s.confidence for s in other.slots], abs=1e-4
    )


SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@SETTINGS
@given(st.lists(TEXTS, max_size=5))
def test_any_text_gets_a_frame(parser, texts):
    frames = parser.parse(texts)
    assert len(frames) == len(texts)
    for frame, text in zip(frames, texts, strict=True):
        check(frame, text, parser)


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_odd_texts_get_a_frame(parser, text):
    check(parser.parse(text), text, parser)


def test_answers_are_varied_enough_to_test_with(parser):
    frames = parser.parse([f"{a} {b} the rome" for a in WORDS for b in WORDS])
    assert {slot.name for frame in frames for slot in frame.slots} > {"city"}
    assert any(slot.end - slot.start > 5 for f in frames for slot in f.slots)
    assert len({frame.active_intents for frame in frames}) > 1


@SETTINGS
@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_a_frame_does_not_depend_on_its_company(parser, text, others):
    alone = parser.parse(text)
    check_same(parser.parse([*others, text])[-1], alone)
    check_same(parser.parse([text, *others])[0], alone)


def test_many_texts_keep_their_order(parser):
    # More than one batch, of mixed lengths.
    texts = [" ".join(WORDS[: 1 + n % 6]) + f" {n}" for n in range(150)]
    frames = parser.parse(texts)
    assert [frame.text for frame in frames] == texts
    for text, frame in list(zip(texts, frames, strict=True))[::31]:
        check_same(frame, parser.parse(text))


def test_a_str_gives_one_frame_and_a_list_a_list(parser):
    frame = parser.parse("play hey jude")
    [same] = parser.parse(["play hey jude"])
    check_same(frame, same)
    assert parser.parse([]) == []


def test_ten_thousand_words_are_cut_and_flagged(parser):
    text = "play hey jude rome " * 2500
    frame = parser.parse(text)
    check(frame, text, parser)
    assert frame.truncated
    kept = parser.model.tokenizer.tokenize(text)[15]
    assert all(slot.end <= kept.end for slot in frame.slots)
    short = text[: kept.end]
    check_same(frame, parser.parse(short))
    assert not parser.parse(short).truncated


def test_the_active_intents_are_the_most_probable_class(parser):
    texts = [" ".join(WORDS[: n + 1]) for n in range(6)] + ODD
    tokens = [parser.model.tokenizer.tokenize(text) for text in texts]
    answers = parser.answers(tokens)
    for frame, answer in zip(parser.parse(texts), answers, strict=True):
        best = parser.model.intents[answer["intent_probabilities"].argmax()]
        assert set(frame.active_intents) == set(best.split("#")) - {""}


def test_an_intent_has_the_probability_of_all_its_classes(parser):
    tokens = parser.model.tokenizer.tokenize("play hey jude")
    [answer] = parser.answers([tokens])
    none, book, both, play = answer["intent_probabilities"]
    assert none + book + both + play == pytest.approx(1.0, abs=1e-5)
    found = {i.name: i.probability for i in parser.parse("play hey jude").intents}
    assert found == pytest.approx({"book": book + both, "play": play + both})


def test_answers_have_a_tag_for_each_token(parser):
    short = parser.model.tokenizer.tokenize("play hey jude")
    long = parser.model.tokenizer.tokenize("rome " * 20)
    answers = parser.answers([long, (), short])
    assert [len(answer["tags"]) for answer in answers] == [20, 0, 3]
    assert answers[0]["tags"][16:] == ["O"] * 4
    assert [answer["truncated"] for answer in answers] == [True, False, False]
    assert set(answers[2]["tags"]) <= set(parser.model.tags)


def test_answers_fold_the_case_of_words(parser):
    lower, upper = parser.parse(["hey jude", "HEY JUDE"])
    check_same(lower, upper)


def test_a_model_of_one_tag_and_no_intents_parses():
    from untrained import make_model

    parser = Parser(make_model(intents=[""], tags=["O"]))
    frame = parser.parse("play hey jude")
    assert (frame.intents, frame.slots) == ((), ())


def test_a_model_without_a_tokenizer_is_no_parser():
    from keras_slu.models import HAN

    model = HAN(5, intents=["a"], tags=["O"], embedding_dim=4, dim=4)
    with pytest.raises(ValueError, match="needs a tokenizer and a vocabulary"):
        Parser(model)


def test_offsets_count_code_points(parser):
    text = "😀😀 rome " + "\U0001d400 jude"
    frame = parser.parse(text)
    check(frame, text, parser)
    assert len(code_points(text)) == len(text)
