"""The lines and the bar that a training shows."""

import io

from rich.console import Console

from keras_slu.training.progress import Progress


def show(accuracies, terminal=False):
    """Shows epochs of the given dev accuracy; gives what was printed."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    progress = Progress(console=console)
    progress.set_params({"epochs": len(accuracies), "steps": 2})
    progress.on_train_begin()
    for epoch, accuracy in enumerate(accuracies):
        progress.on_epoch_begin(epoch)
        for batch in range(2):
            progress.on_train_batch_end(batch, {"loss": 1.5})
        progress.on_epoch_end(
            epoch,
            {
                "loss": 1.25,
                "seconds": 3.0,
                "val_overall_accuracy": accuracy,
                "val_intent_accuracy": 0.75,
                "val_slot_f1": 0.5,
            },
        )
    progress.on_train_end()
    return console.file.getvalue()


def test_each_epoch_is_a_line():
    lines = show([0.25, 0.5, 0.125]).splitlines()
    assert len(lines) == 3
    assert (
        lines[1].split()
        == (
            "epoch 2 loss 1.250 dev overall 50.00 intent 75.00 slot F1 50.00 3.0 s best"
        ).split()
    )
    assert [line.endswith("best") for line in lines] == [True, True, False]


def test_without_a_terminal_there_are_no_control_codes():
    assert "\x1b" not in show([0.25])


def test_a_terminal_gets_a_bar_and_its_cursor_back():
    shown = show([0.25], terminal=True)
    assert "epoch 1/1" in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_an_interrupted_training_gives_the_cursor_back(monkeypatch):
    at_exit = []
    monkeypatch.setattr("atexit.register", at_exit.append)
    console = Console(file=io.StringIO(), force_terminal=True)
    Progress(console=console).on_train_begin()
    assert not console.file.getvalue().endswith("\x1b[?25h")
    # An interrupted fit calls no on_train_end.
    for leave in at_exit:
        leave()
    shown = console.file.getvalue()
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_a_finished_training_leaves_nothing_to_do_at_exit(monkeypatch):
    at_exit = []
    monkeypatch.setattr("atexit.register", at_exit.append)
    monkeypatch.setattr("atexit.unregister", at_exit.remove)
    show([0.25])
    assert at_exit == []
