"""A SavedModel, found, loaded and called."""

import json
from pathlib import Path

import pytest
from toy_export import write_toy

from keras_slu.errors import InputError
from keras_slu.serving.model import MAX_ROWS
from keras_slu.serving.model import load_served
from keras_slu.serving.rest import RestError


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slu")
    write_toy(folder / "9")
    for name in ("10", "11", "latest"):
        (folder / name).mkdir()
    for path in (folder / "9").rglob("*"):  # 10 is whole, 11 is not yet
        if path.is_file():
            target = folder / "10" / path.relative_to(folder / "9")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def model(versions):
    return load_served(versions / "9", "slu")


def answer(model, request):
    return json.loads(model.answer(json.dumps(request).encode()))


def refused(model, request):
    with pytest.raises(RestError) as refusal:
        answer(model, request)
    assert refusal.value.status == 400
    return refusal.value.message


def test_rows_and_columns_say_the_same(model):
    texts = ["play hey jude", "stop", ""]
    rows = answer(model, {"instances": texts})["predictions"]
    columns = answer(model, {"inputs": {"text": texts}})["outputs"]
    assert rows == [
        {name: values[place] for name, values in columns.items()} for place in range(3)
    ]
    assert rows[0]["tags"] == ["O", "O", "B-song"]
    assert rows[0]["starts"] == [0, 5, 9]
    assert rows[1]["ends"] == [4, -1, -1]
    assert rows[2]["intent_probabilities"] == [0.7, 0.3]


def test_bytes_that_are_no_text(model):
    [row] = answer(model, {"instances": [{"b64": "/wA="}]})["predictions"]
    assert row["tokens"] == ["\ufffd\0"]


def test_the_other_signature(model):
    request = {"signature_name": "token_ids", "instances": [[4, 1], [15, 0]]}
    rows = answer(model, request)["predictions"]
    assert [row["is_unknown"] for row in rows] == [True, False]
    assert rows[1]["tags"] == ["O", ""]


def test_what_the_graph_refuses_is_the_client_s_fault(model):
    request = {"signature_name": "token_ids", "instances": [[4, 100_000]]}
    assert "no such word" in refused(model, request)


def test_no_rows(model):
    assert answer(model, {"inputs": []})["outputs"]["starts"] == []


def test_an_unknown_signature(model):
    told = refused(model, {"signature_name": "x", "instances": ["a"]})
    assert told == 'Serving signature name: "x" not found in signature def'


def test_too_many_rows(model):
    texts = ["a"] * MAX_ROWS
    assert len(answer(model, {"inputs": texts})["outputs"]["tags"]) == MAX_ROWS
    for form in ("inputs", "instances"):
        assert f"{MAX_ROWS + 1} instances" in refused(model, {form: [*texts, "a"]})


def test_metadata_has_the_form_of_tf_serving(model):
    signature = model.metadata["serving_default"]
    assert signature["method_name"] == "tensorflow/serving/predict"
    text = signature["inputs"]["text"]
    assert text["dtype"] == "DT_STRING"
    assert text["tensor_shape"] == {
        "dim": [{"size": "-1", "name": ""}],
        "unknown_rank": False,
    }
    assert set(model.metadata["token_ids"]["inputs"]) == {"token_ids"}


def test_the_highest_whole_version_is_taken(versions, model):
    assert model.version == 9
    assert load_served(versions, "slu").version == 10


def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(InputError, match="is no run and no export"):
        load_served(tmp_path, "slu")
    with pytest.raises(InputError, match="is no run and no export"):
        load_served(tmp_path / "missing", "slu")


def test_a_damaged_export_is_told(versions, tmp_path):
    content = (versions / "9" / "saved_model.pb").read_bytes()
    (tmp_path / "saved_model.pb").write_bytes(content[:-100])
    with pytest.raises(InputError, match="cannot be served") as refusal:
        load_served(tmp_path, "slu")
    assert refusal.value.file == str(tmp_path)


def test_another_kind_of_model_is_told(tmp_path):
    import tensorflow as tf

    tf.saved_model.save(tf.Module(), str(tmp_path))
    with pytest.raises(InputError, match="serving_default"):
        load_served(tmp_path, "slu")


def test_a_run_is_exported_for_the_time_of_loading(tmp_path, monkeypatch):
    folders = []

    def export(run, folder, name):
        folders.append(Path(folder))
        assert run == tmp_path
        write_toy(folders[0] / name / "1")
        return folders[0] / name / "1"

    monkeypatch.setattr("keras_slu.serving.model.export_saved_model", export)
    (tmp_path / "model.keras").touch()
    model = load_served(tmp_path, "slu")
    assert not folders[0].exists()
    assert len(answer(model, {"instances": ["play", "it"]})["predictions"]) == 2
