"""The table of translators in `training/RESULTS.md`."""

import statistics

from keras_slu.training.markdown_table import markdown_table
from keras_slu.training.spread import spread
from keras_slu.training.tables import named_recipe
from keras_slu.training.tables import read_results
from keras_slu.training.tables import read_table

COLUMNS = (
    "", "BLEU, greedy", "BLEU, beam of 4", "heads alike", "capsules alike", "seeds",
    "parameters", "epochs", "s/epoch", "s/step",
)  # fmt: skip

HEAD = """\
## Translation

{source}

BLEU is sacrebleu's{signature}. *Alike* is the mean cosine of two heads of one
attention, and of the capsules that they are routed into, over all attentions that
have such (`python benchmarks/head_similarity.py RUN --results training/results`).
`keras-slu reproduce translation` trains what is missing.
"""


def translation_section(folder):
    """The section in Markdown; empty where `translation.yaml` is not there.

    Args:
        folder: path of the folder `training/`.

    Returns:
        str.
    """
    table = read_table(folder, "translation")
    if table is None:
        return ""
    found = {
        name: read_results(folder, named_recipe(folder, name)[0])
        for name in table["rows"]
    }
    lines = [
        [f"{title} (`{name}`)", *_cells(found[name])]
        for name, title in table["rows"].items()
    ]
    signatures = {
        run["test"]["greedy"]["signature"]
        for results in found.values()
        for run in results.by_seed.values()
    }
    told = "".join(f", `{signature}`" for signature in sorted(signatures))
    head = HEAD.format(source=table["source"].strip(), signature=told)
    return f"{head}\n{markdown_table(COLUMNS, lines)}"


def _cells(results):
    """The cells of a row, none where nothing was measured."""
    runs = list(results.by_seed.values())
    if not runs:
        return []
    older = ", of an older recipe" if results.is_older else ""
    return [
        *(
            spread([run["test"][search]["bleu"] / 100 for run in runs])
            for search in ("greedy", "beam_4")
        ),
        *(_alike(runs, kind) for kind in ("heads", "capsules")),
        f"{len(runs)}{older}",
        f"{runs[0]['parameters']:,}",
        f"{statistics.mean(run['epochs'] for run in runs):.3g}",
        f"{statistics.mean(run['seconds_per_epoch'] for run in runs):.3g}",
        f"{statistics.mean(run['seconds_per_step'] for run in runs):.3g}",
    ]


def _alike(runs, kind):
    """The mean cosine over attentions and seeds; empty where there is none."""
    values = [
        of_attention[kind]
        for run in runs
        for of_attention in run.get("head_similarity", {}).values()
        if kind in of_attention
    ]
    return f"{statistics.mean(values):.3f}" if values else ""
