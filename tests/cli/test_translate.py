"""`keras-slu translate`, with a translator that has learned nothing."""

import keras
import pytest
import tiny_translation

from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.text.sentence_pieces import SentencePieces

pytest.importorskip("sentencepiece")
TEXTS = ["a red house", "", "an old dog \U0001f600", "a blue ball " * 20]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translator")
    tiny_translation.write_parallel(folder)
    lines = (folder / "train.en").read_text() + (folder / "train.de").read_text()
    keras.utils.set_random_seed(1)
    model = CapsuleTransformer(
        60, dim=16, num_heads=4, inner_dim=16, num_layers=1, max_tokens=20
    )
    model.pieces = SentencePieces.train(lines.splitlines(), 60)
    model.save(folder / "model.keras")
    return folder


@pytest.fixture(scope="module")
def translated(run, command):
    return command("translate", run, stdin="\n".join(TEXTS).encode())


def test_each_line_gets_a_line(translated):
    assert translated.code == 0, translated.err.decode()
    lines = translated.out.decode().splitlines()
    assert len(lines) == len(TEXTS)
    assert translated.err == b"warning: 1 texts were too long and were cut\n"


def test_a_text_alone_is_translated_alike(run, command, translated):
    alone = command("translate", run, TEXTS[0])
    assert alone.out.decode() == translated.out.decode().splitlines()[0] + "\n"
    wide = command("translate", run, "--beam", "3", TEXTS[0])
    assert wide.code == 0, wide.err.decode()


def test_another_run_is_refused(trained, command, refused):
    refused(command("translate", trained.run, "play"), "is no run of translation")


def test_an_exported_translator_takes_and_gives_text(
    run, command, refused, translated, tmp_path
):
    """The export checks itself against the run, text for text."""
    pytest.importorskip("tensorflow_text")
    result = command("export", run, "--format", "saved_model", "--output", tmp_path)
    assert result.code == 0, result.err.decode()
    exported = tmp_path / run.name
    found = command("translate", exported, stdin="\n".join(TEXTS).encode())
    assert found.out == translated.out
    assert found.err == translated.err
    refused(command("translate", exported, "--beam", "2", "a"), "has greedy search")


def test_a_device_gets_no_translator(run, command, refused, tmp_path):
    pytest.importorskip("ai_edge_litert")
    result = command("export", run, "--format", "litert", "--output", tmp_path)
    refused(result, "writes word after word")
    assert not list(tmp_path.iterdir())
