"""How fast LRT and SHA-LRT are, beside Stack-Propagation and SlotRefine, in one run.

    python benchmarks/lrt_speed.py [--threads N]

Models are those of the recipes on SNIPS and on KVRET, with fresh weights: what
is answered changes no time. The first table is of single utterances of SNIPS:
milliseconds from token ids to answers in TensorFlow at batch 1 (median) and
utterances a second at batch 32; and in LiteRT from code points to answers, one
thread, the median. The second is of the turns of KVRET's test dialogues: in
TensorFlow from token ids and the state to answers and the next state, in LiteRT
from code points, batch 1, both the median. A model without history answers the
same turns alone.
"""

import argparse
import tempfile
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from joint_models import milliseconds
from joint_models import predictor

from keras_slu.data.dialogue import dialogues_of
from keras_slu.data.encoding import pad_rows
from keras_slu.export.latency import litert_times
from keras_slu.export.litert import export_litert
from keras_slu.export.litert_dialogues import LiteRTDialogueParser
from keras_slu.parsing.parser import make_parser
from keras_slu.parsing.states import split_states
from keras_slu.parsing.states import stack_states
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare
from keras_slu.training.recipe import load_recipe

RECIPES = Path(__file__).resolve().parents[1] / "training" / "recipes"
# Name, recipe, and settings of its model that are changed.
SINGLE = (
    ("Stack-Propagation", "stack-propagation-snips", {}),
    ("SlotRefine", "slot-refine-snips", {}),
    ("LRT", "lrt-snips", {}),
    ("LRT without LRM", "lrt-snips", {"refine_after": ()}),
    ("LRM after every layer", "lrt-snips", {"refine_after": (1, 2, 3)}),
)
TURNS = (
    ("no history", "sha-lrt-kvret", {"type": "lrt"}),
    ("SHA", "sha-lrt-kvret", {}),
    ("SHA without LRM", "sha-lrt-kvret", {"refine_after": ()}),
    ("SHA-P", "sha-lrt-kvret", {"parallel": True}),
    ("two rounds of BiLSTM", "sha-lrt-kvret", {"type": "two_round"}),
    ("memory encoder", "sha-lrt-kvret", {"type": "memory_encoder"}),
)
TURNS_TIMED = 300


def recipe_of(name, changes):
    recipe, folder = load_recipe(RECIPES / f"{name}.yaml")
    content = recipe.model_dump(exclude_unset=True)
    content["model"] |= changes
    return type(recipe).model_validate(content), folder


def exported(model, folder):
    """The path of the model's LiteRT form."""
    run = Path(folder) / "run"
    run.mkdir()
    model.save(run / "model.keras")
    path = Path(folder) / "model.tflite"
    export_litert(run, path)
    return path


def single_row(model, prepared):
    examples = prepared.examples["test"]
    predict = predictor(model)
    for size in (32, 1):  # the graph is made, and buffers are
        milliseconds(predict, examples, size)
    one, many = (milliseconds(predict, examples, size) for size in (1, 32))
    with tempfile.TemporaryDirectory() as folder:
        texts = [utterance.text for utterance in prepared.utterances["test"]]
        on_device = litert_times(exported(model, folder), texts)
    return (
        f"{np.median(one):.2f}",
        f"{32e3 / many.mean():.0f}",
        f"{np.median(on_device):.2f}",
    )


def turn_row(model, prepared):
    utterances = prepared.utterances["test"][:TURNS_TIMED]
    if not model.max_history:
        examples = prepared.examples["test"]
        predict = predictor(model)
        for _ in range(2):
            times = milliseconds(predict, examples, 1)[:TURNS_TIMED]
        with tempfile.TemporaryDirectory() as folder:
            texts = [utterance.text for utterance in utterances]
            on_device = litert_times(exported(model, folder), texts)
        return f"{np.median(times):.2f}", f"{np.median(on_device):.2f}"
    parser = make_parser(model)
    rows = prepared.examples["test"].rows()
    for _ in range(2):
        times = graph_turns(parser, utterances, rows)
    with tempfile.TemporaryDirectory() as folder:
        device = LiteRTDialogueParser(exported(model, folder))
        for _ in range(2):
            on_device = device_turns(device, utterances)
    return f"{np.median(times):.2f}", f"{np.median(on_device):.2f}"


def graph_turns(parser, utterances, rows):
    """Milliseconds of each turn in TensorFlow."""
    times = []
    for places in dialogues_of(utterances):
        state = None
        for place in places:
            batch = stack_states([state], parser.model.max_history)
            ids = pad_rows([rows[place]], 0)
            start = time.perf_counter()
            answers, after, _ = parser.take(batch, ids)
            answers["tags"].numpy()
            times.append(1e3 * (time.perf_counter() - start))
            (state,) = split_states(after)
    return times


def device_turns(parser, utterances):
    """Milliseconds of each turn in LiteRT."""
    times = []
    for places in dialogues_of(utterances):
        batch = stack_states([None], parser.contract["max_history"])
        for place in places:
            inputs, _ = parser.encode(utterances[place].text)
            start = time.perf_counter()
            answer = parser.run(inputs, batch)
            times.append(1e3 * (time.perf_counter() - start))
            batch = {name: answer[name][None] for name in batch}
    return times


def print_table(title, columns, models, row):
    print(f"{title}\n\n| | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, recipe_name, changes in models:
        keras.utils.clear_session()
        recipe, folder = recipe_of(recipe_name, changes)
        if not (folder / recipe.data.train).exists():
            print(f"skipped: needs {recipe.data.train}, beside the recipe's folder")
            return
        prepared = prepare(recipe, folder)
        cells = row(build_model(recipe, prepared), prepared)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--threads", type=int, default=0, help="0: all cores")
    chosen = arguments.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(chosen.threads)
    columns = ("ms, batch 1", "utterances/s, batch 32", "LiteRT, ms")
    print_table("SNIPS, single utterances", columns, SINGLE, single_row)
    print_table("KVRET, turns", ("ms, batch 1", "LiteRT, ms"), TURNS, turn_row)


if __name__ == "__main__":
    main()
