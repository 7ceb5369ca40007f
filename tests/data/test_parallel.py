"""Pairs of lines, and faults in them."""

import pytest

from keras_slu.data.parallel import read_parallel
from keras_slu.errors import InputError


def read(folder, source, target):
    (folder / "a.en").write_text(source)
    (folder / "a.de").write_text(target)
    return read_parallel(folder / "a.en", folder / "a.de")


def test_lines_are_paired(tmp_path):
    found = read(tmp_path, "a cat\na dog\n", "eine Katze\nein Hund\n")
    assert found == (["a cat", "a dog"], ["eine Katze", "ein Hund"])


@pytest.mark.parametrize(
    "source, target, told",
    [
        ("a\n", "b\nc\n", "a.en: ends after 1 lines, and .*a.de does not"),
        ("a\nb\n", "c\n", "a.de: ends after 1 lines, and .*a.en does not"),
        ("a\n \n", "b\nc\n", "a.en:2: the line is empty"),
        ("a\nb\n", "\nc\n", "a.de:1: the line is empty"),
        ("", "", "a.en: holds no lines"),
    ],
)
def test_faults_are_told(tmp_path, source, target, told):
    with pytest.raises(InputError) as error:
        read(tmp_path, source, target)
    error.match(told)


def test_multi30k(shared_data):
    folder = shared_data("multi30k")
    sources, targets = read_parallel(folder / "dev.en.gz", folder / "dev.de.gz")
    assert len(sources) == len(targets) == 1014
    assert targets[0].startswith("Eine Gruppe von Männern")
