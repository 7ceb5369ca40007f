"""The kit in `tflite/`: what people run and copy parses as the package does."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import keras_slu
from keras_slu.export.litert import export_litert

pytest.importorskip("ai_edge_litert")

KIT = Path(__file__).resolve().parents[2] / "tflite"
TEXTS = [
    "play hey jude",
    "Book ROME, rome!",
    "听歌 😀 ZoË zoë",
    "",
    " \0 ",
    "hey\0jude",
    "the" * 40,
    "play play play rome hey jude the book 听歌 שלום",
    "👩‍🚀 hey 🇮🇹 jude.",
    "jude " * 20,
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    from untrained import make_model

    folder = tmp_path_factory.mktemp("kit")
    make_model().save(folder / "model.keras")
    export_litert(folder, folder / "tiny.tflite", max_tokens=8, max_chars=60)
    return folder / "tiny.tflite"


@pytest.fixture(scope="module")
def frames(exported):
    return [frame.to_dict() for frame in keras_slu.load(exported).parse(TEXTS)]


def check_same(found, frames):
    assert sum(len(frame["slots"]) for frame in frames) > 5
    assert any(frame["truncated"] for frame in frames)
    assert found == [about(frame) for frame in frames]


def about(frame):
    """What a frame read from JSON equals, up to rounding."""

    def near(items, name):
        return [{**item, name: pytest.approx(item[name], abs=1e-4)} for item in items]

    intents = near(frame["intents"], "probability")
    return {**frame, "intents": intents, "slots": near(frame["slots"], "confidence")}


def test_the_python_runner_parses_the_same(exported, frames):
    child = subprocess.run(
        [sys.executable, str(KIT / "run.py"), str(exported)],
        input="".join(f"{text}\n" for text in TEXTS),
        capture_output=True,
        encoding="utf-8",
    )
    found = [json.loads(line) for line in child.stdout.splitlines()]
    assert len(found) == len(TEXTS), child.stderr
    check_same(found, frames)


def test_the_python_runner_parses_sets_of_intents(tmp_path):
    from untrained import make_model

    model = make_model(intents=["play", "ask", "book"], intent_head="sigmoid")
    model.save(tmp_path / "model.keras")
    export_litert(tmp_path, tmp_path / "tiny.tflite", max_tokens=8, max_chars=60)
    frames = [
        f.to_dict() for f in keras_slu.load(tmp_path / "tiny.tflite").parse(TEXTS)
    ]
    counts = {sum(i["active"] for i in frame["intents"]) for frame in frames}
    assert len(counts) > 1
    child = subprocess.run(
        [sys.executable, str(KIT / "run.py"), str(tmp_path / "tiny.tflite")],
        input="".join(f"{text}\n" for text in TEXTS),
        capture_output=True,
        encoding="utf-8",
    )
    check_same([json.loads(line) for line in child.stdout.splitlines()], frames)


def test_the_python_runner_needs_little():
    nodes = ast.walk(ast.parse((KIT / "run.py").read_text()))
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    needed = {"numpy", "ai_edge_litert.interpreter"}
    assert names - needed == {"json", "sys", "zipfile"}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A copy of the page with its packages, and one to drive a browser with."""
    for program in ("node", "npm", "chromium"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    folder = tmp_path_factory.mktemp("web") / "web"
    shutil.copytree(KIT / "web", folder, ignore=shutil.ignore_patterns("node_modules"))
    install = ["npm", "install", "--no-save", "--no-audit", "playwright-core@1.65.1"]
    npm = subprocess.run(install, cwd=folder, capture_output=True, text=True)
    if npm.returncode:
        pytest.skip(f"npm install failed: {npm.stderr.strip()[-200:]}")
    return folder


@pytest.fixture(scope="module")
def browsed(web, exported):
    """What the page does with the texts in a headless browser."""
    server = subprocess.Popen(
        ["node", "serve.mjs", str(exported), "0"],
        cwd=web,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = server.stdout.readline().strip()
        script = Path(__file__).parent / "browse.mjs"
        texts = web / "texts.json"
        texts.write_text(json.dumps(TEXTS))
        browser = subprocess.run(
            ["node", script, url, texts, web, shutil.which("chromium")],
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    assert browser.returncode == 0, browser.stderr
    return json.loads(browser.stdout)


def test_the_page_parses_the_same(browsed, frames):
    check_same([answer["frame"] for answer in browsed["answers"]], frames)
    assert all(answer["milliseconds"] > 0 for answer in browsed["answers"])


def test_the_page_shows_the_answer(browsed, frames):
    shown, frame = browsed["shown"], frames[TEXTS.index(browsed["typed"])]
    assert shown["sentence"] == frame["text"]
    active = [intent["name"] for intent in frame["intents"] if intent["active"]]
    assert shown["intents"] == active
    assert shown["slots"] == [[slot["value"], slot["name"]] for slot in frame["slots"]]
    assert shown["width"] == 390  # nothing runs over a phone's edge
    assert shown["unlabelled"] == 0


def test_the_page_complains_of_nothing_and_sends_nothing(browsed):
    assert browsed["complaints"] == []
    assert browsed["foreign"] == []
