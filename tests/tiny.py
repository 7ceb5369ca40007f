"""A corpus and a recipe so small that training takes seconds."""

import json
import zipfile
from dataclasses import asdict
from random import Random

from keras_slu.data.alignment import slot_spans
from keras_slu.data.words import join_words

SPLITS = {"train": 44, "dev": 12, "test": 9}

# The quickest model to trace that still has every kind of randomness.
QUICK_MODEL = {
    "embedding_dim": 8,
    "dim": 16,
    "interaction": False,
    "label_attention": False,
    "slot_head": "softmax",
}


def draw(random):
    """Gives words, BIO tags and intents; many words are seen once."""
    verb = random.choice(("play", "stop", "dim"))
    words = [verb, "the", random.choice(("red", "blue")), f"lamp{random.randrange(40)}"]
    tags = ["O", "O", "B-kind", "B-thing"]
    intents = [verb]
    if random.random() < 0.4:
        words += ["of", "aunt", random.choice(("mary", "joan"))]
        tags += ["O", "B-owner", "I-owner"]
    if random.random() < 0.3:
        words += ["and", "leave"]
        tags += ["O", "O"]
        intents.append("leave")
    return words, tags, intents


def write_tokenised(folder):
    """Writes train, dev and test as JSON lines of words and tags."""
    for path, random, size in _splits(folder):
        with open(path, "w") as stream:
            for _ in range(size):
                words, tags, intents = draw(random)
                item = {"text": words, "slot": tags, "intent": "#".join(intents)}
                print(json.dumps(item), file=stream)


def write_raw(folder):
    """Writes train, dev and test as JSON lines of text and character spans."""
    for path, random, size in _splits(folder):
        with open(path, "w") as stream:
            for _ in range(size):
                words, tags, intents = draw(random)
                text, tokens = join_words(words)
                item = {
                    "text": text + "!",  # a token of its own
                    "slots": [asdict(slot) for slot in slot_spans(tokens, tags)],
                    "intents": intents,
                }
                print(json.dumps(item), file=stream)


def _splits(folder):
    for seed, (split, size) in enumerate(SPLITS.items()):
        yield folder / f"{split}.jsonl", Random(seed), size


def make_recipe(model=(), training=(), **more):
    """A `Recipe` over the files that `write_tokenised` or `write_raw` makes.

    Dropout, word dropout, averaging, a schedule and patience are all on.
    """
    from keras_slu.training.recipe import Recipe

    return Recipe.model_validate(
        {
            "name": "tiny-corpus",
            "data": {split: f"{split}.jsonl" for split in SPLITS},
            "model": {**QUICK_MODEL, "dropout": 0.2, **dict(model)},
            "training": {
                "epochs": 12,
                "batch_size": 8,
                "learning_rate": 0.6,  # rectified Adam starts slowly
                "schedule": "cosine",
                "warmup_epochs": 0.5,
                "word_dropout": 0.4,
                "weight_averaging": 0.6,
                "patience": 6,
                **dict(training),
            },
            **more,
        }
    )


def weights_of(run):
    """All weights in a run's model, the optimizer's included, by name."""
    import h5py

    found = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with zipfile.ZipFile(run / "model.keras") as archive:
        with archive.open("model.weights.h5") as stream, h5py.File(stream) as weights:
            weights.visititems(keep)
    return found
