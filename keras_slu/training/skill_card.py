"""The model card of a run of skills."""

import yaml

from keras_slu.evaluation.skill_scores import MAIN


def skill_card(recipe, model, figures):
    """Writes the card of a run in Markdown.

    Args:
        recipe: `SkillRecipe`.
        model: its trained model.
        figures: dict, as the run's `metrics.json` holds them.

    Returns:
        str.
    """
    content = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False)
    return f"""# {recipe.name}, seed {recipe.seed}

A `{type(model).__name__}` for {len(model.tasks)} tasks with {len(model.skills)} skills:
{figures["parameters"]:,} parameters, of which a task uses a part.

## Tasks

{_tasks(recipe, model, figures)}

{len(model.pieces):,} word pieces; a row has at most {recipe.max_pieces}.

## Scores

{_scores(recipe, figures)}

In %. *Chance* is an answer drawn at random, *majority* the one answer that is most
often right, both on the last split. The epoch selected, by the mean on dev, is
{figures["epochs"]} of {figures["epochs_trained"]}. `metrics.json` has all figures, and
how many examples a row has no room for.

## Limits

- The answers of a task are those of its training data, whatever is asked.
- A score near chance or majority means that the task was not learned.
- Errors of the data, and of who and what they leave out, are errors of the model.

## Recipe

Hash `{figures["recipe_hash"]}`.

```yaml
{content}```

## Versions

{", ".join(f"{name} {version}" for name, version in figures["versions"].items())}
"""


def _tasks(recipe, model, figures):
    lines = [
        "| task | kind | labels | skills | examples | active parameters |",
        "|---|---|---:|---|---:|---:|",
    ]
    for task in model.tasks:
        if task.name in recipe.data:
            examples = f"{figures['train_examples'][task.name]:,}"
            active = figures["active_parameters"][task.name]
        else:  # it stayed from the start
            examples, active = "", model.active_parameters(task.name)
        cells = (
            task.name,
            task.kind,
            str(len(task.labels) or ""),
            ", ".join(task.skills),
            examples,
            f"{active:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _scores(recipe, figures):
    lines = ["| task | figure | dev | test | chance | majority |"]
    lines.append("|---|---|---:|---:|---:|---:|")
    splits = [figures[split] for split in ("dev", "test") if split in figures]
    for name, settings in recipe.data.items():
        main = MAIN[settings.kind]
        last = [of_split for of_split in splits if name in of_split][-1][name]
        cells = [_percent(figures.get(s, {}).get(name), main) for s in ("dev", "test")]
        beside = (f"{100 * last[key]:.2f}" for key in ("chance", "majority"))
        title = main.replace("_", "-")
        lines.append(f"| {' | '.join([name, title, *cells, *beside])} |")
    means = [_percent(figures.get(split), "mean") for split in ("dev", "test")]
    lines.append(f"| mean | | {' | '.join(means)} | | |")
    return "\n".join(lines)


def _percent(scores, key):
    return "" if scores is None else f"{100 * scores[key]:.2f}"
