"""Models that have learned nothing: answers are varied, and one costs a second."""

import keras

from keras_slu.models import HAN
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

INTENTS = ["", "book", "book#play", "play"]
TAGS = ["O", "B-city", "I-city", "B-song", "I-song", "B-a-b#c"]
WORDS = [*"play book the hey jude rome 听 歌 שלום 😀 . ! zoë".split(), "\te", "\t00"]


def make_model(**settings):
    keras.utils.set_random_seed(3)
    settings = {
        "intents": INTENTS,
        "tags": TAGS,
        "embedding_dim": 8,
        "dim": 8,
        "num_layers": 1,
        "max_tokens": 16,
        **settings,
    }
    return made_bold(HAN(len(WORDS) + 2, **settings))


def made_bold(model, factor=4.0):
    """Gives a fresh model over `WORDS` bolder answers, and its text side."""
    # Larger weights make bolder answers, and so more slots.
    for weight in model.trainable_variables:
        weight.assign(factor * weight)
    model.optimizer.build(model.trainable_variables)  # as after training
    model.tokenizer = Tokenizer()
    model.vocabulary = Vocabulary(WORDS)
    return model
