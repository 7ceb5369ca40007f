"""The reader of seq.in, seq.out and label."""

import gzip

import pytest

from keras_slu.data.seq_folder import iter_seq_folder
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.errors import InputError

WORDS = "play hey jude\nstop\n"
TAGS = "O B-song I-song\nO\n"
LABELS = "PlayMusic#Hum\nStop\n"


def read_all(folder):
    return list(iter_seq_folder(folder))


def write(folder, words=WORDS, tags=TAGS, labels=LABELS):
    for name, text in (("seq.in", words), ("seq.out", tags), ("label", labels)):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_reads_tokens_slots_intents_and_origin(tmp_path):
    first, second = read_all(write(tmp_path))
    assert first.text == "play hey jude"
    assert first.tokens[1:] == (Token("hey", 5, 8), Token("jude", 9, 13))
    assert first.slots == (SlotSpan("song", 5, 13),)
    assert first.intents == ("PlayMusic", "Hum")
    assert first.origin == f"{tmp_path / 'seq.in'}:1"
    assert second.origin == f"{tmp_path / 'seq.in'}:2"
    assert (second.slots, second.intents) == ((), ("Stop",))


def test_a_chunk_may_begin_with_i_and_an_intent_counts_once(tmp_path):
    write(tmp_path, "a b c\n", "I-x B-x I-y\n", "p#q#p\n")
    (utterance,) = read_all(tmp_path)
    assert [(slot.name, slot.start) for slot in utterance.slots] == [
        ("x", 0),
        ("x", 2),
        ("y", 4),
    ]
    assert utterance.intents == ("p", "q")


def test_reads_gz_and_windows_line_ends(tmp_path):
    write(tmp_path, words=WORDS.replace("\n", "\r\n"))
    plain = read_all(tmp_path)
    for name in ("seq.in", "label"):
        data = (tmp_path / name).read_bytes()
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
        (tmp_path / name).unlink()
    assert read_all(tmp_path) == plain


def test_a_space_too_many_is_a_warning_and_read_as_one(tmp_path):
    plain = read_all(write(tmp_path))
    write(tmp_path, words=" play  hey jude\nstop\n", tags="O B-song I-song \nO\n")
    told = []
    assert list(iter_seq_folder(tmp_path, lambda *what: told.append(what))) == plain
    assert [(severity, fault.file, fault.line) for severity, fault in told] == [
        ("warning", str(tmp_path / "seq.in"), 1),
        ("warning", str(tmp_path / "seq.out"), 1),
    ]


def test_an_orphan_tag_is_a_warning(tmp_path):
    told = []
    write(tmp_path, tags="O B-song I-song\nI-song\n")
    list(iter_seq_folder(tmp_path, lambda *what: told.append(what)))
    ((severity, fault),) = told
    assert (severity, fault.file, fault.line) == (
        "warning",
        str(tmp_path / "seq.out"),
        2,
    )
    assert "'I-song' of word 1 continues no slot" in fault.problem


def test_reading_goes_on_behind_a_fault_that_is_reported(tmp_path):
    told = []
    write(tmp_path, tags="O O\nO\n", labels="PlayMusic\nStop\nx\n")
    read = list(iter_seq_folder(tmp_path, lambda *what: told.append(what)))
    assert [utterance.text for utterance in read] == ["stop"]
    assert [fault.line for _, fault in told] == [1, 3]


@pytest.mark.parametrize(
    ("files", "place", "problem"),
    [
        ({"words": ""}, ("seq.in", None), "is empty"),
        ({"words": "", "tags": "", "labels": ""}, ("seq.in", None), "is empty"),
        ({"tags": "O B-song I-song\n"}, ("seq.out", 2), "has 1 lines, but seq.in"),
        ({"labels": "a\nb\nc\n"}, ("label", 3), "has 3 lines, but seq.in has 2"),
        ({"tags": "O B-song I-song\nO O\n"}, ("seq.out", 2), "1 words but 2 tags"),
        ({"tags": "O B-song X-song\nO\n"}, ("seq.out", 1), "'X-song' is not BIO"),
        ({"tags": "O B- I-song\nO\n"}, ("seq.out", 1), "'B-' is not BIO"),
        ({"tags": "O B-song I-song\n\n"}, ("seq.out", 2), "'' is not BIO"),
        ({"tags": "O B-\xa0 I-song\nO\n"}, ("seq.out", 1), "white space"),
        ({"words": "play hey jude\n\n"}, ("seq.in", 2), "an empty line"),
        ({"words": "play hey\u3000 jude\nstop\n"}, ("seq.in", 1), "separator U[+]3000"),
        ({"words": b"play hey jude\nst\xffop\n"}, ("seq.in", 2), "0xff .* UTF-8"),
        ({"words": "play hey jude\nst\0op\n"}, ("seq.in", 2), "NUL"),
        ({"labels": "Play\n\n"}, ("label", 2), "the name '' is empty"),
        ({"labels": "Play\nStop#\n"}, ("label", 2), "the name '' is empty"),
        ({"labels": "Play\nStop \n"}, ("label", 2), "white space around"),
    ],
)
def test_faults_are_told_with_file_and_line(tmp_path, files, place, problem):
    write(tmp_path, **files)
    with pytest.raises(InputError, match=problem) as caught:
        read_all(tmp_path)
    name, line = place
    assert caught.value.file == str(tmp_path / name)
    assert caught.value.line == line


def test_a_truncated_gz_is_told(tmp_path):
    write(tmp_path)
    packed = gzip.compress((tmp_path / "seq.out").read_bytes())
    (tmp_path / "seq.out").unlink()
    (tmp_path / "seq.out.gz").write_bytes(packed[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        read_all(tmp_path)


@pytest.mark.parametrize("name", ["seq.in", "seq.out", "label"])
def test_each_file_is_needed_once_and_as_a_file(tmp_path, name):
    path = write(tmp_path) / name
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(b"x\n"))
    with pytest.raises(InputError, match=f"holds both {name}"):
        read_all(tmp_path)
    (tmp_path / f"{name}.gz").unlink()
    path.unlink()
    with pytest.raises(InputError, match=f"neither {name}"):
        read_all(tmp_path)
    path.mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_all(tmp_path)


@pytest.mark.parametrize(
    ("name", "utterances", "tokens", "intents", "slots"),
    [
        ("snips/train", 13084, 117700, 7, 39),
        ("atis/train", 4478, 50497, 17, 79),
        ("cais/dev", 994, 7600, 12, 22),
        ("mixsnips/dev", 2198, None, 7, 39),
    ],
)
def test_counts_of_real_data(shared_data, name, utterances, tokens, intents, slots):
    data = read_all(shared_data(name))
    assert len(data) == utterances
    assert tokens in (None, sum(len(utterance.tokens) for utterance in data))
    assert len({intent for item in data for intent in item.intents}) == intents
    assert len({slot.name for item in data for slot in item.slots}) == slots
