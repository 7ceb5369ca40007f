"""Whatever a file holds: an InputError or utterances, from each reader."""

import gzip
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.data import FORMATS
from keras_slu.data import iter_utterances
from keras_slu.data import read
from keras_slu.errors import InputError

GOOD = {
    "json-lines": '{"text": "play hey jude", "intent": "a#b", '
    '"slots": [{"name": "song", "start": 5, "end": 13}]}\n'
    '{"text": ["play", "it"], "slot": ["O", "B-x"], "intents": ["a"]}\n',
    "conll": "# intent = a\n# text = play it.\nplay O\nit B-x\n. I-x\n\nplay S-x\na\n",
    "iob-lines": "BOS play it EOS\tO O B-x a\n",
    "word-tags": "play:O it:B-x <=> a\n",
    "rasa-yaml": 'version: "3.1"\nnlu:\n- intent: a\n  examples: |\n'
    '    - play [it](x)\n    - [it]{"entity": "x", "role": "y"}\n'
    "- synonym: b\n  examples: |\n    - c\n",
    "rasa-json": '{"rasa_nlu_data": {"common_examples": [{"text": "play it", '
    '"intent": "a", "entities": [{"start": 5, "end": 7, "entity": "x"}]}]}}',
    "snips-json": '{"a": [{"data": [{"text": "play "}, '
    '{"text": "it", "entity": "x"}]}]}',
    "snips-nlu": '{"language": "en", "intents": {"a": {"utterances": [{"data": '
    '[{"text": "play "}, {"text": "it", "slot_name": "x"}]}]}}, "entities": {}}',
    "massive": '{"utt": "play it", "annot_utt": "play [x : it]", "intent": "a"}\n',
    "slurp": '{"sentence": "play it", "tokens": [{"surface": "play"}, '
    '{"surface": "it"}], "entities": [{"span": [1], "type": "x"}], "intent": "a"}\n',
    "nlupp": '[{"text": "play it", "intents": ["a", "b"], '
    '"slots": {"x": {"span": [5, 7]}}}]',
    "top": "play it\tplay it\t[IN:A play [SL:X it ] ]\n",
    "csv": "text,intent\nplay it,a\n",
    "dialogue-lines": '{"dialogue_id": "1", "turns": [{"speaker": "system", '
    '"text": "Yes?"}, {"speaker": "user", "tokens": ["play", "it"], '
    '"tags": ["O", "B-x"], "intent": "a"}]}\n',
    "dialogue-iob": "Yes ?\nplay it|||O B-x|||a\nok\n\nstop|||O|||b\n",
    "kvret-json": '[{"dialogue": [{"turn": "driver", "data": {"utterance": "play it"}},'
    ' {"turn": "assistant", "data": {"utterance": "Yes."}}], '
    '"scenario": {"task": {"intent": "a"}, "uuid": "7"}}]',
}
SLOTLESS = ("csv", "kvret-json")


def check(content, format, suffix=""):
    """Reads without and with a report; every fault has its file and one line."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"data{suffix}"
        path.write_bytes(content)
        try:
            assert read(path, format)
        except InputError as fault:
            check_fault(fault, path)
        try:
            for _ in iter_utterances(
                path, format, lambda _, fault: check_fault(fault, path)
            ):
                pass
        except InputError as fault:
            check_fault(fault, path)


def check_fault(fault, path):
    assert fault.file == str(path)
    assert len(str(fault)) < 1000, "too long to be read"
    if path.suffix != ".gz" and fault.line is not None:
        assert 1 <= fault.line <= path.read_bytes().count(b"\n") + 1


@pytest.mark.parametrize("format", GOOD)
def test_the_samples_are_good(tmp_path, format):
    """Or mutating them would test little."""
    path = tmp_path / "data"
    path.write_text(GOOD[format])
    for named in (None, format):
        utterances = read(path, named)
        assert any(utterance.slots for utterance in utterances) or format in SLOTLESS
        assert "a" in {intent.lower() for u in utterances for intent in u.intents}
    assert set(FORMATS) == {*GOOD, "seq-folder"}


@st.composite
def mutated(draw, content):
    """A few pieces of `content` cut, doubled, moved or overwritten."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 8)))
        piece = draw(
            st.sampled_from([b"", content[start:end] * 2, b"\xff", b"\0", b"\n", b'"'])
            | st.sampled_from([b"[", b"]", b"{", b"}", b" ", b":", b"-", b"9", b"&a "])
            | st.binary(max_size=4)
        )
        content = content[:start] + piece + content[end:]
    return content


@pytest.mark.parametrize("format", GOOD)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_mutated_bytes(format, data):
    check(data.draw(mutated(GOOD[format].encode())), format)


@given(st.binary(max_size=60), st.sampled_from(["", ".jsonl", ".yml", ".csv", ".gz"]))
@settings(max_examples=60, deadline=None)
def test_any_bytes_of_no_named_format(content, suffix):
    check(content, None, suffix)


@pytest.mark.parametrize("format", GOOD)
def test_cut_anywhere(tmp_path, format):
    content = GOOD[format].encode()
    for end in range(0, len(content), 7):
        check(content[:end], format)
    packed = gzip.compress(content * 50)
    check(packed[: len(packed) // 2], format, ".gz")


@pytest.mark.parametrize("format", GOOD)
@pytest.mark.parametrize("fill", ["[", "a", "a ", "[a](b)"])
def test_a_line_of_a_million_characters(format, fill):
    million = fill * (1_000_000 // len(fill))
    check(GOOD[format].replace("play", f"play {million}", 1).encode(), format)


@pytest.mark.parametrize(("format", "other"), permutations(GOOD, 2))
def test_a_file_of_another_format_is_told(tmp_path, format, other):
    path = tmp_path / "data"
    path.write_text(GOOD[other])
    with pytest.raises(InputError) as caught:
        read(path, format)
    check_fault(caught.value, path)


@pytest.mark.parametrize("format", GOOD)
def test_marks_and_line_ends_of_windows_change_nothing(tmp_path, format):
    plain, windows, mixed = (tmp_path / name for name in ("a", "b", "c"))
    plain.write_text(GOOD[format])
    text = "\ufeff" + GOOD[format]
    windows.write_bytes(text.replace("\n", "\r\n").encode())
    mixed.write_bytes(text.replace("\n", "\r\n", 1).encode())
    assert read(plain, format) == read(windows, format) == read(mixed, format)
