"""The simplest punctuation model: an encoder and a head."""

import keras

from keras_slu.models.punctuation_model import PunctuationModel


@keras.saving.register_keras_serializable(package="keras_slu")
class PunctuationTagger(PunctuationModel):
    """Finds the mark after each word: an encoder with a head at each token.

    The baselines of `FFA` are made of it, such as a BiLSTM with a linear head
    or with a CRF. A fresh model is built and compiled.

    Args:
        encoder: layer with a `dim`, called with `(token_ids, padding_mask=,
            training=)`, that gives `(batch, time, dim)`.
        marks: list of str. See `PunctuationModel`.
        **kwargs: passed to `PunctuationModel`: `head`, `loss`, `r_drop`,
            `window` and others.

    Call arguments and returns: as `PunctuationModel`.

    Example:

    >>> import numpy as np
    >>> from keras_slu.layers import SelfAttentiveEmbedder
    >>> model = PunctuationTagger(
    ...     SelfAttentiveEmbedder(50, embedding_dim=8, dim=16),
    ...     marks=["O", "COMMA", "PERIOD"])
    >>> token_ids = np.array([[4, 8, 15], [16, 23, 0]])
    >>> outputs = model({"token_ids": token_ids})
    >>> model.decode(outputs, token_ids != 0)["marks"].shape
    TensorShape([2, 3])
    """

    def __init__(self, encoder, marks, **kwargs):
        super().__init__(marks, **kwargs)
        self.encoder = encoder
        self.finish()

    def features(self, token_ids, padding_mask, training=None):
        return self.encoder(token_ids, padding_mask=padding_mask, training=training)

    def get_config(self):
        encoder = keras.saving.serialize_keras_object(self.encoder)
        return {**super().get_config(), "encoder": encoder}
