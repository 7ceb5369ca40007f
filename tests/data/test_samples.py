"""Every published sample is read: what is in it, and what is told of it."""

import pytest
from samples import SAMPLES

from keras_slu.data import iter_utterances
from keras_slu.data.detection import detect


def read_sample(path):
    told = []
    utterances = list(
        iter_utterances(path, report=lambda severity, _: told.append(severity))
    )
    assert set(told) <= {"warning"}
    slots = sum(len(utterance.slots) for utterance in utterances)
    intents = {intent for utterance in utterances for intent in utterance.intents}
    return len(utterances), slots, len(intents), len(told)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample(shared_data, name):
    path = shared_data(name)
    assert (detect(path), *read_sample(path)) == SAMPLES[name]


def test_folders_of_samples(shared_data):
    assert read_sample(shared_data("formats/rasa")) == (1444, 709, 54, 1)
    assert read_sample(shared_data("formats/snips_native")) == (700, 1794, 7, 1)


def test_the_same_utterances_in_two_formats(shared_data):
    iob = iter_utterances(shared_data("formats/conll/atis2_dev.w-intent.iob"))
    blocks = iter_utterances(shared_data("formats/conll/atis_dev.blocks.txt"))
    assert set(iob) == set(blocks)
    massive, slurp = (
        iter_utterances(shared_data(f"formats/slurp_massive/{name}.jsonl"))
        for name in ("massive_layout_400", "slurp_devel_400")
    )
    assert list(massive) == list(slurp)
