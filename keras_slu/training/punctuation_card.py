"""The model card of a punctuation run."""

import yaml


def punctuation_card(recipe, model, figures):
    """Writes the card of a run in Markdown.

    Args:
        recipe: `PunctuationRecipe`.
        model: its trained model.
        figures: dict, as the run's `metrics.json` holds them.

    Returns:
        str.
    """
    content = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False)
    paths = recipe.data.model_dump(exclude_none=True)
    data = "\n".join(f"- {split}: `{path}`" for split, path in paths.items())
    return f"""# {recipe.name}, seed {recipe.seed}

A `{type(model).__name__}` that finds the punctuation of a transcript:
{figures["parameters"]:,} parameters. `keras_slu.load` of this folder gives a
punctuator.

## Data

{data}

{_vocabulary(model.vocabulary, model.reads_pieces)} Marks: {", ".join(model.marks[1:])}.

## Scores

{_scores(model.marks[1:], figures)}

In %, over the ends of words; *all* is over the marks together, without the words
that have none. The epoch selected, on dev, is {figures["epochs"]} of
{figures["epochs_trained"]}. `metrics.json` has all figures.

## Limits

- Marks are those above. What a model of speech would hear, a pause or a rising
  voice, it does not see.
- Words that are not in the vocabulary all look the same to the model.
- A mark comes after a word, and words are what stands between spaces: scripts that
  are written without spaces get marks only where a space is.
- Errors of the data, and of who and what they leave out, are errors of the model.

## Recipe

Hash `{figures["recipe_hash"]}`.

```yaml
{content}```

## Versions

{", ".join(f"{name} {version}" for name, version in figures["versions"].items())}
"""


def _vocabulary(vocabulary, are_pieces):
    if are_pieces:
        return f"{vocabulary.pieces.size:,} pieces, those of the pretrained encoder."
    return vocabulary.summary()


def _scores(marks, figures):
    lines = ["| | mark | precision | recall | F1 |", "|---|---|---:|---:|---:|"]
    for split in ("dev", "test", "test_asr"):
        if split not in figures:
            continue
        rows = {"all": figures[split], **{mark: figures[split][mark] for mark in marks}}
        for mark, scores in rows.items():
            values = (scores[name] for name in ("precision", "recall", "f1"))
            cells = " | ".join(f"{100 * value:.1f}" for value in values)
            lines.append(f"| {split.replace('_', ' ')} | {mark} | {cells} |")
    return "\n".join(lines)
