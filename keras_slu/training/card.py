"""The model card of a run: what it is, what it is worth, and its limits."""

import yaml

from keras_slu.data.encoding import intent_set

ROWS = {
    "overall_accuracy": "overall accuracy",
    "intent_accuracy": "intent accuracy",
    "slot_f1": "slot F1",
}
COLUMNS = {
    "dev": "dev",
    "test": "test",
    "test_raw_text": "test, raw text",
}


def model_card(recipe, model, figures):
    """Writes the card of a run in Markdown.

    Args:
        recipe: `Recipe`.
        model: its trained model.
        figures: dict, as the run's `metrics.json` holds them.

    Returns:
        str.
    """
    content = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False)
    intents = sorted({name for names in model.intents for name in intent_set(names)})
    slots = sorted({tag[2:] for tag in model.tags if tag != "O"})
    return f"""# {recipe.name}, seed {recipe.seed}

A `{type(model).__name__}` that finds the intents and the slots of an utterance:
{figures["parameters"]:,} parameters. `keras_slu.load` of this folder gives a parser.

## Data

{_data(recipe, figures)}

{_words(model)}

{len(intents)} intents, {_sets(model)}: {_names(intents)}.

{len(slots)} slots: {_names(slots)}.

## Scores

{_scores(figures)}

In % of utterances, slot F1 over spans (`conlleval`). *Majority* is the answer that
is most frequent in the data, always. The columns dev and test get the data's own
tokens; raw text goes through the tokenizer, as in use. The epoch selected, on dev,
is {figures["epochs"]} of {figures["epochs_trained"]}. `metrics.json` has all figures,
those of the confidences too.

## Intended use

Commands and questions of the kind that the data hold, in their language and style,
one utterance at a time. Frames say with `is_unknown` when an utterance is likely to
be outside; what acts on an answer should look at it, and at the confidences.

## Limits

- Intents and slots are those above; whatever else is said gets one of them.
- Words that are not in the vocabulary all look the same to the model.
- Text beyond {model.max_tokens} tokens is cut, and `truncated` says so.
- Errors of the data, and of who and what they leave out, are errors of the model.
- Confidences are right for utterances like those of dev, and less so for others.

## Recipe

Hash `{figures["recipe_hash"]}`.

```yaml
{content}```

## Versions

{", ".join(f"{name} {version}" for name, version in figures["versions"].items())}
"""


def _sets(model):
    """How an utterance has the intents."""
    if model.intent_head == "sigmoid":
        return "any number of them at once"
    return f"in {len(model.intents)} sets"


def _words(model):
    if model.reads_pieces:
        return "Any word, by the pieces of the pretrained encoder."
    return model.vocabulary.summary()


def _data(recipe, figures):
    paths = recipe.data.model_dump(exclude_none=True)
    lines = [f"- {split}: `{path}`" for split, path in paths.items()]
    for place, split in enumerate(paths):
        if split in figures:
            lines[place] += f", {figures[split]['utterances']:,} utterances"
    if recipe.start is not None:
        lines.append(f"- went on from the run `{recipe.start}`")
    return "\n".join(lines)


def _scores(figures):
    """The table of scores; majority is that of the last split."""
    columns = {title: figures[key] for key, title in COLUMNS.items() if key in figures}
    columns["majority"] = list(columns.values())[-1]["majority"]
    lines = [
        f"| | {' | '.join(columns)} |",
        f"|---|{'---:|' * len(columns)}",
    ]
    for key, title in ROWS.items():
        cells = (f"{100 * scores[key]:.2f}" for scores in columns.values())
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _names(names):
    return ", ".join(f"`{name}`" for name in names)
