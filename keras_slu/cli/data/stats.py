"""`keras-slu data stats`: what labelled data hold."""

import json

import typer

from keras_slu.cli.data.arguments import AsJson
from keras_slu.cli.data.arguments import Dev
from keras_slu.cli.data.arguments import SourceFormat
from keras_slu.cli.data.arguments import Test
from keras_slu.cli.data.arguments import Train

ROWS = {
    "utterances": "utterances",
    "with_several_intents": "with several intents",
    "without_intent": "without intent",
    "without_slots": "without slots",
    "slots": "slots",
    "tokens": "tokens",
    "words": "different words",
    "unknown_tokens": "unknown tokens",
    "unknown_words": "unknown words",
}
LENGTHS = {
    "mean": "length, mean",
    "median": "length, median",
    "p90": "length, 90 %",
    "p99": "length, 99 %",
    "max": "length, longest",
}
SHOWN = 8  # slots that occur with an intent


def stats(
    train: Train,
    dev: Dev = None,
    test: Test = None,
    source_format: SourceFormat = None,
    as_json: AsJson = False,
):
    """Count labels, lengths, unknown words, and labels that occur together."""
    from keras_slu.cli.data.progress import watching
    from keras_slu.cli.data.splits import find_splits
    from keras_slu.data.statistics import statistics
    from keras_slu.text.tokenizer import Tokenizer

    splits = find_splits(train, dev, test)
    with watching() as watch:
        found = statistics(
            splits.paths,
            format=source_format,
            tokenizer=Tokenizer(splits.tokenizer),
            watch=watch,
        )
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        _print_tables(found)


def _print_tables(found):
    from rich.console import Console

    console = Console()
    names = list(found["splits"])
    console.print(_table("", names, _overview(found["splits"].values())))
    for title in ("intents", "slots"):
        if found[title]:
            rows = [
                (label or "(none)", *(f"{counts[name]:,}" for name in names))
                for label, counts in found[title].items()
            ]
            console.print(_table(title, names, rows))
    if found["cooccurrence"]:
        rows = [(i, _together(slots)) for i, slots in found["cooccurrence"].items()]
        console.print(_table("intent", ["occurs with"], rows, justify="left"))


def _overview(splits):
    for key, title in ROWS.items():
        yield title, *(_told(split.get(key)) for split in splits)
    for key, title in LENGTHS.items():
        yield title, *(f"{split['length'][key]:.4g}" for split in splits)


def _told(value):
    """A count, or the share of what training lacks, which training has not."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{100 * value:.1f} %"


def _table(title, names, rows, justify="right"):
    from rich.table import Table
    from rich.text import Text

    table = Table(title)
    for name in names:
        table.add_column(name, justify=justify)
    for row in rows:
        table.add_row(*map(Text, row))  # labels may hold rich's brackets
    return table


def _together(slots):
    told = [f"{name} {count:,}" for name, count in list(slots.items())[:SHOWN]]
    if len(slots) > SHOWN:
        told.append(f"and {len(slots) - SHOWN} more")
    return ", ".join(told)
