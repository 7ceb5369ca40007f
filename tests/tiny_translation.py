"""Parallel text and a recipe so small that training takes seconds."""

from random import Random

SPLITS = {"train": 120, "dev": 12, "test": 9}
WORDS = {"red": "rot", "blue": "blau", "small": "klein", "old": "alt"}
THINGS = {"house": "Haus", "ball": "Ball", "dog": "Hund", "train": "Zug"}


def write_parallel(folder):
    """Writes train, dev and test in two languages, one word for one word."""
    for seed, (split, size) in enumerate(SPLITS.items()):
        random = Random(seed)
        pairs = []
        for _ in range(size):
            words = random.sample(sorted(WORDS), random.randint(1, 3))
            thing = random.choice(sorted(THINGS))
            one = " ".join(["a", *words, thing])
            other = " ".join(["ein", *(WORDS[word] for word in words), THINGS[thing]])
            pairs.append((one, other))
        for language, side in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
            (folder / f"{split}.{language}").write_text("\n".join(side) + "\n")


def recipe_content(**training):
    """The content of a recipe over the files that `write_parallel` makes."""
    return {
        "task": "translation",
        "name": "tiny-translation",
        "data": {
            split: {"source": f"{split}.en", "target": f"{split}.de"}
            for split in SPLITS
        },
        "text": {"vocabulary_size": 60, "max_tokens": 16},
        "model": {
            "dim": 32,
            "num_heads": 4,
            "inner_dim": 32,
            "num_layers": 1,
            "cross_capsules": [1],
            "dropout": 0.1,
        },
        "training": {
            "epochs": 20,
            "batch_tokens": 64,
            "learning_rate": 0.005,
            "schedule": "cosine",
            "warmup_epochs": 0.5,
            **training,
        },
    }
