"""CLUENER's JSON lines: names by type."""

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.cluener import iter_cluener

TEXT = "曼联和曼城"


def test_names(tmp_path):
    content = (
        f'{{"text": "{TEXT}", "label": {{"team": {{"曼城": [[3, 4]], '
        '"曼联": [[0, 1]]}, "word": {"和": [[2, 2]]}}}\n{"text": "好"}\n'
    )
    utterances, told = read_bytes(iter_cluener, tmp_path / "a.jsonl", content)
    assert labels_of(utterances[0]) == (
        (),
        [("team", "曼联"), ("word", "和"), ("team", "曼城")],
    )
    assert not utterances[1].slots and not told


@pytest.mark.parametrize(
    "label, problem",
    [
        ('{"team": {"曼城": [[0, 1]]}}', "'曼城' of type 'team' is not in the text at"),
        ('{"team": {"曼城": [[3, 5]]}}', "slot 'team' at 3:6 is no stretch"),
        ('{"team": {"曼": [3, 4]}}', "'曼' of type 'team' has the place 3"),
        ('{"team": {"曼": [[3]]}}', "'曼' of type 'team' has the place [3]"),
        ('{"team": {"曼城": 3}}', "the places of '曼城' is 3"),
        ('{"team": []}', "the names of type 'team' is []"),
        (
            '{"a": {"曼联": [[0, 1]]}, "b": {"联": [[1, 1]]}}',
            "slot 'a' at 0:2 over",
        ),
        ("[]", '"label" is []'),
    ],
)
def test_faults(tmp_path, label, problem):
    content = f'{{"text": "{TEXT}", "label": {label}}}\n{{"text": "a"}}\n'
    utterances, told = read_bytes(iter_cluener, tmp_path / "a.jsonl", content)
    assert [utterance.text for utterance in utterances] == ["a"]
    [(severity, line, found)] = told
    assert (severity, line) == ("error", 1) and found.startswith(problem)


def test_the_published_files(shared_data):
    utterances = list(iter_cluener(shared_data("zh/cluener/dev.jsonl.gz")))
    assert len(utterances) == 1343
    assert sum(len(utterance.slots) for utterance in utterances) == 3072
