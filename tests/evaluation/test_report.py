"""The figures of a report, counted by hand."""

import json

import pytest
from parses import gold
from parses import parsed

from keras_slu.evaluation import score_spans
from keras_slu.evaluation.report import make_report

UTTERANCES = [
    gold("play hey jude", "play", ("song", 5, 13)),
    gold("play it and stop", "play stop"),
    gold("to rome", "go", ("city", 3, 7)),
    gold("to rome now", "go", ("city", 3, 7), ("when", 8, 11)),
    gold("mumble", ""),
]
FRAMES = [
    parsed("play hey jude", "play", ("song", 9, 13, 0.5)),
    parsed("play it and stop", "play stop"),
    parsed("to rome", "play", ("song", 3, 7, 0.9), probability=0.95),
    parsed("to rome now", "go", ("city", 3, 7, 0.9), is_unknown=True),
    parsed("mumble", "stop"),
]
LENGTHS = [3, 4, 2, 30, 0]
HAS_UNKNOWN = [False, False, True, True, False]


@pytest.fixture(scope="module")
def report():
    return make_report(UTTERANCES, FRAMES, LENGTHS, HAS_UNKNOWN)


@pytest.fixture(scope="module")
def figures(report):
    return report[0]


def row(table, name):
    [found] = [row for row in table if row["name"] == name]
    return found


def test_it_is_plain_data(report):
    assert json.loads(json.dumps(report)) == list(report)


def test_the_scores_and_their_intervals(figures):
    assert figures["scores"] == score_spans(UTTERANCES, FRAMES).to_dict()
    assert (figures["utterances"], figures["wrong_utterances"]) == (5, 4)
    assert figures["called_unknown"] == 1
    for figure, (low, high) in figures["intervals"].items():
        assert low <= figures["scores"][figure] <= high


def test_intents_one_by_one(figures):
    # Gold: play twice, of which both are found, and one that is none.
    assert row(figures["intents"], "play") == {
        "name": "play",
        "precision": 2 / 3,
        "recall": 1.0,
        "f1": 0.8,
        "support": 2,
        "predicted": 3,
        "confused_with": {},
    }
    assert row(figures["intents"], "go")["confused_with"] == {"play": 1}
    assert [row["name"] for row in figures["intents"]] == ["go", "play", "stop"]


def test_slots_one_by_one(figures):
    city = row(figures["slots"], "city")
    assert (city["precision"], city["recall"], city["support"]) == (1.0, 0.5, 2)
    assert city["confused_with"] == {"song": 1}
    # Other bounds are no confusion, but an error of its own kind.
    song = row(figures["slots"], "song")
    assert (song["f1"], song["support"], song["predicted"]) == (0.0, 1, 2)
    assert song["confused_with"] == {}
    assert figures["error_kinds"] == {
        "intent": 2,
        "boundary": 1,
        "type": 1,
        "missed": 1,
        "spurious": 0,
    }


def test_the_confusion_matrix_is_of_sets_of_intents(figures):
    labels, counts = figures["confusion"]["labels"], figures["confusion"]["counts"]
    assert set(labels) == {"play", "play#stop", "go", "(no intent)", "stop"}
    assert sum(map(sum, counts)) == 5
    found = {
        (labels[i], labels[j]): count
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        if count
    }
    assert found == {
        ("play", "play"): 1,
        ("play#stop", "play#stop"): 1,
        ("go", "play"): 1,
        ("go", "go"): 1,
        ("(no intent)", "stop"): 1,
    }


def test_the_parts_of_the_data(figures):
    short, long = figures["by_length"]
    assert (short["words"], short["utterances"]) == ("0–5", 4)
    assert short["overall_accuracy"] == 0.25
    assert (long["words"], long["utterances"]) == ("21 or more", 1)
    unknown = figures["by_unknown_words"]
    assert (unknown["without"]["utterances"], unknown["with"]["utterances"]) == (3, 2)
    assert unknown["without"]["intent_accuracy"] == pytest.approx(2 / 3)
    assert unknown["with"]["slot_f1"] == 0.4  # one of three, and two predicted


def test_confidence_of_intents_and_slots(figures):
    intents, slots = (figures["calibration"][key] for key in ("intents", "slots"))
    assert (intents["count"], slots["count"]) == (5, 3)
    # 0.75 four times, right thrice; 0.95, wrong.
    assert intents["ece"] == pytest.approx((4 * 0.0 + 0.95) / 5)
    assert intents["brier"] == pytest.approx((3 * 0.25**2 + 0.75**2 + 0.95**2) / 5)
    assert slots["brier"] == pytest.approx((0.5**2 + 0.9**2 + 0.1**2) / 3)
    assert [(b["right"], b["wrong"]) for b in slots["bins"]] == [(0, 1), (1, 1)]
    assert [b["mean_confidence"] for b in slots["bins"]] == pytest.approx([0.5, 0.9])
    assert slots["bins"][1]["low"] <= 0.9 < slots["bins"][1]["high"]


def test_the_most_confident_errors_come_first(report):
    _, errors = report
    assert [record["text"] for record in errors] == [
        "to rome",  # 0.95
        "mumble",  # 0.75
        "play hey jude",  # 0.5
        "to rome now",  # missed, nothing was claimed
    ]


def test_data_without_slots_or_errors():
    utterances = [gold("hi", "greet"), gold("bye", "leave")]
    frames = [parsed("hi", "greet"), parsed("bye", "leave")]
    figures, errors = make_report(utterances, frames, [1, 1], [False, False])
    assert errors == figures["slots"] == []
    assert figures["calibration"]["slots"] == {"count": 0}
    assert figures["by_unknown_words"]["with"] == {"utterances": 0}


def test_calibration_errors_from_before():
    before = [parsed("play hey jude", "play", ("song", 9, 13, 0.75), probability=1.0)]
    figures, _ = make_report(UTTERANCES[:1], FRAMES[:1], [3], [False], before)
    intents, slots = (figures["calibration"][key] for key in ("intents", "slots"))
    # The intent is right, the slot is not.
    assert (intents["brier_before"], intents["brier"]) == (0.0, 0.0625)
    assert (intents["ece_before"], intents["ece"]) == (0.0, 0.25)
    assert (slots["brier_before"], slots["brier"]) == (0.5625, 0.25)
