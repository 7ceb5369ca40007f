import json
import random
import subprocess
import sys
import warnings

import pytest
from seqeval.metrics import accuracy_score
from seqeval.metrics import f1_score
from seqeval.metrics import precision_score
from seqeval.metrics import recall_score
from seqeval.scheme import IOB2

from keras_slu.data.tags import tag_names
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.evaluation import Labels
from keras_slu.evaluation import score
from keras_slu.evaluation import score_spans
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot


def labels(tags, *intents):
    return Labels(tuple(tags.split()), intents)


def random_labels(draw, like=None):
    """Random labels; with `like`, as long as those and mostly the same."""
    tags = tag_names(["a", "a-b", "c#d"])
    if like is None:
        drawn = draw.choices(tags, k=draw.randrange(1, 8))
        return Labels(drawn, tuple(draw.sample("xyz", draw.randrange(1, 3))))
    drawn = [draw.choice(tags) if draw.random() < 0.2 else tag for tag in like.tags]
    intents = list(like.intents) if draw.random() < 0.7 else ["x"]
    draw.shuffle(intents)
    return Labels(drawn, tuple(intents))


def random_pairs(seed):
    draw = random.Random(seed)
    gold = [random_labels(draw) for _ in range(draw.randrange(1, 15))]
    return gold, [random_labels(draw, like=item) for item in gold]


def seqeval_figures(gold, predicted, **mode):
    tags = [[list(item.tags) for item in side] for side in (gold, predicted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a batch without a span
        measures = (precision_score, recall_score, f1_score)
        return [measure(*tags, **mode) for measure in measures]


@pytest.mark.parametrize("seed", range(40))
def test_slot_figures_equal_seqeval(seed):
    gold, predicted = random_pairs(seed)
    scores = score(gold, predicted)
    ours = (scores.slot_precision, scores.slot_recall, scores.slot_f1)
    assert ours == pytest.approx(seqeval_figures(gold, predicted))
    strict = seqeval_figures(gold, predicted, mode="strict", scheme=IOB2)
    assert scores.slot_f1_strict == pytest.approx(strict[2])
    tags = [[item.tags for item in side] for side in (gold, predicted)]
    assert scores.token_accuracy == pytest.approx(accuracy_score(*tags))


@pytest.mark.parametrize("seed", range(10))
def test_an_accuracy_is_k_over_n(seed):
    gold, predicted = random_pairs(seed)
    scores = score(gold, predicted)
    for one in (scores, scores.majority):
        for accuracy in (
            one.overall_accuracy,
            one.intent_accuracy,
            one.intent_accuracy_exact_string,
        ):
            k = accuracy * len(gold)
            assert k == pytest.approx(round(k), abs=1e-9)
        assert one.overall_accuracy <= one.intent_accuracy
        assert one.intent_accuracy_exact_string <= one.intent_accuracy


def test_order_of_intents_matters_to_the_exact_string_only():
    gold = [labels("O", "a", "b"), labels("O", "a")]
    scores = score(gold, [labels("O", "b", "a"), labels("O", "a")])
    assert scores.intent_accuracy == 1.0
    assert scores.overall_accuracy == 1.0
    assert scores.intent_f1 == 1.0
    assert scores.intent_accuracy_exact_string == 0.5


def test_the_whole_set_of_intents_must_match():
    gold = [labels("O", "a", "b"), labels("O", "a")]
    scores = score(gold, [labels("O", "a"), labels("O", "a", "c")])
    assert scores.intent_accuracy == 0.0
    assert scores.intent_f1 == pytest.approx(2 * 2 / (3 + 3))


def test_a_wrong_tag_costs_the_overall_accuracy_even_if_the_chunks_agree():
    scores = score([labels("O B-a", "x")], [labels("O I-a", "x")])
    assert scores.slot_f1 == 1.0
    assert scores.slot_f1_strict == 0.0
    assert scores.overall_accuracy == 0.0
    assert scores.token_accuracy == 0.5


@pytest.mark.parametrize("nameless", [None, ""])
def test_a_label_without_a_name_is_always_an_error(nameless):
    gold = [Labels((nameless, "B-a"), (nameless,)), Labels(("O",), ("x",))]
    scores = score(gold, gold)
    assert scores.intent_accuracy == 0.5
    assert scores.intent_accuracy_exact_string == 0.5
    assert scores.overall_accuracy == 0.5
    assert scores.token_accuracy == pytest.approx(2 / 3)
    assert scores.slot_precision == 1.0
    assert scores.slot_recall == 0.5
    assert scores.slot_f1_strict == pytest.approx(2 / 3)
    assert scores.intent_f1 == 0.5


def test_a_predicted_tag_without_a_name_claims_no_span():
    scores = score([labels("B-a B-a", "x")], [Labels(("B-a", None), ("x",))])
    assert scores.overall_accuracy == 0.0
    assert scores.token_accuracy == 0.5
    assert (scores.slot_precision, scores.slot_recall) == (1.0, 0.5)


def test_a_gold_label_unseen_in_training_counts_as_an_error():
    gold = [labels("B-new", "new"), labels("B-a", "x")]
    scores = score(gold, [labels("O", "x"), labels("B-a", "x")])
    assert scores.overall_accuracy == 0.5
    assert scores.intent_accuracy == 0.5
    assert scores.slot_recall == 0.5


def test_without_spans_f1_is_zero():
    scores = score([labels("O O", "x")], [labels("O O", "x")])
    assert scores.slot_precision == scores.slot_recall == scores.slot_f1 == 0.0
    assert scores.slot_f1_strict == 0.0
    assert scores.overall_accuracy == scores.token_accuracy == 1.0


def test_majority_is_the_most_frequent_set_and_no_slots():
    gold = [
        labels("O", "a", "b"),
        labels("B-s", "b", "a"),
        labels("O O", "c"),
        Labels(("O",), (None,)),
        Labels(("O",), (None,)),
        Labels(("O",), (None,)),
    ]
    majority = score(gold, gold).majority
    assert majority.intent_accuracy == pytest.approx(2 / 6)
    assert majority.intent_accuracy_exact_string == pytest.approx(1 / 6)
    assert majority.overall_accuracy == pytest.approx(1 / 6)
    assert majority.slot_f1 == 0.0
    assert majority.token_accuracy == pytest.approx(6 / 7)
    assert majority.majority is None


def test_what_cannot_be_scored_is_refused():
    one = labels("O", "x")
    with pytest.raises(ValueError, match="no utterances"):
        score([], [])
    with pytest.raises(ValueError, match="2 utterances but 1 predictions"):
        score([one, one], [one])
    with pytest.raises(ValueError, match="utterance 1 has 1 gold tags but 2"):
        score([one, one], [one, labels("O O", "x")])
    with pytest.raises(ValueError, match="no utterances"):
        score_spans([], [])
    with pytest.raises(ValueError, match="utterance 0 is 'a' .* 'b'"):
        score_spans([Utterance("a")], [Frame("b", (), ())])


def read_atis(folder):
    tags = (folder / "seq.out").read_text().splitlines()
    intents = (folder / "label").read_text().splitlines()
    return [
        labels(tag, *intent.split("#"))
        for tag, intent in zip(tags, intents, strict=True)
    ]


PERFECT = {
    "overall_accuracy",
    "intent_accuracy",
    "intent_accuracy_exact_string",
    "intent_f1",
    "slot_precision",
    "slot_recall",
    "slot_f1",
    "slot_f1_strict",
    "token_accuracy",
}


def test_atis_against_itself_and_with_one_error(shared_data):
    gold = read_atis(shared_data("atis/test"))
    scores = score(gold, gold).to_dict()
    assert scores["utterances"] == 893
    assert {name for name, value in scores.items() if value == 1.0} == PERFECT
    # `sort label | uniq -c`: 632 lines are atis_flight alone.
    assert scores["majority"]["intent_accuracy"] == 632 / 893

    at = next(i for i, item in enumerate(gold) if item.tags.count("O") > 1)
    spans = sum(tag.startswith("B-") for item in gold for tag in item.tags)
    tokens = sum(len(item.tags) for item in gold)
    assert tokens == 9164
    spurious = list(gold[at].tags)
    spurious[spurious.index("O")] = "B-spurious"
    predicted = list(gold)
    predicted[at] = Labels(spurious, gold[at].intents)
    scores = score(gold, predicted)
    assert scores.overall_accuracy == 892 / 893
    assert scores.intent_accuracy == scores.slot_recall == 1.0
    assert scores.slot_precision == spans / (spans + 1)
    assert scores.slot_f1 == 2 * spans / (2 * spans + 1)
    assert scores.token_accuracy == (tokens - 1) / tokens

    predicted = list(gold)
    predicted[at] = Labels(gold[at].tags, ("wrong",))
    scores = score(gold, predicted)
    assert scores.overall_accuracy == scores.intent_accuracy == 892 / 893
    assert scores.slot_f1 == scores.token_accuracy == 1.0


def test_to_dict_is_ready_for_json():
    gold, predicted = random_pairs(3)
    figures = score(gold, predicted).to_dict()
    assert json.loads(json.dumps(figures)) == figures
    assert set(figures) == PERFECT | {"utterances", "majority"}
    assert set(figures["majority"]) == PERFECT | {"utterances"}


def frame(text, intents, *spans):
    return Frame(
        text,
        tuple(Intent(name, 0.5, name in intents) for name in ("x", "y", "z")),
        tuple(Slot(name, text[a:b], a, b, 0.9) for name, a, b in spans),
    )


def test_spans_of_raw_text():
    to_rome = Utterance("to Rome", (), (SlotSpan("city", 3, 7),), ("y", "x"))
    hello = Utterance("hello", (), (), ("z",))
    gold = [to_rome, to_rome, hello, hello]
    frames = [
        frame("to Rome", "xy", ("city", 3, 7)),
        frame("to Rome", "xy", ("city", 2, 7)),  # one space too many
        frame("hello", "z"),
        frame("hello", "x", ("city", 0, 5)),
    ]
    scores = score_spans(gold, frames)
    assert scores.overall_accuracy == 0.5
    assert scores.intent_accuracy == 0.75
    assert scores.intent_accuracy_exact_string == 0.25
    assert scores.intent_f1 == pytest.approx(2 * 5 / (6 + 6))
    assert scores.slot_precision == pytest.approx(1 / 3)
    assert scores.slot_recall == 0.5
    assert scores.slot_f1 == pytest.approx(2 * 1 / (2 + 3))
    assert scores.majority.intent_accuracy == 0.5
    assert scores.majority.overall_accuracy == 0.0
    figures = scores.to_dict()
    assert "token_accuracy" not in figures
    assert "slot_f1_strict" not in figures
    assert json.loads(json.dumps(figures)) == figures


def test_span_names_and_both_offsets_count():
    gold = [Utterance("to Rome", (), (SlotSpan("city", 3, 7),), ("x",))]
    for wrong in [("town", 3, 7), ("city", 2, 7), ("city", 3, 6)]:
        scores = score_spans(gold, [frame("to Rome", "x", wrong)])
        assert scores.slot_f1 == scores.overall_accuracy == 0.0
    assert score_spans(gold, [frame("to Rome", "x", ("city", 3, 7))]).slot_f1 == 1.0


def test_scoring_needs_no_tensorflow():
    heavy = "{'tensorflow', 'keras'} & set(sys.modules)"
    program = f"import sys, keras_slu.evaluation; assert not ({heavy})"
    subprocess.run([sys.executable, "-c", program], check=True)
