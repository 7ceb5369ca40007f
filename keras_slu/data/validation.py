"""Finds what is wrong with labelled data, in one pass and bounded memory."""

from functools import partial
from itertools import chain

from keras_slu.data import iter_utterances
from keras_slu.data.blocks import blocks
from keras_slu.data.findings import Finding
from keras_slu.data.repeats import Repeats
from keras_slu.data.tally import Tally
from keras_slu.data.tally import check_tallies
from keras_slu.data.text_checks import check_block
from keras_slu.text.tokenizer import Tokenizer


def validate(paths, report, *, format=None, tokenizer=None, max_tokens=128, watch=None):
    """Checks splits, each by itself and all together.

    `keras_slu.data.findings.KINDS` lists what is looked for. Of an utterance
    only some 24 bytes are kept, so memory is bounded by the number of labels
    and of utterances, not by their text. Text that comes without tokens is
    checked with the tokens that `tokenizer` finds.

    Args:
        paths: dict of split names to paths that `keras_slu.data.read` takes,
            training first.
        report: function of a `Finding`, called for each as it is found.
        format: str. The name of the data's format. Defaults to what the data
            look like.
        tokenizer: `Tokenizer`. Defaults to one of mode `"unicode"`.
        max_tokens: int. The limit of the model to be trained. Defaults to 128.
        watch: function of `(split, utterances)`, both as they are read, that
            gives the utterances back, to show progress. Defaults to none.

    Returns:
        dict of split names to numbers of utterances.

    Raises:
        InputError: for data that cannot be read at all.

    Example:

    >>> findings = []
    >>> counts = validate({"dev": "embedded:home/dev"}, findings.append)
    >>> [finding.problem for finding in findings if finding.severity == "error"]
    []
    """
    tokenizer = tokenizer or Tokenizer()
    repeats = Repeats()
    tallies = []
    for split, path in paths.items():
        report_fault = partial(_report_fault, report)
        utterances = iter_utterances(path, format=format, report=report_fault)
        if watch is not None:
            utterances = watch(split, utterances)
        tallies.append(Tally(split))
        for block in blocks(utterances, tokenizer):
            for finding in check_block(block, tokenizer, max_tokens):
                report(finding)
            tallies[-1].add(block)
            repeats.add(block)
        repeats.end_split()
    for finding in chain(repeats.findings(), check_tallies(tallies)):
        report(finding)
    return {tally.name: tally.utterances for tally in tallies}


def _report_fault(report, severity, fault):
    """Passes on what a reader reports."""
    if severity == "error" and fault.line is None:
        raise fault  # the whole file is at fault, not a record of it
    what = (fault.file, fault.line, fault.problem, fault.remedy)
    report(Finding("format", severity, *what))
