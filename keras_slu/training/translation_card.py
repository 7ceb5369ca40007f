"""The model card of a translator."""

import yaml


def translation_card(recipe, model, figures):
    """Writes the card of a run in Markdown.

    Args:
        recipe: `TranslationRecipe`.
        model: its trained model.
        figures: dict, as the run's `metrics.json` holds them.

    Returns:
        str.
    """
    content = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False)
    return f"""# {recipe.name}, seed {recipe.seed}

A `{type(model).__name__}` that translates sentences: {figures["parameters"]:,}
parameters. `keras_slu.load` of this folder gives a translator.

## Data

{_data(recipe, figures)}

{len(model.pieces):,} SentencePiece pieces, of both languages together.

## Scores

{_scores(figures)}

The epoch selected, by BLEU on dev, is {figures["epochs"]} of
{figures["epochs_trained"]}. `metrics.json` has all figures.

## Limits

- Sentences of other kinds than those of training are translated badly, and nothing
  says so.
- A source is cut beyond {model.max_tokens - 1} pieces, and `truncated` says so.
- Errors of the data, and of who and what they leave out, are errors of the model.

## Recipe

Hash `{figures["recipe_hash"]}`.

```yaml
{content}```

## Versions

{", ".join(f"{name} {version}" for name, version in figures["versions"].items())}
"""


def _data(recipe, figures):
    lines = []
    for split, files in recipe.data.model_dump(exclude_none=True).items():
        line = f"- {split}: `{files['source']}` to `{files['target']}`"
        if split in figures:
            line += f", {figures[split]['sentences']:,} sentences"
        lines.append(line)
    return "\n".join(lines)


def _scores(figures):
    lines = ["| | search | BLEU | length ratio |", "|---|---|---:|---:|"]
    for split in ("dev", "test"):
        for search, scores in figures.get(split, {}).items():
            if search == "sentences":
                continue
            lines.append(
                f"| {split} | {search.replace('_', ' ')} | {scores['bleu']:.2f} "
                f"| {scores['length_ratio']:.3f} |"
            )
    signature = figures["dev"]["greedy"]["signature"]
    return "\n".join([*lines, "", f"sacrebleu's signature: `{signature}`."])
