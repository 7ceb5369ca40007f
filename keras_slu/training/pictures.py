"""Pictures of trainings, drawn with matplotlib (the `report` extra)."""

import importlib.util
import warnings
from collections import Counter

import numpy as np

MAX_LABELS = 40  # of a confusion matrix that can still be read


def can_draw():
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def confusion_picture(gold, predicted):
    """Draws how often each gold label was predicted as which.

    Args:
        gold: list of str, not empty.
        predicted: list of str, as many.

    Returns:
        uint8 array `(height, width, 4)`; at most the 40 most frequent labels.
    """
    support = Counter(gold + predicted)
    labels = [label for label, _ in support.most_common(MAX_LABELS)]
    place = {label: row for row, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)))
    for row, column in zip(gold, predicted, strict=True):
        if row in place and column in place:
            counts[place[row], place[column]] += 1
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    size = 3 + 0.35 * len(labels)
    figure = _figure(size, size)
    axes = figure.add_subplot()
    _heat_map(axes, shares, labels, labels)
    for row, column in zip(*counts.nonzero(), strict=True):
        colour = "white" if shares[row, column] > 0.5 else "black"
        text = f"{counts[row, column]:.0f}"
        axes.text(column, row, text, ha="center", va="center", color=colour, size=8)
    axes.set_xlabel("predicted")
    axes.set_ylabel("gold")
    return _pixels(figure)


def attention_maps(model, token_ids):
    """The attention of a model over one utterance, as `attention_picture` takes it.

    Args:
        model: `JointModel`.
        token_ids: int array `(words,)`.

    Returns:
        list, for each layer a list of two float32 arrays `(words, words)`.
    """
    import keras  # the picture itself needs none

    return [
        [keras.ops.convert_to_numpy(scores)[0].astype("float32") for scores in pair]
        for pair in model.attention_scores(model.vocabulary.pack(token_ids[None]))
    ]


def attention_picture(words, maps):
    """Draws the attention between the tasks over one utterance.

    Args:
        words: list of str.
        maps: list, for each layer the pair `(intent, slots)` of float arrays
            `(words, words)`.

    Returns:
        uint8 array `(height, width, 4)`: a row a layer; a dark cell is a word
        (row) that attends to another (column).
    """
    size = 2 + 0.3 * len(words)
    figure = _figure(2 * size, size * len(maps))
    grid = figure.subplots(len(maps), 2, squeeze=False)
    darkest = max(float(np.max(scores)) for of_layer in maps for scores in of_layer)
    for layer, (of_layer, row) in enumerate(zip(maps, grid, strict=True), 1):
        for side, scores, axes in zip(("intent", "slots"), of_layer, row, strict=True):
            _heat_map(axes, scores, words, words, darkest)
            axes.set_title(f"layer {layer}, {side} side", size=9)
    return _pixels(figure)


def line_picture(lines, title, x_label, y_label):
    """Draws lines over a logarithmic `x`.

    Args:
        lines: dict, each line's name to a list of `(x, mean, deviation)`.
        title, x_label, y_label: str.

    Returns:
        uint8 array `(height, width, 4)`.
    """
    figure = _figure(6, 4)
    axes = figure.add_subplot()
    for name, points in lines.items():
        if points:
            x, mean, deviation = zip(*points, strict=True)
            axes.errorbar(x, mean, deviation, label=name, marker="o", capsize=3)
    axes.set_xscale("log")
    axes.set_title(title, size=10)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.3)
    axes.legend()
    return _pixels(figure)


def _figure(width, height):
    from matplotlib.figure import Figure

    return Figure((width, height), dpi=100, layout="constrained")


def _heat_map(axes, values, rows, columns, darkest=1.0):
    axes.imshow(values, cmap="Blues", vmin=0.0, vmax=darkest)
    # A dollar sign would begin a formula.
    rows, columns = ([name.replace("$", r"\$") for name in s] for s in (rows, columns))
    axes.set_xticks(range(len(columns)), columns, rotation=90, size=8)
    axes.set_yticks(range(len(rows)), rows, size=8)


def _pixels(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        # Its font lacks some scripts: boxes stand for them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())
