"""Data of each kind of task, and a recipe so small that training takes seconds."""

import json
from random import Random

SPLITS = {"train": 60, "dev": 16, "test": 16}
GOOD, BAD = ("fine", "great", "lovely"), ("poor", "awful", "sad")
THINGS = ("lamp", "song", "door", "film", "room")
NAMES = ("anna", "bob", "carl", "dora")


def write_skills(folder):
    """Writes train, dev and test of a task of each kind; some have two splits."""
    for seed, (split, size) in enumerate(SPLITS.items()):
        random = Random(seed)
        writers = (_moods, _pairs, _names, _questions, _candidates)
        for writer in writers:
            name, content = writer([random] * size)
            (folder / name.format(split)).write_text(content)


def _moods(randoms):
    rows = ["label\ttext"]
    for random in randoms:
        label, words = random.choice((("0", BAD), ("1", GOOD)))
        rows.append(f"{label}\ta {random.choice(words)} {random.choice(THINGS)}")
    return "moods-{}.tsv", "\n".join(rows) + "\n"


def _pairs(randoms):
    lines = []
    for random in randoms:
        one, other = random.choice((GOOD, BAD)), random.choice((GOOD, BAD))
        item = {
            "sentence1": f"a {random.choice(one)} {random.choice(THINGS)}",
            "sentence2": f"it is {random.choice(other)}",
            "label": str(int(one is other)),
        }
        lines.append(json.dumps(item))
    return "pairs-{}.jsonl", "\n".join(lines) + "\n"


def _names(randoms):
    blocks = []
    for random in randoms:
        words = ["call", random.choice(NAMES), random.choice(NAMES), "now"]
        tags = ["O", "B-NAME", "E-NAME", "O"]
        rows = zip(words, tags, strict=True)
        blocks.append("\n".join(f"{word} {tag}" for word, tag in rows))
    return "names-{}.bmes", "\n\n".join(blocks) + "\n"


def _questions(randoms):
    paragraphs = []
    for place, random in enumerate(randoms):
        things = random.sample(THINGS, 3)
        facts = [f"the {thing} is {random.choice(GOOD + BAD)}." for thing in things]
        passage = " ".join(facts)
        thing = random.choice(things)
        answer = facts[things.index(thing)].split()[-1].removesuffix(".")
        start = passage.index(f"{thing} is") + len(f"{thing} is ")
        answers = [{"text": answer, "answer_start": start}]
        question = {
            "question": f"what is the {thing}?",
            "answers": answers,
            "id": place,
        }
        paragraphs.append({"context": f"{passage} {place}.", "qas": [question]})
    return "questions-{}.json", json.dumps({"data": [{"paragraphs": paragraphs}]})


def _candidates(randoms):
    rows = ["question\tcandidate\tlabel"]
    for place, random in enumerate(randoms):
        things = random.sample(THINGS, 3)
        asked = random.choice(things)
        for thing in things:
            rows.append(f"the {asked} {place}?\tthis {thing}\t{int(thing == asked)}")
    return "candidates-{}.tsv", "\n".join(rows) + "\n"


def task(name, kind, skills, splits=("train", "dev", "test"), ending="", **more):
    files = {split: f"{name}-{split}{ending}" for split in splits}
    return {"kind": kind, "skills": skills, **files, **more}


def tasks():
    """A task of each kind that is fine-tuned."""
    return {
        "moods": task("moods", "classification", ["s1", "s7"], ending=".tsv"),
        "pairs": task("pairs", "matching", ["s1", "s3", "s7"], ending=".jsonl"),
        "names": task("names", "tagging", ["s2", "s7"], ending=".bmes"),
        "questions": task(
            "questions", "span", ["s2", "s3", "s7"], ("train", "test"), ".json"
        ),
        "candidates": task("candidates", "ranking", ["s1", "s3", "s7"], ending=".tsv"),
    }


def pretraining_tasks():
    """The two tasks of sparse pre-training."""
    return {
        "masked": {
            "kind": "masked_pieces",
            "skills": ["s2", "s7"],
            "train": ["questions-train.json", "moods-train.tsv"],
        },
        "next": {
            "kind": "pair",
            "skills": ["s1", "s3", "s7"],
            "format": "next-sentences",
            "train": "questions-train.json",
        },
    }


def recipe_content(data=None, training=(), model=(), **more):
    """The content of a recipe over the files that `write_skills` makes."""
    return {
        "task": "skills",
        "name": "tiny-skills",
        "skills": ["s1", "s2", "s3", "s7"],
        "data": data or tasks(),
        "max_pieces": 24,
        "text": {"vocabulary_size": 120, "min_count": 1},
        "model": {
            "dim": 32,
            "num_heads": 2,
            "inner_dim": 32,
            "num_layers": 1,
            "dropout": 0.1,
            **dict(model),
        },
        "training": {
            "epochs": 4,
            "batch_size": 8,
            "learning_rate": 0.003,
            "weight_decay": 0.01,
            "schedule": "cosine",
            "warmup_epochs": 0.5,
            **dict(training),
        },
        **more,
    }


def make_recipe(data=None, **more):
    from keras_slu.training.skill_recipe import SkillRecipe

    return SkillRecipe.model_validate(recipe_content(data, **more))
