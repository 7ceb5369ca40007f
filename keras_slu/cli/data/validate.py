"""`keras-slu data validate`: what is wrong with labelled data."""

import json
import shutil
import sys
import tempfile
from contextlib import contextmanager
from typing import Annotated

import typer

from keras_slu.cli.data.arguments import AsJson
from keras_slu.cli.data.arguments import Dev
from keras_slu.cli.data.arguments import SourceFormat
from keras_slu.cli.data.arguments import Test
from keras_slu.cli.data.arguments import Train

SHOWN = 5  # findings of a kind, unless all are asked for


def validate(
    train: Train,
    dev: Dev = None,
    test: Test = None,
    source_format: SourceFormat = None,
    all: Annotated[
        bool, typer.Option("--all", help=f"Show all, not {SHOWN} of each kind.")
    ] = False,
    as_json: AsJson = False,
):
    """Check data. Exit code 1 with errors, which training refuses; else 0."""
    from keras_slu.cli.data.progress import watching
    from keras_slu.cli.data.splits import find_splits
    from keras_slu.data.validation import validate
    from keras_slu.text.tokenizer import Tokenizer

    splits = find_splits(train, dev, test)
    with _output(as_json, None if all else SHOWN) as output:
        with watching() as watch:
            counts = validate(
                splits.paths,
                output.add,
                format=source_format,
                tokenizer=Tokenizer(splits.tokenizer),
                max_tokens=splits.max_tokens,
                watch=watch,
            )
        output.print(counts)
    if output.totals["error"]:
        raise typer.Exit(1)


@contextmanager
def _output(as_json, limit):
    if not as_json:
        yield _Table(limit)
        return
    # A file, for there may be millions; and nothing is printed of a failure.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stream:
        yield _Json(stream)


class _Json:
    """All findings as one JSON object, kept in a file until all is known."""

    def __init__(self, stream):
        self.totals = {"error": 0, "warning": 0}
        self._stream = stream

    def add(self, finding):
        between = ",\n" if any(self.totals.values()) else ""
        self.totals[finding.severity] += 1
        self._stream.write(between + json.dumps(finding.to_dict()))

    def print(self, counts):
        self._stream.seek(0)
        sys.stdout.write('{"findings": [\n')
        shutil.copyfileobj(self._stream, sys.stdout)
        rest = {
            "utterances": counts,
            "errors": self.totals["error"],
            "warnings": self.totals["warning"],
        }
        sys.stdout.write("\n],\n" + json.dumps(rest)[1:] + "\n")


class _Table:
    """The first findings of each kind, and how many more there are."""

    def __init__(self, limit):
        self.totals = {"error": 0, "warning": 0}
        self._limit = limit
        self._groups = {}

    def add(self, finding):
        self.totals[finding.severity] += 1
        group = self._groups.setdefault((finding.severity, finding.kind), [0])
        group[0] += 1
        if self._limit is None or len(group) <= self._limit:
            group.append(finding)

    def print(self, counts):
        from rich.console import Console

        from keras_slu.data.findings import KINDS

        console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
        kinds = list(KINDS)
        for severity, style in (("error", "bold red"), ("warning", "bold yellow")):
            groups = [(k, g) for (s, k), g in self._groups.items() if s == severity]
            for kind, group in sorted(groups, key=lambda g: kinds.index(g[0])):
                console.print(f"{severity}: {KINDS[kind]}: {group[0]:,}", style=style)
                self._print_group(console, *group)
        numbers = ", ".join(f"{count:,} {split}" for split, count in counts.items())
        errors, warnings = self.totals.values()
        console.print(f"{numbers} utterances: {errors:,} errors, {warnings:,} warnings")

    def _print_group(self, console, total, *findings):
        from keras_slu.data.findings import told

        remedies = {finding.remedy for finding in findings}
        if len(remedies) == 1:  # mostly; then it is told once
            console.print(f"  {findings[0].remedy}", style="dim")
        for finding in findings:
            line = f"  {told(finding.file, finding.line)}: {finding.problem}"
            console.print(line if len(remedies) == 1 else f"{line}. {finding.remedy}")
        if total > len(findings):
            console.print(f"  and {total - len(findings):,} more", style="dim")
