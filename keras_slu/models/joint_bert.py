"""JointBERT (Chen et al. 2019): two heads on a pretrained encoder."""

import keras
from keras import ops

from keras_slu.encoders.piece_embedder import PieceEmbedder
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.models.joint_model import JointModel


@keras.saving.register_keras_serializable(package="keras_slu")
class JointBERT(JointModel):
    """A pretrained encoder, an intent head on its first piece, a slot head on words.

    Args:
        encoder: layer. A pretrained encoder, `HubEncoder` or
            `ModelGardenEncoder`.
        intents, tags: list of str. See `JointModel`.
        dropout: float. Rate, on what both heads see. Defaults to `0.1`.
        **kwargs: passed to `JointModel`; `slot_head="softmax"` is the paper's
            first form, `"crf"` the one with a CRF.

    Call arguments and returns: as `JointSLU` with a `PieceEmbedder`.

    Example:

    >>> from keras_slu.encoders.hub import load_hub_encoder
    >>> encoder = load_hub_encoder("bert_tiny_en_uncased")  # doctest: +SKIP
    >>> model = JointBERT(encoder, ["play"], ["O", "B-song"])  # doctest: +SKIP

    Reference:
        - [Chen et al., 2019](https://arxiv.org/abs/1902.10909), equations 1 to 3
    """

    reads_pieces = True

    def __init__(self, encoder, intents, tags, dropout=0.1, **kwargs):
        super().__init__(intents, tags, **kwargs)
        dtype = self.dtype_policy
        self.encoder = PieceEmbedder(encoder, dropout=dropout, dtype=dtype)
        self.intent_logits = keras.layers.Dense(
            len(self.intents), dtype=dtype, name="intent"
        )
        self.slot_logits = keras.layers.Dense(len(self.tags), dtype=dtype, name="slots")
        self._settings = {"dropout": dropout}
        self.finish()

    def call(self, inputs, training=None):
        words, text = self.encoder(
            inputs["token_ids"],
            padding_mask=inputs["padding_mask"],
            word_starts=inputs["word_starts"],
            training=training,
            return_text=True,
        )
        potentials = tokenwise(self.slot_logits, words)  # (batch, words, tags)
        if self.crf is not None:
            potentials = self.crf(potentials, padding_mask=self.padding_mask(inputs))
        return {
            "intent": ops.cast(self.intent_logits(text), "float32"),
            "slots": ops.cast(potentials, "float32"),
        }

    def get_config(self):
        encoder = keras.saving.serialize_keras_object(self.encoder.encoder)
        return {**super().get_config(), **self._settings, "encoder": encoder}
