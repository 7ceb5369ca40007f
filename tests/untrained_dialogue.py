"""A SHA-LRT that has learned nothing, over the words of `untrained`."""

import numpy as np
from untrained import INTENTS
from untrained import TAGS
from untrained import WORDS

from keras_slu.models import SHALRT
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

MAX_HISTORY = 12


def make_model(**settings):
    random = np.random.default_rng(3)
    settings = {
        "intents": INTENTS,
        "tags": TAGS,
        "embedding_dim": 8,
        "dim": 8,
        "num_layers": 2,
        "refine_after": [1],
        "num_heads": 2,
        "max_history": MAX_HISTORY,
        "max_tokens": 8,
        **settings,
    }
    model = SHALRT(len(WORDS) + 2, **settings)
    for weight in model.trainable_variables:
        weight.assign(0.5 * random.normal(size=weight.shape))
    model.optimizer.build(model.trainable_variables)  # as after training
    model.tokenizer = Tokenizer()
    model.vocabulary = Vocabulary(WORDS)
    return model


def draw_dialogues(random, dialogues=12, turns=6):
    """Dialogues of words that the model knows, some of them too long."""
    from keras_slu.data.utterance import Utterance

    found = []
    for _ in range(dialogues):
        for turn in range(random.integers(1, turns + 1)):
            words = random.choice(WORDS, random.integers(1, 11))
            said = Utterance(" ".join(random.choice(WORDS, 2)))
            found.append(Utterance(" ".join(words), turn=turn, prompts=(said,)))
    return found
