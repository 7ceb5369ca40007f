"""Loading a run, and damaged files told apart.

`tests/cli/test_predict.py` loads a moved run in a fresh process.
"""

import shutil
import zipfile

import keras
import pytest
import tensorflow as tf

import keras_slu
from keras_slu.errors import InputError
from keras_slu.export.parser_graph import ParserGraph
from keras_slu.parsing import Parser

TEXTS = ["play hey jude", "", "book rome, ROME!", "听歌 😀"]


@pytest.fixture(scope="module")
def run(crf_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    folder.mkdir()
    crf_model.save(folder / "model.keras")
    return folder


@pytest.fixture
def copy(run, tmp_path):
    return shutil.copytree(run, tmp_path / "copy")


def test_a_loaded_run_parses_as_the_model_did(run, crf_model):
    parser = keras_slu.load(run)
    assert parser.parse(TEXTS) == Parser(crf_model).parse(TEXTS)


def test_a_saved_model_is_loaded_by_its_version_or_the_newest(crf_model, tmp_path):
    graph = ParserGraph(crf_model)
    for version in ("2", "10"):
        graph.save(tmp_path / "slu" / version)
    expected = Parser(crf_model).parse("book rome, ROME!")
    for path in (tmp_path / "slu", tmp_path / "slu" / "2"):
        frame = keras_slu.load(path).parse("book rome, ROME!")
        assert frame.active_intents == expected.active_intents
        assert [s.value for s in frame.slots] == [s.value for s in expected.slots]

    newest = tmp_path / "slu" / "10"
    (newest / "saved_model.pb").write_bytes(b"damaged")
    with pytest.raises(InputError, match="cannot be loaded") as error:
        keras_slu.load(tmp_path / "slu")
    assert error.value.file == str(newest)


def test_a_saved_model_of_another_kind_is_told(tmp_path):
    module = tf.Module()
    module.double = tf.function(
        lambda x: {"y": 2 * x}, input_signature=[tf.TensorSpec((), tf.float32, "x")]
    )
    tf.saved_model.save(module, str(tmp_path / "1"), module.double)
    with pytest.raises(InputError, match="takes no text"):
        keras_slu.load(tmp_path)


def fault_of(folder, file=None):
    with pytest.raises(InputError) as error:
        keras_slu.load(folder)
    assert len(str(error.value).splitlines()) == 1
    assert error.value.file == str(file or folder / "model.keras")
    return str(error.value)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_model_is_told(copy, part):
    path = copy / "model.keras"
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    assert "cannot be loaded" in fault_of(copy)


@pytest.mark.parametrize("place", [0.05, 0.3, 0.5, 0.7, 0.95])
def test_flipped_bytes_are_told(copy, place):
    path = copy / "model.keras"
    content = bytearray(path.read_bytes())
    start = int(place * len(content))
    for at in range(start, start + 8):
        content[at] ^= 0xFF
    path.write_bytes(content)
    assert "cannot be loaded" in fault_of(copy)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 not really"])
def test_what_is_no_zip_is_told(copy, content):
    (copy / "model.keras").write_bytes(content)
    assert "cannot be loaded" in fault_of(copy)


def test_a_zip_of_something_else_is_told(copy):
    with zipfile.ZipFile(copy / "model.keras", "w") as archive:
        archive.writestr("a.txt", "hello")
    assert "cannot be loaded" in fault_of(copy)


def test_a_keras_model_of_another_kind_is_told(copy):
    other = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    other.save(copy / "model.keras")
    assert "cannot be loaded" in fault_of(copy)


@pytest.mark.parametrize("name", ["vocabulary.txt", "tokenizer.npz"])
def test_a_model_without_its_text_side_is_told(copy, name):
    path = copy / "model.keras"
    whole = path.with_name("whole")
    path.rename(whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for item in source.infolist():
            if not item.filename.endswith(name):
                target.writestr(item, source.read(item))
    assert "cannot be loaded" in fault_of(copy)


def test_a_folder_without_a_run_is_told(tmp_path):
    assert "is no finished run" in fault_of(tmp_path, tmp_path)
    missing = tmp_path / "none"
    assert "is no finished run" in fault_of(missing, missing)
    file = tmp_path / "file"
    file.write_text("")
    assert "is no finished run" in fault_of(file, file)
