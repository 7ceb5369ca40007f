"""Tables in Markdown."""


def markdown_table(columns, lines):
    """Makes a table in Markdown; a short line ends in empty cells.

    >>> print(markdown_table(["", "F1"], [["HAN", "95.5"], ["GRU"]]), end="")
    |  | F1 |
    | --- | --- |
    | HAN | 95.5 |
    | GRU |  |
    """
    width = len(columns)
    rows = [columns, ["---"] * width, *lines]
    rows = ([*row, *[""] * (width - len(row))] for row in rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
