"""A user's own functional model with a CRF, in one call."""

import keras
from keras import ops

from keras_slu.layers.crf import CRF
from keras_slu.losses import UtteranceMean


@keras.saving.register_keras_serializable(package="keras_slu")
class CRFTagger(keras.Model):
    """Puts a CRF behind a functional model and trains both with `fit`.

    The CRF owns its transitions and computes the loss, so `compile` takes an
    optimizer and no loss, and nothing of the CRF is in the compile config.

    Args:
        inputs: the functional model's input, `keras.Input` or a structure.
        outputs: its output, potentials `(batch, time, tags)`.
        padding_mask: bool `KerasTensor` `(batch, time)` computed from
            `inputs`, true at real tokens, each row a prefix. Defaults to
            `None`: the implicit Keras mask of `outputs`, such as
            `Embedding(mask_zero=True)` starts, or else no padding.
        tags: list of str, or `None`. BIO names; given, tag sequences that BIO
            forbids have probability zero. Defaults to `None`.
        **kwargs: passed to `keras.Model`.

    Call arguments:
        inputs: as the functional model takes them.

    Returns:
        Potentials, float32 `(batch, time, tags)`. Tags come from
        `predict_tags`. In `fit`, labels are int `(batch, time)`: at real
        tokens -1 stands for any tag, at padding they are not read.

    Example:

    >>> import tempfile
    >>> import numpy as np
    >>> token_ids = keras.Input((None,), dtype="int32")
    >>> hidden = keras.layers.Embedding(50, 8, mask_zero=True)(token_ids)
    >>> hidden = keras.layers.Bidirectional(
    ...     keras.layers.LSTM(8, return_sequences=True))(hidden)
    >>> tagger = CRFTagger(token_ids, keras.layers.Dense(3)(hidden),
    ...                    tags=["O", "B-city", "I-city"])
    >>> tagger.compile(optimizer="adam")
    >>> x, y = np.array([[4, 8, 15], [16, 23, 0]]), np.array([[0, 1, 2], [0, 0, 0]])
    >>> history = tagger.fit(x, y, verbose=0)
    >>> path = f"{tempfile.mkdtemp()}/tagger.keras"
    >>> tagger.save(path)
    >>> reloaded = keras.models.load_model(path)
    >>> history = reloaded.fit(x, y, verbose=0)
    >>> reloaded.predict_tags(x).shape
    (2, 3)

    Reference:
        - [Lample et al., 2016](https://arxiv.org/abs/1603.01360)
    """

    def __init__(self, inputs, outputs, padding_mask=None, tags=None, **kwargs):
        super().__init__(**kwargs)
        if padding_mask is None:
            padding_mask = getattr(outputs, "_keras_mask", None)
        self.tags = tags
        self.has_mask = padding_mask is not None
        results = {"potentials": outputs}
        if self.has_mask:
            results["padding_mask"] = padding_mask
        self.body = keras.Model(inputs, results, name="body")
        # The mask alone, without running the body. In a closure Keras does
        # not see it, and so saves no layer twice.
        mask_alone = keras.Model(inputs, padding_mask) if self.has_mask else None
        self._mask_of = lambda x: mask_alone(x) if mask_alone is not None else None
        self.crf = CRF(outputs.shape[-1], tags=tags, name="crf")
        self.crf.build(outputs.shape)
        self.utterance_mean = UtteranceMean()

    def build(self, input_shape=None):
        pass  # the parts are built on construction

    def call(self, inputs, training=None):
        potentials = self.body(inputs, training=training)["potentials"]
        return self.crf(potentials)

    def compute_output_spec(self, inputs, training=None):
        return self.crf.compute_output_spec(self.body.output["potentials"])

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        losses = self.crf.negative_log_likelihood(y_pred, y, self._mask_of(x))
        return self.utterance_mean(losses, losses, sample_weight)

    def predict_tags(self, inputs):
        """Gives the most probable tags.

        Args:
            inputs: as `call` takes them.

        Returns:
            int32 array `(batch, time)`, -1 at padding.
        """
        inputs = keras.tree.map_structure(ops.convert_to_tensor, inputs)
        tags = self.crf.decode(self(inputs, training=False), self._mask_of(inputs))
        return ops.convert_to_numpy(tags)

    def get_config(self):
        return {
            "name": self.name,
            "body": keras.saving.serialize_keras_object(self.body),
            "tags": self.tags,
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        body = keras.saving.deserialize_keras_object(config.pop("body"))
        results = body.output
        return cls(
            body.input,
            results["potentials"],
            padding_mask=results.get("padding_mask"),
            **config,
        )
