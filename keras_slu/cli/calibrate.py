"""`keras-slu calibrate`: fits a run's confidences and its unknown anew."""

from pathlib import Path
from typing import Annotated

import typer


def calibrate(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    data: Annotated[
        str, typer.Argument(help="Labelled data that training has not seen.")
    ],
    unknown: Annotated[
        str | None,
        typer.Option(
            help="Utterances out of scope: a .txt file, one a line, or any format "
            "that train reads."
        ),
    ] = None,
):
    """Fit the confidences of a run, and what it calls unknown.

    Training does so on its dev data; this is for other data, or for utterances
    that are out of scope. The run's weights stay as they are. Exports made
    before keep the old calibration.
    """
    from keras_slu.cli.labelled import read_for

    utterances = read_for(run, data)
    outside = _read_unknown(unknown) if unknown else []

    from keras_slu.training.calibrate import calibrate_run

    _print_calibration(calibrate_run(run, utterances, outside))
    typer.echo(f"Written to {run}. Export again what was exported.")


def _read_unknown(path):
    from keras_slu.data import read
    from keras_slu.data.utterance import Utterance
    from keras_slu.errors import InputError
    from keras_slu.files import read_lines

    if not path.endswith(".txt"):
        return read(path)
    found = [Utterance(line) for _, line in read_lines(path) if line.strip()]
    if not found:
        raise InputError("holds no text", "Give it one utterance a line.", file=path)
    return found


def _print_calibration(figures):
    for part in ("intent", "slot"):
        if part not in figures["dev"]:
            continue
        of_part = figures["dev"][part]
        typer.echo(
            f"{part:6}  temperature {figures[f'{part}_temperature']:.3f}  "
            f"calibration error {of_part['ece_before']:.4f} -> {of_part['ece']:.4f}  "
            f"Brier {of_part['brier_before']:.4f} -> {of_part['brier']:.4f}"
        )
    typer.echo(
        f"unknown below {figures['unknown_threshold']:.3f}, or less than "
        f"{figures['unknown_margin']:.3f} ahead of the second: "
        f"{figures['dev']['right_called_unknown']:.2%} of the right answers"
    )
    if "unknown" in figures:
        outside = figures["unknown"]
        typer.echo(
            f"out of scope: {outside['called_unknown']:.2%} of "
            f"{outside['utterances']} found, AUROC {outside['auroc']:.4f}, "
            f"{outside['fpr_at_95_recall']:.2%} false positives at 95 % recall"
        )
