"""The page: what it shows, and that nothing in it is taken for more than text."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from parses import gold
from parses import parsed

from keras_slu.evaluation.report import make_report
from keras_slu.evaluation.report_page import MAX_ERRORS
from keras_slu.evaluation.report_page import MAX_LABELS
from keras_slu.evaluation.report_page import render_page
from keras_slu.evaluation.report_page import segments

pytest.importorskip("jinja2")
EVIL = (
    '<img src=x onerror="alert(1)">\'"</script><script>alert(2)</script>&amp;{{ 7*7 }}'
)
VOID = {"meta", "input", "img", "br"}


class Page(HTMLParser):
    """Elements, attributes and text of a page; checks that all are closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.text = [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def all(self, tag, **wanted):
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and wanted.items() <= attributes.items()
        ]


def render(utterances, frames, run="my-run"):
    numbers = len(utterances)
    figures, errors = make_report(utterances, frames, [3] * numbers, [False] * numbers)
    figures.update(
        run=run, data="some/data", version="0.0.1", gold_tokens=figures["scores"]
    )
    return render_page(figures, errors, {"slot_f1": "slot F1 (conlleval)"})


@pytest.fixture(scope="module")
def html():
    utterances = [
        gold("play hey jude", "play", ("song", 5, 13)),
        gold("😀 to rome", "go", ("city", 5, 9)),
    ]
    frames = [
        parsed("play hey jude", "play", ("song", 9, 13, 0.5)),
        parsed("😀 to rome", "play", ("city", 5, 9, 0.9)),
    ]
    return render(utterances, frames)


def test_it_shows_scores_charts_tables_and_errors(html):
    page = Page(html)
    text = " ".join(" ".join(page.text).split())
    for shown in ("my-run", "some/data", "2 utterances", "Overall accuracy", "song"):
        assert shown in text
    assert "slot F1 (conlleval)" in text
    assert len(page.all("svg", role="img")) == 4  # two of intents, two of slots
    assert len(page.all("table", **{"class": "confusion"})) == 1
    kinds = [item["data-kinds"] for item in page.all("li")]
    assert kinds == ['["intent"]', '["boundary"]']
    assert [item["data-labels"] for item in page.all("li")] == [
        '["go", "play"]',
        '["song"]',
    ]


def test_wrong_and_right_slots_are_marked(html):
    marks = re.findall(r'<mark class="(\w+)"[^>]*>([^<]*)<', html)
    assert marks == [
        ("right", "rome"),
        ("right", "rome"),
        ("wrong", "hey jude"),
        ("wrong", "jude"),
    ]


def test_nothing_is_loaded(html):
    assert "http:" not in html and "https:" not in html and "@import" not in html
    assert "url(" not in html
    page = Page(html)
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _ in page.elements}
    assert page.all("script") == [{}]


def test_only_its_own_script_may_run(html):
    [policy] = Page(html).all("meta", **{"http-equiv": "Content-Security-Policy"})
    script = re.search("<script>(.*?)</script>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy["content"]
    assert "default-src 'none'" in policy["content"]


def test_texts_and_labels_are_only_text():
    end = len(EVIL)
    utterance = gold(EVIL, "play", (EVIL, 0, end))
    frame = parsed(EVIL, "stop", (EVIL[::-1], 0, end, 0.5))
    html = render([utterance], [frame], run=EVIL)
    clean = render(
        [gold("x", "play", ("a", 0, 1))], [parsed("x", "stop", ("b", 0, 1, 0.5))]
    )
    page, expected = Page(html), Page(clean)
    # The same elements, with the same attributes, as for harmless text.
    assert [(tag, set(a)) for tag, a in page.elements] == [
        (tag, set(a)) for tag, a in expected.elements
    ]
    assert "".join(page.text).count(EVIL) > 5
    assert "49" not in "".join(page.text)


def test_many_errors_are_cut_and_many_labels_too():
    number = MAX_ERRORS + 5
    utterances = [gold(f"say {i}", f"intent{i % 50:02}") for i in range(number)]
    frames = [parsed(f"say {i}", f"intent{(i + 1) % 50:02}") for i in range(number)]
    page = Page(render(utterances, frames))
    assert len(page.all("li")) == MAX_ERRORS
    # Each is taken for the next one, so that the first is never predicted.
    assert len(page.all("th", scope="col")) == MAX_LABELS - 1
    assert f"{MAX_ERRORS} of {number}" in " ".join(page.text)
    assert f"{MAX_LABELS} sets of intents" in " ".join(page.text)


def test_a_page_without_errors():
    html = render([gold("hi", "greet")], [parsed("hi", "greet")])
    page = Page(html)
    assert page.all("li") == [] and page.all("form") == []
    assert "There is none." in "".join(page.text)


def test_segments_give_back_the_text():
    slots = [{"start": 0, "end": 2}, {"start": 2, "end": 3}, {"start": 5, "end": 7}]
    pieces = list(segments("abcdefg", slots))
    assert "".join(piece for piece, _ in pieces) == "abcdefg"
    assert [piece for piece, slot in pieces if slot] == ["ab", "c", "fg"]
