"""Reading text that may be damaged, and writing whole files or none."""

import errno
import gzip
import os

import pytest

from keras_slu.errors import InputError
from keras_slu.files import atomic_path
from keras_slu.files import read_lines
from keras_slu.files import write_text


def write(folder, name, content):
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\n\n", ["", ""]),
        (b"\xef\xbb\xbfone\ntwo", ["one", "two"]),
        ("a\u2028b\x85c\x0bd\rx\n".encode(), ["a\u2028b\x85c\x0bd\rx"]),
        (" é \t\n".encode(), [" é \t"]),
    ],
)
def test_lines_are_split_by_line_feeds_alone(tmp_path, name, content, lines):
    path = write(tmp_path, name, content)
    assert list(read_lines(path)) == list(enumerate(lines, 1))


def test_a_byte_order_mark_further_down_stays(tmp_path):
    path = write(tmp_path, "a.txt", "one\n\ufefftwo\n".encode())
    assert list(read_lines(path))[1] == (2, "\ufefftwo")


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize(
    ("content", "told"),
    [(b"one\n\xff\n", "byte 0xff"), (b"one\ntw\0o\n", "NUL")],
)
def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path, name, content, told):
    path = write(tmp_path, name, content)
    with pytest.raises(InputError, match=told) as error:
        list(read_lines(path))
    assert (error.value.file, error.value.line) == (str(path), 2)


def test_the_lines_before_a_fault_are_read(tmp_path):
    lines = read_lines(write(tmp_path, "a.txt", b"one\n\xff\n"))
    assert next(lines) == (1, "one")


def test_a_truncated_gz_is_told_with_its_line(tmp_path):
    whole = gzip.compress(b"".join(b"line %d\n" % n for n in range(9)), mtime=0)
    for end in range(1, len(whole)):
        path = tmp_path / "a.txt.gz"
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="damaged gzip") as error:
            list(read_lines(path))
        assert 1 <= error.value.line <= 10


def test_damaged_gz_data_is_told(tmp_path):
    content = bytearray(gzip.compress(os.urandom(1000), mtime=0))
    content[-6] ^= 1  # the checksum
    path = tmp_path / "a.txt.gz"
    path.write_bytes(content)
    with pytest.raises(InputError):
        list(read_lines(path))


def test_plain_text_named_gz_is_told(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(b"plain\n")
    with pytest.raises(InputError, match="damaged gzip"):
        list(read_lines(path))


def test_a_folder_and_a_missing_file_are_told(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        list(read_lines(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        list(read_lines(tmp_path / "none.txt"))
    with pytest.raises(InputError):
        list(read_lines(write(tmp_path, "a.txt", b"") / "below-a-file"))


def test_text_is_written_and_replaced(tmp_path):
    path = tmp_path / "new" / "deep" / "a.txt"
    write_text(path, "é\n")
    write_text(path, "zwei\n")
    assert path.read_bytes() == b"zwei\n"
    assert os.listdir(path.parent) == ["a.txt"]


def test_a_written_file_has_the_usual_permissions(tmp_path):
    write_text(tmp_path / "ours.txt", "")
    (tmp_path / "usual.txt").write_text("")
    assert (tmp_path / "ours.txt").stat().st_mode == (
        tmp_path / "usual.txt"
    ).stat().st_mode


@pytest.mark.parametrize("suffix", [".keras", ".weights.h5", ".jsonl.gz"])
def test_the_temporary_keeps_the_suffixes(tmp_path, suffix):
    with atomic_path(tmp_path / f"best{suffix}") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.endswith(suffix)


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
def test_a_fault_leaves_the_old_file_and_no_temporary(tmp_path, fault):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(fault):
        with atomic_path(path) as temporary:
            temporary.write_text("half of the n")
            raise fault
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_fault_leaves_no_file_where_there_was_none(tmp_path):
    with pytest.raises(ValueError):
        with atomic_path(tmp_path / "a.txt"):
            raise ValueError
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("where", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, where):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    if where == "write":
        monkeypatch.setattr("pathlib.Path.write_text", fail)
    else:
        monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_text(path, "new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_writer_may_remove_the_temporary_and_make_it_anew(tmp_path):
    with atomic_path(tmp_path / "a.txt") as temporary:
        temporary.unlink()
        temporary.write_text("new")
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_folder_in_place_of_the_file_is_told(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write_text(tmp_path, "")
    assert os.listdir(tmp_path) == []


def test_a_file_in_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(InputError, match="cannot be written") as error:
        write_text(tmp_path / "a" / "b.txt", "")
    assert error.value.file == str(tmp_path / "a" / "b.txt")
