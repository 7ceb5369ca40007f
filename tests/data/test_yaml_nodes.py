"""YAML as nodes: lines, and nothing that is more than data."""

import pytest

from keras_slu.data.yaml_nodes import read_yaml
from keras_slu.errors import InputError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.yml"


def test_scalars_stay_strings_and_know_their_lines(path):
    path.write_text("# a\na: yes\nb:\n- 3\n- |\n\n  x\n  y\n- > \n  z\n")
    root = read_yaml(path)
    a, b = root.value["a"], root.value["b"]
    assert (root.line, a.value, a.line, a.text_line) == (2, "yes", 2, 2)
    number, block, folded = b.value
    assert (number.value, number.line) == ("3", 4)
    assert (block.value, block.line, block.text_line) == ("\nx\ny\n", 5, 6)
    assert (folded.value, folded.line, folded.text_line) == ("z\n", 9, None)


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("a: &b c\n", 1, "an anchor, alias or tag"),
        ("a: b\nc: *b\n", 2, "an anchor, alias or tag"),
        ("a: !!python/object/apply:os.system [b]\n", 1, "an anchor, alias or tag"),
        ("a: !b c\n", 1, "an anchor, alias or tag"),
        ("a: b\na: c\n", 2, "the key 'a' again"),
        ("? [a]\n: b\n", 1, "a key that is no string"),
        ("a: b\n---\nc: d\n", 2, "a second document"),
        ("a: b\nc: [d\n", 2, "invalid YAML"),
        ("a: b\n c: d\n", 2, "invalid YAML"),
        ("a: b\nc: \x07\n", 2, "holds U+0007"),
        ("a: b\u2028c\n", 1, "holds U+2028"),
        ("[" * 30 + "\n", 1, "nodes too deep"),
        ("[" * 100_000, 1, "invalid YAML"),
        ("# nothing\n", None, "is empty"),
    ],
)
def test_what_is_refused(path, content, line, problem):
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_yaml(path)
    assert problem in caught.value.problem
    assert caught.value.line == line
