"""A punctuation model that has learned nothing: its answers are varied."""

import keras

from keras_slu.layers import SelfAttentiveEmbedder
from keras_slu.models import FFA
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

MARKS = ["O", "COMMA", "PERIOD", "QUESTION"]
WORDS = "so what happened next nobody knows i don t 3 5 听 歌 שלום zoë u s".split()


def make_model(**settings):
    keras.utils.set_random_seed(5)
    encoder = SelfAttentiveEmbedder(len(WORDS) + 2, embedding_dim=8, dim=8)
    model = FFA(encoder, MARKS, **{"num_heads": 2, "window": 16, **settings})
    # Larger weights make bolder answers, and so more marks.
    for weight in model.trainable_variables:
        weight.assign(4.0 * weight)
    model.optimizer.build(model.trainable_variables)  # as after training
    model.tokenizer = Tokenizer()
    model.vocabulary = Vocabulary(WORDS)
    return model
