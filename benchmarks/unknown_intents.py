"""How well a model tells intents that it has never seen from those it knows.

    python benchmarks/unknown_intents.py RECIPE FOLDER [INTENT ...]

For each intent of the recipe's training data (or those named) a model is
trained without it, and the test utterances that have it stand for the unknown.
Prints, for the calibrated probability of the best intent, the AUROC of known
test utterances against unknown ones and the share of unknown ones taken for
known where 95 % of the known ones are; then how many of both are called unknown
at the thresholds that the run chose on dev, where there was no unknown one.

FOLDER keeps a run and a result for each intent; called again, the command goes
on where it was. It trains as many times as there are intents.
"""

import json
import sys
from pathlib import Path

import numpy as np

import keras_slu
from keras_slu.data import read
from keras_slu.evaluation.calibration import share_unknown
from keras_slu.files import write_text
from keras_slu.training.calibrate import class_probabilities
from keras_slu.training.calibrate import unknown_figures
from keras_slu.training.fit import train
from keras_slu.training.paths import resolve
from keras_slu.training.progress import Progress
from keras_slu.training.recipe import load_recipe

FIGURES = ("auroc", "fpr_at_95_recall", "called_unknown", "known_called_unknown")


def leave_out(recipe, folder, results, intent):
    """Trains without an intent, or finds that it was; gives the figures."""
    result = results / f"{intent}.json"
    if result.exists():
        return json.loads(result.read_text(encoding="utf-8"))
    run = results / intent
    without = recipe.model_copy(update={"leave_out_intents": (intent,)})
    trained = train(without, folder, run, callbacks=[Progress()])
    thresholds = [
        trained["calibration"][f"unknown_{name}"] for name in ("threshold", "margin")
    ]
    parser = keras_slu.load(run)
    test = read(resolve(recipe.data.test, folder))
    known, unknown = (
        class_probabilities(parser, [u for u in test if (intent in u.intents) == out])
        for out in (False, True)
    )
    figures = {
        "intent_accuracy": trained["test"]["intent_accuracy"],
        "known_called_unknown": share_unknown(known, thresholds),
        **unknown_figures(known, unknown, thresholds),
    }
    write_text(result, json.dumps(figures, indent=2) + "\n")
    return figures


def main(path, results, *intents):
    recipe, folder = load_recipe(path)
    if recipe.data.test is None:
        sys.exit(f"{path} names no test data")
    if not intents:
        train_data = read(resolve(recipe.data.train, folder))
        intents = sorted({name for u in train_data for name in u.intents})
    found = []
    for intent in intents:
        found.append(leave_out(recipe, folder, Path(results), intent))
        print(intent, *(f"{name} {found[-1][name]:.4f}" for name in FIGURES))
    means = (f"{name} {np.mean([f[name] for f in found]):.4f}" for name in FIGURES)
    print("mean", *means)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
