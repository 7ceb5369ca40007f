"""What is written is read back; what cannot be is refused, and nothing written."""

import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reading import labels_of

from keras_slu.data import iter_utterances
from keras_slu.data import read
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.data.writers import FORMATS
from keras_slu.data.writers import choose_format
from keras_slu.data.writers import write
from keras_slu.errors import InputError
from keras_slu.text.table import SEPARATOR

SUFFIXES = {
    "json-lines": ".jsonl",
    "seq-folder": "",
    "conll": ".conll",
    "rasa-yaml": ".yml",
    "snips-json": ".json",
}
CHARACTERS = st.one_of(
    st.sampled_from("ab  .'-#:=[](){}\"\\\n\r\t\x85\u2028\u3000\u0301\xa0İ听😀"),
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
)
NAMES = st.sampled_from(
    ["a", "b.c", "x-y", "c d", "(e)", "f:g", "true", "B-", "'", "é"]
)
INTENTS = st.lists(NAMES, max_size=2, unique=True).map(tuple)
SONG = (SlotSpan("song", 5, 7),)
MADE = [Utterance("play it", (), SONG, ("play",), "here:7")]


def has_text(text):
    return bool(SEPARATOR.sub("", text))


@st.composite
def raw_utterances(draw):
    """Texts with slots at any places."""
    text = draw(st.text(CHARACTERS, min_size=1, max_size=20).filter(has_text))
    places = st.integers(0, len(text))
    bounds = sorted(draw(st.sets(places, max_size=6)))
    slots = [
        SlotSpan(draw(NAMES), start, end)
        for start, end in zip(bounds[::2], bounds[1::2], strict=False)
    ]
    return Utterance(text, (), tuple(slots), draw(INTENTS), "here:7")


@st.composite
def tokenised_utterances(draw):
    """Words with slots over them, neighbours of one name among them."""
    word = st.text(CHARACTERS, min_size=1, max_size=5).filter(has_text)
    text, tokens = join_words(draw(st.lists(word, min_size=1, max_size=6)))
    slots, place = [], 0
    while place < len(tokens):
        name = draw(st.none() | NAMES)
        end = draw(st.integers(place + 1, len(tokens)))
        if name:
            slots.append(SlotSpan(name, tokens[place].start, tokens[end - 1].end))
        place = end
    return Utterance(text, tokens, tuple(slots), draw(INTENTS), "here:7")


def as_kept(utterance, format):
    """The utterance as the format keeps it."""
    if format in ("seq-folder", "snips-json"):
        return replace(utterance, tokens=())
    if format == "conll" and not utterance.tokens:
        text = utterance.text.replace("\n", " ").replace("\r", " ")
        return replace(utterance, text=text)
    if format == "rasa-yaml":
        text = re.sub("[\n\r\x85\u2028\u2029]", " ", utterance.text)
        return repr((text.strip(), *labels_of(replace(utterance, text=text))))
    return utterance


def check(utterances, folder, format):
    """Writes and reads; gives whether the format could hold them."""
    path = Path(folder) / f"data{SUFFIXES[format]}"
    try:
        count = write(iter(utterances), path, format)
    except InputError as fault:
        assert (fault.file, fault.line) == ("here", 7)
        assert list(Path(folder).iterdir()) == []
        return False
    assert count == len(utterances)
    back = Counter(as_kept(utterance, format) for utterance in read(path, format))
    assert back == Counter(as_kept(utterance, format) for utterance in utterances)
    return True


@pytest.mark.parametrize("format", FORMATS)
@given(st.lists(raw_utterances() | tokenised_utterances(), min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_back(format, utterances):
    with TemporaryDirectory() as folder:
        check(utterances, folder, format)


@given(st.lists(raw_utterances(), min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_json_lines_hold_everything(utterances):
    with TemporaryDirectory() as folder:
        assert check(utterances, folder, "json-lines")


SAMPLES = {
    "snips/dev": "",
    "atis/test": "rasa-yaml snips-json",
    "cais/dev": "",
    "mixatis/dev": "rasa-yaml snips-json",
    "formats/conll/atis2_dev.w-intent.iob": "rasa-yaml snips-json",
    "formats/conll/atis_dev.blocks.txt": "rasa-yaml snips-json",
    "formats/nlupp/banking_fold0.json": "seq-folder rasa-yaml snips-json",
    "formats/nlupp/hotels_fold0.json": "seq-folder rasa-yaml snips-json",
    "formats/rasa/snips_converted.nlu.yml": "seq-folder",
    "formats/rasa/restaurant_demo.json": "",
    "formats/slurp_massive/massive_layout_400.jsonl": "",
    "formats/slurp_massive/slurp_devel_400.jsonl": "",
    "formats/snips_native": "seq-folder",
    "formats/snips_nlu/beverage_dataset.json": "",
    "formats/snips_nlu/flights_dataset.json": "seq-folder",
    "formats/snips_nlu/lights_dataset.json": "seq-folder",
    "formats/top/snips_converted.top.tsv": "seq-folder",
    "formats/word_colon_tag/fb_es.dev.gz": "",
    "zh/resume_ner/dev.bmes.gz": "seq-folder rasa-yaml snips-json",
    "zh/weibo_ner/test.bio.gz": "seq-folder rasa-yaml snips-json",
    "zh/chnsenticorp/dev.tsv.gz": "rasa-yaml",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_real_data_come_back(shared_data, tmp_path, name):
    utterances = islice(iter_utterances(shared_data(name)), 300)
    utterances = [replace(utterance, origin="here:7") for utterance in utterances]
    refused = []
    for format in FORMATS:
        folder = tmp_path / format
        folder.mkdir()
        if not check(utterances, folder, format):
            refused.append(format)
    assert refused == SAMPLES[name].split()


@pytest.mark.parametrize("format", ["json-lines", "conll", "rasa-yaml", "snips-json"])
def test_gz(tmp_path, format):
    path = tmp_path / f"data{SUFFIXES[format]}.gz"
    write(MADE, path, format)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert len(read(path)) == 1


def test_no_utterance_is_refused(tmp_path):
    for format in FORMATS:
        with pytest.raises(InputError, match="no utterance to write"):
            write([], tmp_path / f"data{SUFFIXES[format]}", format)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(InputError, match="no format 'xml' to write.*json-lines"):
        write(MADE, tmp_path / "a", "xml")


def test_a_seq_folder_replaces_nothing(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match="exists"):
        write(MADE, tmp_path / "a", "seq-folder")


@pytest.mark.parametrize("format", FORMATS)
def test_a_failing_source_leaves_what_was(tmp_path, format):
    def broken():
        yield from MADE
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(broken(), tmp_path / "a", format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["a.json", "a.txt", "a.json.gz"])
def test_a_name_that_does_not_tell_the_format(path):
    with pytest.raises(InputError, match="Name it: json-lines, "):
        choose_format(path)
