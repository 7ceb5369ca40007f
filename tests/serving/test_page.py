"""The page in a browser: what a person sees of an answer."""

import re
import shutil
import subprocess
from html import unescape
from urllib.parse import quote_plus

import pytest
from rest_server import FakeModel
from rest_server import running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def show():
    """Gives the page's HTML after it has asked for a text."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian's package chromium)")

    def load(text):
        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu"]
        command += ["--virtual-time-budget=5000", "--dump-dom"]
        url = f"{address}/?text={quote_plus(text)}"
        shown = subprocess.run([*command, url], capture_output=True, timeout=120)
        return shown.stdout.decode()

    with running(FakeModel()) as address:
        yield load


def content(html, id):
    """The text inside the element of an id, without the tags."""
    element = re.search(rf'<(\w+) [^>]*id="{id}".*?</\1>', html, re.DOTALL).group()
    return unescape(re.sub("<[^>]*>", "|", element)).strip("|")


def is_hidden(html, id):
    return "hidden" in re.search(rf'<[^>]*id="{id}"[^>]*>', html).group()


def test_an_answer(show):
    html = show("play <b>😀 &amp; zoë")
    assert not is_hidden(html, "answer")
    # "zoë" begins at code point 16, which is UTF-16 unit 17.
    assert content(html, "sentence") == "play <b>😀 &amp; |zoë|song"
    assert "zoë||16–19||50 %" in content(html, "slots")
    assert content(html, "intents").startswith("play||75 %|")
    assert content(html, "spoken") == "play, 75 %. song: zoë"
    assert is_hidden(html, "unknown") and is_hidden(html, "cut")
    assert is_hidden(html, "fault")


def test_an_unknown_sentence(show):
    html = show("xyzzy")
    assert not is_hidden(html, "unknown")
    assert content(html, "spoken").startswith("I do not know")


def test_a_fault(show):
    html = show("fault")
    assert is_hidden(html, "answer")
    assert "RuntimeError: broken" in content(html, "fault")
