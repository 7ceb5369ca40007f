"""How alike the heads of a translator's attentions are, and its capsules.

    python benchmarks/head_similarity.py RUN ... [--results training/results]

The mean over positions and pairs of heads of the cosine of their outputs, `u`,
and of the capsules that they are routed into, `v`: that heads are redundant is
the motive of Gu and Feng (2019). Over the first sentences of the recipe's test
data, or dev where it has none, with the true translation before each token. With
`--results`, adds what it finds to the runs' files there.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from keras_slu.errors import InputError
from keras_slu.files import write_text

SENTENCES = 200


def pairwise_cosine(vectors):
    """The mean cosine of two of the vectors `(..., vectors, width)`, by position."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)
    count = unit.shape[-2]
    products = unit @ np.swapaxes(unit, -1, -2)
    total = products.sum(axis=(-1, -2)) - np.trace(products, axis1=-2, axis2=-1)
    return (total / (count * (count - 1))).ravel()


def watch(attention, found):
    """Makes an attention add what it computes to `found`, heads and capsules."""
    compute = attention._compute_attention

    def watched(*args, **kwargs):
        refine = getattr(attention, "refinement", None)
        if refine is None:
            heads, scores = compute(*args, **kwargs)
            found["heads"].append(pairwise_cosine(heads.numpy()))
            return heads, scores
        route = refine._route

        def watched_route(heads):
            capsules = route(heads)
            found["heads"].append(pairwise_cosine(heads.numpy()))
            found["capsules"].append(pairwise_cosine(capsules.numpy()))
            return capsules

        refine._route = watched_route
        try:
            return compute(*args, **kwargs)
        finally:
            refine._route = route

    attention._compute_attention = watched


def attentions(model):
    """The attentions of a `CapsuleTransformer` by name."""
    named = {}
    for number, layer in enumerate(model.encoder, 1):
        named[f"encoder {number}"] = layer.attention
    for number, layer in enumerate(model.decoder, 1):
        named[f"decoder {number}"] = layer.self_attention
        named[f"cross {number}"] = layer.cross_attention
    return named


def similarity(run, recipe):
    """The mean cosines of a run, by attention: of `heads` and of `capsules`."""
    from keras_slu.parsing.parser import load_parser
    from keras_slu.text.sentence_pieces import START
    from keras_slu.training.translation_prepare import prepare

    model = load_parser(run).model
    recipes = Path(__file__).resolve().parents[1] / "training" / "recipes"
    splits = prepare(recipe, recipes).splits
    pairs = splits.get("test", splits["dev"])
    found = {}
    for name, attention in attentions(model).items():
        found[name] = {"heads": [], "capsules": []}
        watch(attention, found[name])
    for source, target in zip(
        pairs.source_ids[:SENTENCES], pairs.target_ids[:SENTENCES], strict=True
    ):
        inputs = {"token_ids": [source], "target_ids": [[START, *target]]}
        model({name: np.array(ids, "int32") for name, ids in inputs.items()})
    return {
        name: {
            kind: round(float(np.concatenate(cosines).mean()), 4)
            for kind, cosines in of_kinds.items()
            if cosines
        }
        for name, of_kinds in found.items()
    }


def add_to_result(recipe, found, folder):
    """Adds the cosines to the result file of a run."""
    path = folder / f"{recipe.name}-seed{recipe.seed}.json"
    result = json.loads(path.read_text())
    if result["recipe_hash"] != recipe.digest():
        raise InputError("is of another recipe", "File the run's result.", file=path)
    write_text(path, json.dumps({**result, "head_similarity": found}, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    if not arguments.runs:
        print("skipped: name the folders of translation runs")
    from keras_slu.training.recipe import load_recipe

    for run in arguments.runs:
        recipe, _ = load_recipe(run / "recipe.yaml")
        found = similarity(run, recipe)
        print(recipe.name)
        for name, cosines in found.items():
            shown = (f"{kind} {cosine:6.3f}" for kind, cosine in cosines.items())
            print(f"  {name:10s} {'  '.join(shown)}")
        if arguments.results is not None:
            add_to_result(recipe, found, arguments.results)


if __name__ == "__main__":
    main()
