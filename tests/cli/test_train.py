"""`keras-slu train`: a run, a result on file, and faults told in one line."""

import gzip
import json
import os

import pytest
import tiny
import yaml


def test_training_ends_well(trained):
    assert trained.result.code == 0, trained.result.err.decode()
    assert (trained.run / "model.keras").exists()
    figures = json.loads((trained.run / "metrics.json").read_text())
    assert (figures["recipe"], figures["seed"]) == ("tiny-corpus", 3)


def test_it_shows_each_epoch_and_the_scores(trained):
    shown = trained.result.out.decode()
    figures = json.loads((trained.run / "metrics.json").read_text())
    for epoch in range(1, figures["epochs_trained"] + 1):
        assert f"epoch {epoch:3d}  loss" in shown
    assert f"{100 * figures['dev']['overall_accuracy']:.2f}" in shown
    assert "overall accuracy" in shown and "slot F1 (conlleval)" in shown
    assert f"tiny-corpus ({figures['recipe_hash']}), seed 3" in shown
    assert "keras-slu predict runs/tiny-corpus-seed3" in shown


def test_it_leaves_a_result_on_file(trained):
    results = trained.folder / "results"
    assert os.listdir(results) == ["tiny-corpus-seed3.json"]
    result = json.loads((results / "tiny-corpus-seed3.json").read_text())
    figures = json.loads((trained.run / "metrics.json").read_text())
    figures.pop("history")
    assert result == figures


def test_a_finished_run_gives_its_figures_again(trained, command, tmp_path):
    result = command(
        "train", trained.data / "recipe.yaml", "--seed", "3", "--run", trained.run,
        "--results", tmp_path, "--quiet",
    )  # fmt: skip
    assert (result.code, result.out, result.err) == (0, b"", b"")
    assert os.listdir(tmp_path) == ["tiny-corpus-seed3.json"]


def test_the_figures_as_json(trained, command):
    recipe = trained.data / "recipe.yaml"
    result = command("train", recipe, "--seed", "3", "--run", trained.run, "--json")
    assert (result.code, result.err) == (0, b"")
    assert json.loads(result.out) == json.loads(
        (trained.run / "metrics.json").read_text()
    )


def test_another_seed_in_the_same_run_is_refused(trained, command, refused):
    recipe = trained.data / "recipe.yaml"
    result = command("train", recipe, "--run", trained.run)
    refused(result, trained.run, "another recipe or seed", "--run")


def seq_folder(files):
    def write(folder):
        content = {"seq.in": b"play it\n", "seq.out": b"O O\n", "label": b"play\n"}
        for name, data in {**content, **files}.items():
            (folder / name).write_bytes(data)

    return write


def lines(name, content):
    def write(folder):
        (folder / name).write_bytes(content)

    return write


def a_folder(folder):
    (folder / "train.jsonl").mkdir()


LINE = b'{"text": "play it", "intent": "play"}\n'
ZIPPED = gzip.compress(LINE * 40)
FAULTS = {
    "empty": ("train.jsonl", lines("train.jsonl", b""), ("is empty",)),
    "invalid UTF-8": (
        "train.jsonl",
        lines("train.jsonl", LINE + b'{"text": "\xff"}\n'),
        (":2:", "0xff"),
    ),
    "NUL": ("train.jsonl", lines("train.jsonl", LINE + b"\0\n"), (":2:", "NUL")),
    "no JSON": ("train.jsonl", lines("train.jsonl", LINE + b"{\n"), (":2:", "JSON")),
    "truncated gz": (
        "train.jsonl.gz",
        lines("train.jsonl.gz", ZIPPED[: len(ZIPPED) // 2]),
        ("damaged gzip",),
    ),
    "folder for a file": ("train.jsonl", a_folder, ("holds nothing to read",)),
    "no file": ("train.jsonl", lambda folder: None, ("no such file",)),
    "no table": (
        "train.csv",
        lines("train.csv", b"a,b\n"),
        ("train.csv:1:", "header"),
    ),
    "ragged columns": (
        ".",
        seq_folder({"seq.out": b"O\n"}),
        ("seq.out:1:", "2 words but 1 tags"),
    ),
    "fewer labels": (".", seq_folder({"label": b""}), ("label", "is empty")),
    "more tags": (".", seq_folder({"seq.out": b"O O\nO\n"}), ("seq.out:2:", "2 lines")),
    "empty seq.in": (".", seq_folder({"seq.in": b""}), ("seq.in", "is empty")),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_faulty_data_are_told_and_nothing_is_written(
    raw_data, tmp_path, command, refused, fault, split
):
    name, write, told = FAULTS[fault]
    data = tmp_path / "data"
    data.mkdir()
    write(data)
    paths = {s: str(raw_data / f"{s}.jsonl") for s in tiny.SPLITS}
    paths[split] = f"data/{name}"
    recipe = tiny.make_recipe(data=paths).model_dump(mode="json")
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    result = command(
        "train", tmp_path / "recipe.yaml", "--run", tmp_path / "run",
        "--results", tmp_path / "results",
    )  # fmt: skip
    refused(result, tmp_path / "data", *told)
    assert sorted(os.listdir(tmp_path)) == ["data", "recipe.yaml"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("traning:\n  epochs: 3\n", ("recipe.yaml:5", "unknown key `traning`")),
        (
            "training:\n  learning_rate: -0.1\n",
            ("recipe.yaml:6", "`training.learning_rate` cannot be -0.1"),
        ),
        ("model: [\n", ("recipe.yaml", "is not valid YAML")),
    ],
)
def test_a_faulty_recipe_is_told(tmp_path, command, refused, more, told):
    path = tmp_path / "recipe.yaml"
    path.write_text("name: x\ndata:\n  train: a\n  dev: b\n" + more)
    result = command("train", path, "--run", tmp_path / "run")
    refused(result, *told)
    assert os.listdir(tmp_path) == ["recipe.yaml"]


def test_a_folder_or_nothing_for_a_recipe_is_told(tmp_path, command, refused):
    refused(command("train", tmp_path), tmp_path, "is a folder")
    refused(command("train", tmp_path / "none"), tmp_path / "none", "no such file")


def test_word_vectors_of_a_wrong_width_are_told(raw_data, tmp_path, command, refused):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\nplay 3 4\nstop 5\n")
    recipe = tiny.make_recipe(
        {"embedding_dim": 2},
        data={split: str(raw_data / f"{split}.jsonl") for split in tiny.SPLITS},
        text={"word_vectors": {"path": "vectors.txt"}},
    ).model_dump(mode="json")
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    result = command("train", tmp_path / "recipe.yaml", "--run", tmp_path / "run")
    refused(result, f"{vectors}:3:")
    assert sorted(os.listdir(tmp_path)) == ["recipe.yaml", "vectors.txt"]


@pytest.mark.parametrize("seed", ["-1", "4294967296", "one"])
def test_a_seed_that_cannot_be_is_told(tmp_path, command, seed):
    result = command("train", tmp_path / "recipe.yaml", "--seed", seed)
    assert result.code == 2
    assert b"--seed" in result.err


def test_training_goes_on_from_a_run(trained, command, refused, tmp_path):
    recipe = trained.data / "recipe.yaml"
    content = yaml.safe_load(recipe.read_text())
    content["training"]["epochs"] = 1
    for split in tiny.SPLITS:
        lines = (trained.data / f"{split}.jsonl").read_text()
        more = json.dumps({"text": "sing to me", "intent": "sing"})
        (tmp_path / f"{split}.jsonl").write_text(f"{lines}{more}\n")
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(content))
    run = tmp_path / "run"
    result = command(
        "train",
        tmp_path / "recipe.yaml",
        "--from",
        trained.run,
        "--run",
        run,
        "--quiet",
    )
    assert (result.code, result.out) == (0, b""), result.err.decode()
    kept = yaml.safe_load((run / "recipe.yaml").read_text())
    assert kept["start"] == str(trained.run)
    result = command("predict", run, "sing to me")
    intents = {intent["name"] for intent in json.loads(result.out)["intents"]}
    assert intents == {"play", "stop", "dim", "leave", "sing"}

    content["model"]["dim"] = 64
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(content))
    result = command(
        "train",
        tmp_path / "recipe.yaml",
        "--from",
        trained.run,
        "--run",
        tmp_path / "b",
    )
    refused(result, trained.run, "`model.dim` 16", "64")
