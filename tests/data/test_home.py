"""The embedded corpus: what it holds and what keeps dev and test apart."""

import hashlib
import itertools
import re
import subprocess
import sys
import time
from collections import Counter

import pytest
import yaml

from keras_slu.data.grammar import Place
from keras_slu.data.grammar import parse
from keras_slu.data.home import FOLDER
from keras_slu.data.home import read_home
from keras_slu.errors import InputError
from keras_slu.text.tokenizer import Tokenizer

SPLITS = ("train", "dev", "test")
HELD_OUT = ("dev", "test")
GRAMMAR = yaml.safe_load((FOLDER / "grammar.yaml").read_text(encoding="utf-8"))
RULES = {name: parse(pattern) for name, pattern in GRAMMAR["rules"].items()} | {
    name: parse(slot["values"]) for name, slot in GRAMMAR["slots"].items()
}
# The slots whose values cannot be listed; the others are closed classes.
OPEN = {name for name, slot in GRAMMAR["slots"].items() if slot.get("open")}


@pytest.fixture(scope="module")
def corpus():
    return {split: read_home(split) for split in SPLITS}


def bare(text):
    """Lower case, single spaces, no punctuation, for comparing."""
    return " ".join(re.sub(r"[^\w\s{}%°']", " ", text.lower()).split())


def delexicalised(utterance):
    text = utterance.text
    for slot in reversed(utterance.slots):
        text = text[: slot.start] + f"{{{slot.name}}}" + text[slot.end :]
    return bare(text)


def values(utterances):
    return {
        (slot.name, bare(utterance.text[slot.start : slot.end]))
        for utterance in utterances
        for slot in utterance.slots
    }


def expansions(pattern, keep_slots):
    """All that a parsed pattern can become, slots by name or by value."""
    for parts in pattern:
        choices = [_part_expansions(part, keep_slots) for part in parts]
        for chosen in itertools.product(*choices):
            yield bare("".join(chosen))


def _part_expansions(part, keep_slots):
    if isinstance(part, str):
        return [part]
    if not isinstance(part, Place):
        return list(expansions(part, keep_slots))
    if part.slot is not None and keep_slots:
        return [f"{{{part.slot}}}"]
    return list(expansions(RULES[part.rule], keep_slots))


def phrasings():
    """Every line of the grammar in all its forms, slots by name."""
    blocks = [
        intent[kind]
        for intent in GRAMMAR["intents"].values()
        for kind in ("commands", "others")
    ]
    lines = [line for block in blocks for line in block.splitlines()]
    return {form for line in lines for form in expansions(parse(line), True)}


def test_sizes(corpus):
    assert [len(corpus[split]) for split in SPLITS] == [2030, 151, 200]


def test_intents_and_slots_are_those_of_the_grammar_in_every_split(corpus):
    assert len(GRAMMAR["intents"]) == 13
    assert len(GRAMMAR["slots"]) == 22
    for utterances in corpus.values():
        assert {i for u in utterances for i in u.intents} == set(GRAMMAR["intents"])
        assert {s.name for u in utterances for s in u.slots} == set(GRAMMAR["slots"])


@pytest.mark.parametrize("split", SPLITS)
def test_spans_are_in_order_and_on_token_boundaries(corpus, split):
    tokenizer = Tokenizer()
    for utterance in corpus[split]:
        tokens = tokenizer.tokenize(utterance.text)
        starts = {token.start for token in tokens}
        ends = {token.end for token in tokens}
        end = 0
        for slot in utterance.slots:
            assert end <= slot.start < slot.end, utterance
            assert slot.start in starts and slot.end in ends, utterance
            end = slot.end


@pytest.mark.parametrize("split", SPLITS)
def test_text_is_tidy(corpus, split):
    for utterance in corpus[split]:
        text = utterance.text
        assert text == " ".join(text.split())
        assert " ," not in text and "{" not in text and "<" not in text
        assert len(utterance.intents) in (1, 2)


def test_texts_are_distinct_and_in_one_split_only(corpus):
    texts = Counter(bare(u.text) for split in SPLITS for u in corpus[split])
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("split", HELD_OUT)
def test_open_values_are_none_that_the_grammar_can_say(corpus, split):
    said = values(corpus["train"])
    for intent in GRAMMAR["intents"].values():
        for slot, rule in re.findall(r"{(\w+):?(\w*)}", str(intent)):
            said |= {(slot, value) for value in expansions(RULES[rule or slot], False)}
    assert len(OPEN) == 9
    assert {v for v in values(corpus[split]) & said if v[0] in OPEN} == set()


@pytest.mark.parametrize("split", HELD_OUT)
def test_phrasings_are_none_of_training(corpus, split):
    trained = {delexicalised(utterance) for utterance in corpus["train"]}
    held_out = {delexicalised(utterance) for utterance in corpus[split]}
    assert held_out & trained == set()


@pytest.mark.parametrize("split", HELD_OUT)
def test_no_line_of_the_grammar_says_it_even_politely(corpus, split):
    lines = phrasings()
    polite = {*expansions(RULES["opening"], True), "please", "for me", "thanks", "um"}
    for utterance in corpus[split]:
        phrase = delexicalised(utterance)
        for words in sorted(polite, key=len, reverse=True):
            phrase = phrase.removeprefix(words + " ").removesuffix(" " + words)
        assert phrase not in lines, utterance.origin


def test_dev_and_test_share_no_phrasing(corpus):
    dev, test = ({delexicalised(u) for u in corpus[split]} for split in HELD_OUT)
    assert len(dev) == len(corpus["dev"]) and len(test) == len(corpus["test"])
    assert dev & test == set()


@pytest.mark.parametrize("split", SPLITS)
def test_intents_are_balanced_and_some_utterances_have_two(corpus, split):
    counts = Counter(i for u in corpus[split] for i in u.intents)
    assert max(counts.values()) < 2 * min(counts.values()), counts
    two = sum(len(u.intents) == 2 for u in corpus[split]) / len(corpus[split])
    assert 0.05 < two < 0.1


def test_one_word_is_a_value_of_several_slots(corpus):
    slots_of = {}
    for name, value in values(corpus["train"]):
        slots_of.setdefault(value, set()).add(name)
    assert {"artist", "city"} <= slots_of["paris"]
    assert {"contact", "city"} <= slots_of["austin"]
    assert {"item", "timer_name"} <= slots_of["pasta"]


def test_training_is_the_same_everywhere(corpus):
    lines = [repr((u.text, u.intents, u.slots)) for u in corpus["train"]]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "ea3daacdc330982aaad1c3fb0454be7d05b5643abaff98b13dd3c40d5fe42c25"
    assert read_home("train") == corpus["train"]


def test_it_is_quick():
    times = []
    for _ in range(3):
        start = time.process_time()
        read_home("train")
        times.append(time.process_time() - start)
    assert min(times) < 0.3


def test_it_needs_no_tensorflow():
    code = (
        "import sys; from keras_slu.data.home import read_home; read_home('train');"
        "read_home('test'); assert not {'keras', 'tensorflow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_split_is_refused():
    with pytest.raises(InputError, match="'valid'") as caught:
        read_home("valid")
    assert "train, dev or test" in str(caught.value)
