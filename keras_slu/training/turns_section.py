"""What `RESULTS.md` tells of tags that do not belong together, and of turns."""

import statistics

from keras_slu.training.markdown_table import markdown_table

NOTE = """\
*Uncoordinated* are the predicted `I-` tags on test that continue nothing or another
slot, the mean over seeds.{turns}

"""
TURNS = """ The other columns are overall accuracy by the user's turn, the first
turns of all dialogues in the column `1`, in percent."""


def turns_section(titles, measured):
    """Makes the table, in Markdown.

    Args:
        titles: dict of str, the titles of rows by name.
        measured: dict of `Results` by name of the row.

    Returns:
        str; empty where no result has an uncoordinated tag or a turn.
    """
    runs_of = {name: list(found.by_seed.values()) for name, found in measured.items()}
    every = [run for runs in runs_of.values() for run in runs]
    turns = sorted({turn for run in every for turn in run.get("test_by_turn", ())})
    if not turns and not any(run.get("test_uncoordinated_tags") for run in every):
        return ""
    lines = []
    for name, runs in runs_of.items():
        lines.append(
            [
                titles[name],
                _mean("{:.3g}", [run.get("test_uncoordinated_tags") for run in runs]),
                *(
                    _mean("{:.2f}", [_overall(run, turn) for run in runs])
                    for turn in turns
                ),
            ]
        )
    table = markdown_table(("", "uncoordinated", *turns), lines)
    return NOTE.format(turns=TURNS if turns else "") + table


def _overall(run, turn):
    scores = run.get("test_by_turn", {}).get(turn)
    return scores and 100 * scores["overall_accuracy"]


def _mean(form, values):
    """The mean of what is there, an empty cell where nothing is."""
    there = [value for value in values if value is not None]
    return form.format(statistics.mean(there)) if there else ""
