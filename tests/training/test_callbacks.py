"""Seeds, the best epoch, patience, averages and the backup."""

import json
import math
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_slu.models import HAN
from keras_slu.training.callbacks import Backup
from keras_slu.training.callbacks import DevScores
from keras_slu.training.callbacks import EpochSeeds
from keras_slu.training.callbacks import best_epoch

BEST = "best.weights.h5"


def make_model(**optimizer):
    """One weight matrix, in a model that learns."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.1, **optimizer), loss="mse")
    return model


def fit(model, epochs=1):
    x = np.random.default_rng(0).normal(size=(8, 2))
    model.fit(x, x.sum(1), epochs=epochs, batch_size=4, shuffle=False, verbose=0)


def scores_of(accuracy, loss):
    return {"accuracy": accuracy, "f1": 0.25, "loss": loss}


def run_epochs(model, folder, figures, patience=None):
    """Lets `DevScores` see epochs of the given `(accuracy, loss)`.

    The weights of epoch n are all n. Gives the callback and the number of
    epochs until it stopped the training.
    """
    seen = iter(figures)
    callback = DevScores(
        lambda: scores_of(*next(seen)), folder / BEST, [], "accuracy", patience
    )
    callback.set_model(model)
    model.stop_training = False
    for epoch in range(len(figures)):
        model.set_weights([np.full_like(w, epoch) for w in model.get_weights()])
        callback.on_epoch_end(epoch, {"loss": 1.0})
        if model.stop_training:
            break
    return callback, epoch + 1


@pytest.mark.parametrize(
    ("figures", "best"),
    [
        ([(0.5, 2.0)], 0),
        ([(0.5, 2.0), (0.6, 3.0), (0.4, 1.0)], 1),  # accuracy goes first
        ([(0.5, 2.0), (0.5, 1.0), (0.5, 1.5)], 1),  # then the lower loss
        ([(0.5, 2.0), (0.5, 2.0)], 0),  # then the earlier epoch
        ([(0.0, 9.0), (0.0, 8.0)], 1),
        ([(0.5, 2.0), (0.6, math.nan)], 1),
    ],
)
def test_the_best_epoch_is_kept(tmp_path, figures, best):
    model = make_model()
    callback, _ = run_epochs(model, tmp_path, figures)
    assert best_epoch(callback.history, "accuracy") == best
    model.load_weights(tmp_path / BEST)
    for weight in model.get_weights():
        np.testing.assert_array_equal(weight, np.full_like(weight, best))


def test_the_scores_go_to_the_logs_and_the_history(tmp_path):
    history = []
    callback = DevScores(
        lambda: scores_of(0.5, 2.0), tmp_path / BEST, history, "accuracy"
    )
    callback.set_model(make_model())
    logs = {"loss": np.float32(3.0), "seconds": 1.5}
    callback.on_epoch_end(0, logs)
    assert logs == {
        "loss": 3.0,
        "seconds": 1.5,
        "val_loss": 2.0,
        "val_accuracy": 0.5,
        "val_f1": 0.25,
    }
    assert history == [logs]
    json.dumps(history)


@pytest.mark.parametrize(
    ("patience", "epochs"), [(1, 3), (2, 6), (3, 7), (4, 8), (None, 8)]
)
def test_patience_counts_epochs_without_a_better_one(tmp_path, patience, epochs):
    accuracies = [0.1, 0.2, 0.2, 0.3, 0.1, 0.3, 0.2, 0.1]
    figures = [(accuracy, 1.0) for accuracy in accuracies]
    assert run_epochs(make_model(), tmp_path, figures, patience)[1] == epochs


def test_patience_is_not_over_before_the_first_epoch(tmp_path):
    callback = DevScores(None, tmp_path / BEST, [], "accuracy", patience=1)
    assert not callback.is_patience_over()


def test_averages_are_scored_and_kept_and_training_goes_on_without(tmp_path):
    model = make_model(use_ema=True, ema_momentum=0.5)
    fit(model)  # which ends by setting the averages
    averages = model.get_weights()
    model.set_weights([w + 1.0 for w in averages])
    before = [w.copy() for w in model.get_weights()]
    scored = []

    def scorer():
        scored.extend(model.get_weights())
        return scores_of(0.5, 1.0)

    callback = DevScores(scorer, tmp_path / BEST, [], "accuracy", averaged=True)
    callback.set_model(model)
    callback.on_epoch_end(0, {"loss": 1.0})
    for a, b in zip(scored, averages, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(a, b)
    model.load_weights(tmp_path / BEST)
    for a, b in zip(model.get_weights(), averages, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_fault_while_scoring_leaves_the_weights_of_training(tmp_path):
    model = make_model(use_ema=True, ema_momentum=0.5)
    fit(model)
    model.set_weights([w + 1.0 for w in model.get_weights()])
    before = [w.copy() for w in model.get_weights()]

    def scorer():
        raise KeyboardInterrupt

    callback = DevScores(scorer, tmp_path / BEST, [], "accuracy", averaged=True)
    callback.set_model(model)
    with pytest.raises(KeyboardInterrupt):
        callback.on_epoch_end(0, {"loss": 1.0})
    for a, b in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_averaging_the_weights_are_scored_as_they_are(tmp_path):
    model = make_model(use_ema=True, ema_momentum=0.5)
    fit(model)
    model.set_weights([w + 1.0 for w in model.get_weights()])
    before = [w.copy() for w in model.get_weights()]
    callback, _ = run_epochs(model, tmp_path, [(0.5, 1.0)])
    model.set_weights(before)
    scored = []
    callback.scorer = lambda: scored.extend(model.get_weights()) or scores_of(0.6, 1)
    callback.on_epoch_end(1, {"loss": 1.0})
    for a, b in zip(scored, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_backup_brings_back_weights_optimizer_and_history(tmp_path):
    history = [{"loss": 3.0}]
    model = make_model(use_ema=True)
    fit(model)
    backup = Backup(tmp_path / "backup", history)
    backup.set_model(model)
    backup.on_epoch_end(0)
    saved = model.get_weights()
    state = [v.numpy() for v in model.optimizer.variables]

    fresh, found = make_model(use_ema=True), []
    assert Backup(tmp_path / "backup", found).restore(fresh) == 1
    assert found == history
    for a, b in zip(fresh.get_weights(), saved, strict=True):
        np.testing.assert_array_equal(a, b)
    assert int(fresh.optimizer.iterations) == 2
    for a, b in zip(fresh.optimizer.variables, state, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)


def test_a_resumed_fit_equals_an_undisturbed_one(tmp_path):
    undisturbed = make_model()
    undisturbed.set_weights([np.ones_like(w) for w in undisturbed.get_weights()])
    fit(undisturbed)
    backup = Backup(tmp_path, [{"loss": 1.0}])
    backup.set_model(undisturbed)
    backup.on_epoch_end(0)
    fit(undisturbed)
    resumed = make_model()
    backup.restore(resumed)
    fit(resumed)
    for a, b in zip(resumed.get_weights(), undisturbed.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_one_backup_is_kept(tmp_path):
    backup = Backup(tmp_path / "backup", [])
    backup.set_model(make_model())
    for epoch in (0, 1, 2):
        backup.history.append({"loss": 1.0})
        backup.on_epoch_end(epoch)
        names = {path.name for path in backup.folder.iterdir()}
        assert names == {"state.json", f"epoch-{epoch:04d}.weights.h5"}


def test_a_fault_between_weights_and_state_leaves_the_epoch_before(
    tmp_path, monkeypatch
):
    model = make_model()
    fit(model)
    backup = Backup(tmp_path, [{"loss": 1.0}])
    backup.set_model(model)
    backup.on_epoch_end(0)
    before = model.get_weights()
    model.set_weights([w + 1.0 for w in before])

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("keras_slu.training.callbacks.write_text", fail)
    backup.history.append({"loss": 2.0})
    with pytest.raises(OSError):
        backup.on_epoch_end(1)
    history = []
    assert Backup(tmp_path, history).restore(model) == 1
    assert history == [{"loss": 1.0}]
    for a, b in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_a_backup_nothing_is_done(tmp_path):
    model = make_model()
    before = model.get_weights()
    history = []
    assert Backup(tmp_path / "none", history).restore(model) == 0
    assert history == []
    for a, b in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.fixture(scope="module")
def dropping_model():
    return HAN(
        20,
        intents=["a", "b"],
        tags=["O", "B-x", "I-x"],
        embedding_dim=6,
        dim=8,
        num_layers=2,
        embedding_dropout=0.5,
        dropout=0.5,
        attention_dropout=0.5,
    )


def seed_states(model):
    return {
        v.path: tuple(v.numpy().tolist())
        for v in model.variables
        if "seed_generator" in v.path
    }


def outputs_of_training(model):
    token_ids = np.arange(1, 13, dtype="int32").reshape(2, 6)
    return model({"token_ids": token_ids}, training=True)["slots"].numpy()


def test_every_draw_follows_from_seed_and_epoch(dropping_model):
    batches = SimpleNamespace(epoch=0)

    def begin(seed, epoch):
        callback = EpochSeeds(seed, batches)
        callback.set_model(dropping_model)
        callback.on_epoch_begin(epoch)
        assert batches.epoch == epoch
        return outputs_of_training(dropping_model), seed_states(dropping_model)

    first, _ = begin(1, 3)
    outputs_of_training(dropping_model)  # draws on
    again, _ = begin(1, 3)
    np.testing.assert_array_equal(first, again)
    for seed, epoch in ((1, 4), (2, 3)):
        assert (begin(seed, epoch)[0] != first).any()


def test_every_dropout_has_a_seed_of_its_own(dropping_model):
    dropouts = [
        layer
        for layer in dropping_model._flatten_layers()
        if isinstance(layer, keras.layers.Dropout)
    ]
    # On the embedding, the BiLSTM, and both sides of two attentions.
    assert len(dropouts) == 6
    callback = EpochSeeds(1, SimpleNamespace())
    callback.set_model(dropping_model)
    callback.on_epoch_begin(0)
    before = seed_states(dropping_model)
    callback.on_epoch_begin(1)
    after = seed_states(dropping_model)
    assert {layer.seed_generator.state.path for layer in dropouts} <= set(before)
    assert len(set(before.values())) == len(before)
    assert all(before[path] != after[path] for path in before)
