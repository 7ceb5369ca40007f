"""Every published sample is read: what is in it, and what is told of it."""

import pytest

from keras_slu.data import iter_utterances
from keras_slu.data.detection import detect

# Utterances, slots, different intents, warnings.
SAMPLES = {
    "formats/conll/atis2_dev.w-intent.iob": ("iob-lines", 500, 1709, 14, 0),
    "formats/conll/atis_dev.blocks.txt": ("conll", 500, 1709, 14, 0),
    "formats/nlupp/banking_fold0.json": ("nlupp", 104, 44, 47, 0),
    "formats/nlupp/hotels_fold0.json": ("nlupp", 47, 47, 33, 0),
    "formats/rasa/banking.nlu.yml": ("rasa-yaml", 471, 0, 11, 0),
    "formats/rasa/restaurant_demo.json": ("rasa-json", 25, 8, 4, 0),
    "formats/rasa/snips_converted.nlu.yml": ("rasa-yaml", 280, 709, 7, 0),
    "formats/slurp_massive/massive_layout_400.jsonl": ("massive", 400, 406, 61, 0),
    "formats/slurp_massive/slurp_devel_400.jsonl": ("slurp", 400, 406, 61, 0),
    "formats/snips_native/validate_PlayMusic.json": ("snips-json", 100, 206, 1, 1),
    "formats/snips_nlu/beverage_dataset.json": ("snips-nlu", 7, 10, 1, 1),
    "formats/snips_nlu/flights_dataset.json": ("snips-nlu", 8, 16, 2, 1),
    "formats/snips_nlu/lights_dataset.json": ("snips-nlu", 14, 19, 3, 1),
    "formats/top/snips_converted.top.tsv": ("top", 233, 586, 7, 0),
    "formats/word_colon_tag/fb_es.dev.gz": ("word-tags", 1983, 3019, 11, 6),
    "zh/resume_ner/train.bmes.gz": ("conll", 3821, 13440, 0, 2),
    "zh/weibo_ner/train.bio.gz": ("conll", 1350, 1895, 0, 8),
    "zh/chnsenticorp/dev.tsv.gz": ("csv", 1200, 0, 2, 0),
}


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
