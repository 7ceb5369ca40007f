"""What utterances have heard, as arrays; results of sets; rows of batches."""

from dataclasses import replace

import numpy as np

from keras_slu.data.batches import TrainingBatches
from keras_slu.data.dialogue_encoding import encode_histories
from keras_slu.data.dialogue_encoding import encode_prompts
from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.data.history import intent_result
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

WORDS = (Tokenizer(), Vocabulary(["play", "jude", "stop", "now"]))
LABELS = LabelSet(["play", "stop"], ["O", "B-song"])
UTTERANCES = [
    Utterance("play jude", (), (SlotSpan("song", 5, 9),), ("play",)),
    Utterance("stop now", intents=("stop",), turn=1, prompts=(Utterance("now ?"),)),
    Utterance("play", intents=("unheard of",), turn=2),
    Utterance("now", intents=("stop",)),
]


def histories(max_history, hears=False):
    examples = encode(UTTERANCES, *WORDS, LABELS, 8)
    prompts = [[] for _ in UTTERANCES]
    if hears:
        prompts = [encode_prompts(utterance, *WORDS, 8) for utterance in UTTERANCES]
    return encode_histories(UTTERANCES, examples, max_history, prompts)


def test_each_turn_has_heard_those_before_it():
    found = histories(10)
    ids = [[0] * 6, [-1, 2, 3, 0, 0, 0], [-1, 2, 3, -1, 4, 5], [0] * 6]
    results = [[0] * 6, [0, 0, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0] * 6]
    turns = [[0] * 6, [1, 1, 1, 0, 0, 0], [2, 2, 2, 1, 1, 1], [0] * 6]
    assert found["history_ids"].tolist() == ids
    assert found["history_results"].tolist() == results
    assert found["history_turns"].tolist() == turns
    assert histories(5)["history_ids"][2].tolist() == [-1, 4, 5]


def test_what_the_system_says_has_no_results():
    found = histories(10, hears=True)
    assert found["history_ids"][1].tolist()[:6] == [-1, 2, 3, -1, 5, 1]
    assert found["history_results"][1].tolist()[:6] == [0, 0, 1, -1, -1, -1]
    assert found["history_turns"][1].tolist()[:6] == [2, 2, 2, 1, 1, 1]


def test_results_of_sets_are_sums_of_powers():
    assert intent_result(np.array([0, 1, 1])) == 6
    assert intent_result(np.array([False, False])) == 0
    assert intent_result(np.array([-1, -1])) == -1
    assert intent_result(np.int32(-1)) == -1
    assert intent_result(np.ones(31, np.int32)) == 2**31 - 1


def test_batches_carry_the_history_of_their_rows():
    examples = encode(UTTERANCES, *WORDS, LABELS, 8)
    examples = replace(examples, history=histories(10))
    (batch,) = TrainingBatches(examples, 6, seed=1).batches(0)
    inputs, _, weight = batch
    expected = {
        tuple(ids[:2]): history
        for ids, history in zip(
            examples.token_ids.tolist(),
            examples.history["history_ids"].tolist(),
            strict=True,
        )
    }
    for row in np.flatnonzero(weight):
        ids = tuple(inputs["token_ids"][row][:2].tolist())
        assert inputs["history_ids"][row].tolist() == expected[ids]
    assert (inputs["history_ids"][weight == 0] == 0).all()
    spec = TrainingBatches(examples, 6, seed=1).dataset().element_spec
    assert set(spec[0]) == {"token_ids", *examples.history}
