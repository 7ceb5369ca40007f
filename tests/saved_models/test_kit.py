"""The files that TensorFlow Serving reads."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

KIT = Path(__file__).resolve().parents[2] / "saved_models"


def test_models_config_is_one_of_the_server():
    from google.protobuf import text_format
    from tensorflow_serving.config import model_server_config_pb2 as apis

    text = (KIT / "models.config").read_text()
    config = text_format.Parse(text, apis.ModelServerConfig())
    [model] = config.model_config_list.config
    assert model.base_path == f"/models/{model.name}"
    # A label for a version that is not served would be refused.
    versions = set(model.model_version_policy.specific.versions)
    assert dict(model.version_labels) == {"stable": 1}
    assert set(model.version_labels.values()) <= versions


def test_the_last_batch_size_is_the_largest():
    text = (KIT / "batching_parameters.txt").read_text()
    text = re.sub("#.*", "", text)
    sizes = [int(size) for size in re.findall(r"allowed_batch_sizes: (\d+)", text)]
    [largest] = re.findall(r"max_batch_size { value: (\d+) }", text)
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == int(largest)


def test_the_compose_file_names_files_that_are_there():
    compose = yaml.safe_load((KIT / "docker-compose.yaml").read_text())
    serving = compose["services"]["serving"]
    assert re.fullmatch(r"tensorflow/serving:\d+\.\d+\.\d+", serving["image"])
    assert serving["volumes"] == [".:/models:ro"]
    named = [flag.partition("=/models/")[2] for flag in serving["command"]]
    named = [name for name in named if name]
    assert set(named) == {
        "models.config",
        "batching_parameters.txt",
        "monitoring.config",
    }
    assert all((KIT / name).is_file() for name in named)


def test_prometheus_is_on():
    text = " ".join((KIT / "monitoring.config").read_text().split())
    assert re.fullmatch(r'prometheus_config \{ enable: true path: "/\S+" \}', text)


def test_the_entry_point_is_the_command():
    result = subprocess.run(
        [sys.executable, KIT / "export.py", "no/such/run", "--version", "0"],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert "--version" in result.stderr
