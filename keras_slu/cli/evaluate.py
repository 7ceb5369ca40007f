"""`keras-slu evaluate`: scores of a run on labelled data, and a report."""

import json
from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    data: Annotated[
        str, typer.Argument(help="Labelled data, in any format that train reads.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(help="File for the scores. Default: RUN/scores-DATA.json."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Folder for a report: a page to look at, all figures, every error."
        ),
    ] = None,
    noise: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Word error rate: add errors like a speech recogniser's.",
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the errors.")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the scores as JSON.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing.")] = False,
):
    """Score a run, from gold tokens and from raw text."""
    from keras_slu.cli.labelled import read_for
    from keras_slu.evaluation.report_files import check_folder

    utterances = read_for(run, data)
    if report is not None:
        check_folder(report)

    from keras_slu.cli.scores import print_scores
    from keras_slu.cli.status import status
    from keras_slu.evaluation.report_files import write_report
    from keras_slu.files import write_text
    from keras_slu.parsing.scoring import score_parser

    with status(f"Parsing {len(utterances):,} utterances", quiet):
        parser = _load_run(run)
        content = {"data": data}
        if noise:
            utterances = _add_noise(utterances, noise, seed, parser, data)
            content |= {"noise": noise, "noise_seed": seed}
        scores = score_parser(parser, utterances)
        content |= {name: s.to_dict() for name, s in scores.items()}
        parts = report and _report(run, content, parser, utterances)
    noisy = f"-noise{noise:g}" if noise else ""
    output = output or run / f"scores-{_slug(data)}{noisy}.json"
    write_text(output, json.dumps(content, indent=2) + "\n")
    if report is not None:
        write_report(report, *parts)
    if as_json:
        typer.echo(json.dumps(content, indent=2))
    elif not quiet:
        print_scores(content)
        typer.echo(f"Written to {output}.")
        if report is not None:
            typer.echo(f"Open {report / 'report.html'} in a browser.")


def _load_run(run):
    from keras_slu.errors import InputError
    from keras_slu.parsing.loading import load_to_parse

    parser = load_to_parse(run)
    if not hasattr(parser, "model"):
        raise InputError(
            "is an export, which takes no gold tokens",
            "Name its run, or compare the two with `keras-slu verify`.",
            file=run,
        )
    return parser


def _add_noise(utterances, rate, seed, parser, data):
    import numpy as np

    from keras_slu.data.noisy_utterances import noisy_utterances
    from keras_slu.data.utterance import Utterance
    from keras_slu.errors import InputError

    if not all(isinstance(utterance, Utterance) for utterance in utterances):
        raise InputError(
            "holds dialogues, which --noise is not for", "Leave it out.", file=data
        )
    random = np.random.default_rng(seed)
    return noisy_utterances(utterances, rate, random, parser.model.tokenizer)


def _report(run, content, parser, utterances):
    """The figures, errors and page of a report."""
    import keras_slu
    from keras_slu.cli.scores import ROWS
    from keras_slu.data.encoding import tokens_of
    from keras_slu.evaluation.report import make_report
    from keras_slu.evaluation.report_page import render_page

    tokenizer, vocabulary = parser.model.tokenizer, parser.model.vocabulary
    words = [
        [tokenizer.fold(token.text) for token in tokens_of(utterance, tokenizer)]
        for utterance in utterances
    ]
    frames = parser.frames_of(utterances)
    figures, errors = make_report(
        utterances,
        frames,
        lengths=[len(of_one) for of_one in words],
        has_unknown=[not all(map(vocabulary.knows, of_one)) for of_one in words],
        before=_before_calibration(parser.model, frames),
    )
    figures = {
        "run": run.resolve().name,
        "data": content["data"],
        "version": keras_slu.__version__,
        "gold_tokens": content["gold_tokens"],
        **figures,
    }
    return figures, errors, render_page(figures, errors, ROWS)


def _before_calibration(model, frames):
    """The frames with the confidences that calibration changed."""
    from keras_slu.evaluation.uncalibrated import uncalibrated

    intents = float(model.calibration.intent_temperature)
    slots = float(model.calibration.slot_temperature)
    is_set = model.intent_head == "sigmoid"
    return [uncalibrated(frame, intents, slots, is_set) for frame in frames]


def _slug(data):
    """The last two parts of a path, as part of a file name.

    >>> _slug("../data/snips/test"), _slug("embedded:home/dev")
    ('snips-test', 'home-dev')
    """
    parts = Path(data.removeprefix("embedded:")).parts[-2:]
    name = "-".join(part.strip(".") for part in parts)
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")
