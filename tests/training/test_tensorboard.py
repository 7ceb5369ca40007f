"""Everything that TensorBoard shows, read back as TensorBoard reads it."""

import html
import json
import re
from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny
import untrained
import untrained_dialogue
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.plugin_event_multiplexer import (
    EventMultiplexer,
)
from tensorboard.plugins.base_plugin import TBContext
from tensorboard.plugins.hparams import metadata
from tensorboard.plugins.projector.projector_plugin import ProjectorPlugin
from werkzeug.test import Client

import keras_slu
from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.evaluation import Labels
from keras_slu.parsing.scoring import gold_labels
from keras_slu.training import tensorboard
from keras_slu.training.tensorboard import DevSummaries
from keras_slu.training.tensorboard import StepFigures
from keras_slu.training.tensorboard import errors_table
from keras_slu.training.tensorboard import flat_settings
from keras_slu.training.tensorboard import gradient_norm
from keras_slu.training.tensorboard import tensorboard_callbacks


def events(folder):
    return EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()


def values(folder, tag):
    """The values of a tag, by step."""
    return {
        event.step: tf.make_ndarray(event.tensor_proto)
        for event in events(folder).Tensors(tag)
    }


@pytest.fixture
def folder(tiny_run):
    return tiny_run.folder / "tensorboard"


def test_scalars_of_every_epoch(tiny_run, folder):
    epochs = list(range(tiny_run.figures["epochs_trained"]))
    norms = values(folder / "train", "epoch_gradient_norm")
    assert sorted(norms) == epochs
    assert all(norm > 0 for norm in norms.values())
    speeds = values(folder / "train", "epoch_examples_per_second")
    for epoch, logs in enumerate(tiny_run.figures["history"]):
        seconds = pytest.approx(logs["seconds"], rel=1e-5)
        assert tiny.SPLITS["train"] / speeds[epoch] == seconds
    # The cosine falls from its highest rate to nothing.
    rates = values(folder / "train", "epoch_learning_rate")
    assert sorted(rates) == epochs
    assert rates[epochs[-1]] < 0.5 * max(rates.values()) <= 0.3


def test_the_history_holds_what_was_selected_by_and_no_more(tiny_run):
    assert "gradient_norm" not in tiny_run.figures["history"][0]


def pictured_epochs(tiny_run):
    last = tiny_run.figures["epochs_trained"] - 1
    return sorted({*range(0, last, tensorboard.EVERY), last})


def test_the_confusions_are_images(tiny_run, folder):
    pytest.importorskip("matplotlib")
    found = values(folder, "dev_confusion")
    assert sorted(found) == pictured_epochs(tiny_run)
    for width, height, png in found.values():
        pixels = tf.io.decode_png(png).numpy()
        assert pixels.shape[:2] == (int(height), int(width))
        assert pixels[..., :3].std() > 10  # not all of one colour


def test_the_errors_of_the_last_epoch_are_text(tiny_run, tiny_data, folder):
    found = values(folder, "dev_errors")
    assert sorted(found) == pictured_epochs(tiny_run)
    lines = found[max(found)].item().decode().splitlines()
    wrong = 1 - tiny_run.figures["history"][-1]["val_overall_accuracy"]
    errors = round(wrong * tiny.SPLITS["dev"])
    assert len(lines) == 2 + min(errors, tensorboard.SHOWN_ERRORS)
    with open(tiny_data / "dev.jsonl") as stream:
        texts = {" ".join(json.loads(line)["text"]) for line in stream}
    for line in lines[2:]:
        assert html.unescape(line.split(" | ")[0].removeprefix("| ")) in texts


def test_the_recipe_is_the_hyper_parameters(tiny_run, folder):
    content = events(folder).summary_metadata["_hparams_/session_start_info"]
    start = metadata.parse_session_start_info_plugin_data(content.plugin_data.content)
    recipe = tiny_run.recipe.model_dump(mode="json")
    found = {}
    for name, value in start.hparams.items():
        found[name] = getattr(value, value.WhichOneof("kind"))
    assert found == flat_settings(recipe)
    assert found["training.learning_rate"] == 0.6
    assert found["model.slot_head"] == "softmax"
    assert start.group_name and start.model_uri == ""


@pytest.fixture
def projector(folder):
    """The projector's own server."""
    multiplexer = EventMultiplexer().AddRunsFromDirectory(str(folder)).Reload()
    provider = MultiplexerDataProvider(multiplexer, str(folder))
    context = TBContext(logdir=str(folder), data_provider=provider)
    apps = ProjectorPlugin(context).get_plugin_apps()
    return lambda route, **query: Client(apps[route]).get("/", query_string=query)


def test_the_projector_loads_the_words_and_their_labels(tiny_run, projector):
    [run] = projector("/runs").json
    [embedding] = projector("/info", run=run).json["embeddings"]
    parser = keras_slu.load(tiny_run.folder)
    words = parser.model.vocabulary.words
    table = parser.model.encoder.embedding.get_weights()[0]
    assert embedding["tensorShape"] == [len(words), 8]
    name = embedding["tensorName"]
    data = projector("/tensor", run=run, name=name).data
    vectors = np.frombuffer(data, np.float32).reshape(embedding["tensorShape"])
    lines = projector("/metadata", run=run, name=name).data.decode().split("\n")
    assert lines[0] == "word\tcount" and lines.pop() == ""
    labels = [line.split("\t") for line in lines[1:]]
    assert sorted(label for label, _ in labels) == sorted(words)
    counts = [int(count) for _, count in labels]
    assert counts == sorted(counts, reverse=True)
    for vector, (label, _) in zip(vectors, labels, strict=True):
        row = table[2 + words.index(label)]
        np.testing.assert_allclose(vector, row, rtol=1e-4, atol=1e-8)


UTTERANCES = [
    Utterance("play hey jude", slots=(SlotSpan("song", 5, 13),), intents=("play",)),
    Utterance("book rome", slots=(SlotSpan("city", 5, 9),), intents=("book",)),
    Utterance("the $5 | <b>song</b>", intents=("play",)),
]


@pytest.fixture(scope="module")
def model():
    return untrained.make_model()


@pytest.fixture
def prepared(model):
    labels = LabelSet(model.intents, model.tags)
    examples = encode(UTTERANCES, model.tokenizer, model.vocabulary, labels, 16)
    return SimpleNamespace(
        utterances={"dev": UTTERANCES},
        examples={"dev": examples},
        tokenizer=model.tokenizer,
    )


def write_summaries(folder, prepared, model, epochs, stop_at=None):
    """Lets `DevSummaries` see some epochs whose answers are the gold's."""
    writer = tf.summary.create_file_writer(str(folder))
    predicted = gold_labels(UTTERANCES, model.tokenizer)
    callback = DevSummaries(writer, prepared, predicted)
    callback.set_model(model)
    callback.set_params({"epochs": epochs})
    callback.on_train_begin()
    for epoch in range(epochs):
        model.stop_training = epoch == stop_at
        callback.on_epoch_end(epoch)
    writer.close()
    return callback


def test_the_attention_of_one_utterance_is_an_image(tmp_path, prepared, model):
    pytest.importorskip("matplotlib")
    callback = write_summaries(tmp_path, prepared, model, epochs=7)
    assert callback.pictured == 0
    found = values(tmp_path, "dev_attention")
    assert sorted(found) == [0, 5, 6]
    pixels = tf.io.decode_png(found[0][2]).numpy()
    assert pixels[..., :3].std() > 10


def test_the_last_epoch_is_pictured_when_patience_ends_it(tmp_path, prepared, model):
    write_summaries(tmp_path, prepared, model, epochs=3, stop_at=1)
    assert sorted(values(tmp_path, "dev_errors")) == [0, 1, 2]


def test_without_matplotlib_a_note_stands_there(tmp_path, prepared, model, monkeypatch):
    monkeypatch.setattr(tensorboard, "can_draw", lambda: False)
    write_summaries(tmp_path, prepared, model, epochs=1)
    found = events(tmp_path).Tags()["tensors"]
    assert sorted(found) == ["dev_errors", "images"]
    assert b"pip install" in values(tmp_path, "images")[0].item()


def test_attention_scores_are_probabilities_over_the_real_words(model):
    token_ids = np.array([[2, 5, 6, 0], [3, 4, 0, 0]])
    [(intent, slots)] = model.attention_scores({"token_ids": token_ids})
    for scores in (intent, slots):
        assert scores.shape == (2, 4, 4)
        np.testing.assert_allclose(np.sum(scores, axis=-1), 1.0, rtol=1e-5)
        assert np.all(np.asarray(scores)[1, :, 2:] == 0.0)


def test_a_model_without_interaction_has_no_attention():
    model = untrained.make_model(interaction=False)
    assert model.attention_scores({"token_ids": np.array([[2, 5]])}) == []


def test_the_gradient_norm_is_the_slope_along_the_gradient():
    model = untrained.make_model()  # no dropout, and so the same loss each time
    for variable in model.trainable_variables:
        variable.assign(variable / 4.0)  # as new: a bold model's loss is not smooth
    inputs = {"token_ids": np.array([[2, 5, 6], [3, 7, 0]], np.int32)}
    labels = {"intent": np.array([3, 1]), "slots": np.array([[0, 3, 0], [0, 1, -1]])}
    weight = np.array([1.0, 0.5], np.float32)
    norm = gradient_norm(model, inputs, labels, weight)

    def loss():
        outputs = model(inputs)
        losses = model.utterance_losses(inputs, labels, outputs)
        return float(np.mean(losses * weight))

    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        losses = model.utterance_losses(inputs, labels, model(inputs))
        mean = tf.reduce_mean(losses * weight)
    directions = tape.gradient(mean, [v.value for v in variables])
    step = 1e-3 / norm

    def move(by):
        for variable, direction in zip(variables, directions, strict=True):
            variable.assign_add(by * tf.convert_to_tensor(direction))

    move(step)
    above = loss()
    move(-2 * step)
    below = loss()
    assert (above - below) / (2 * step) == pytest.approx(norm**2, rel=0.02)


def test_weights_that_a_batch_leaves_out_have_no_slope():
    model = untrained_dialogue.make_model()  # its salient history sees no turns
    inputs = {"token_ids": np.array([[2, 5, 6]], np.int32)}
    labels = {"intent": np.array([3]), "slots": np.array([[0, 3, 0]])}
    assert np.isfinite(gradient_norm(model, inputs, labels, np.ones(1, np.float32)))


def test_step_figures_go_to_the_logs(model, monkeypatch):
    batches = SimpleNamespace(
        examples=range(30), batches=lambda epoch: iter([("a", epoch, "b")])
    )
    monkeypatch.setattr(
        tensorboard, "gradient_norm", lambda model, *batch: float(batch[1])
    )
    callback = StepFigures(batches)
    callback.set_model(model)
    logs = {"seconds": 4.0}
    callback.on_epoch_end(7, logs)
    assert logs == {"seconds": 4.0, "examples_per_second": 7.5, "gradient_norm": 7.0}


def test_no_text_is_markup():
    words = [["a|b", "<i>", "*x*", "`c`"]]
    gold = [Labels(("O", "O", "B-s_1", "O"), ("x",))]
    predicted = [Labels(("O",) * 4, ("[y](z)",))]
    row = errors_table(words, gold, predicted).splitlines()[2]
    assert row.count("|") == 4
    assert not set("<>*`[]") & set(row)
    cells = [html.unescape(cell) for cell in re.split(r" ?\| ?", row)[1:-1]]
    assert cells == ["a|b <i> *x* `c`", "x; s_1='*x*'", "[y](z)"]


def test_right_answers_are_no_errors():
    labels = [Labels(("B-a",), ("x", "y"))]
    other = [Labels(("B-a",), ("y", "x"))]
    assert len(errors_table([["w"]], labels, other).splitlines()) == 2


def test_a_profile_is_written_when_asked_for(tmp_path, tiny_run, prepared):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", loss="mse")
    x = np.ones((20, 2))
    for profile in (False, True):
        callbacks = tensorboard_callbacks(
            tmp_path, tiny_run.recipe, prepared, None, [], profile
        )
        [of_keras] = [
            c for c in callbacks if isinstance(c, keras.callbacks.TensorBoard)
        ]
        model.fit(x, x[:, :1], batch_size=1, verbose=0, callbacks=[of_keras])
        assert bool(list(tmp_path.rglob("*.xplane.pb"))) == profile
