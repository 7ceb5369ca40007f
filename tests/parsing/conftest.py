"""Parsers of models that have learned nothing: their answers are varied."""

import pytest


@pytest.fixture(scope="session")
def crf_model():
    from untrained import make_model

    return make_model()


@pytest.fixture(scope="session", params=["crf", "softmax"])
def parser(request, crf_model):
    from untrained import make_model

    from keras_slu.parsing import Parser

    if request.param == "crf":
        return Parser(crf_model)
    # Its tags keep to no rule: I- after O, or after another slot.
    return Parser(make_model(slot_head="softmax", interaction=False))
