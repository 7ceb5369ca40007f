"""JointBERT (Chen et al. 2019): two heads on a pretrained encoder."""

import keras
from keras import ops

from keras_slu.encoders.piece_embedder import PieceEmbedder
from keras_slu.layers.relative_encoder import RelativeEncoder
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.models.refined_model import RefinedModel
from keras_slu.models.refined_model import checked_layers


@keras.saving.register_keras_serializable(package="keras_slu")
class JointBERT(RefinedModel):
    """A pretrained encoder, an intent head on its first piece, a slot head on words.

    It can have LRM and SLG of `LRT`, which its paper has not. The encoder is
    then run whole, and LRM comes above it, below Transformer layers of the
    model's own over the first piece and the words (`num_layers`). For encoders
    have no common way to stop halfway, where pieces are not words yet, and
    their pretrained layers expect no embeddings of labels. SLG reads the words
    at the top of these layers, run without LRM. Without any, it reads the
    encoder.

    Both need `slot_head="softmax"`: they and a CRF are there for the same, that
    neighbouring tags fit, and SLG's consistency loss wants a distribution of
    each word's tag alone.

    Args:
        encoder: layer. A pretrained encoder, `HubEncoder` or
            `ModelGardenEncoder`.
        intents, tags: list of str. See `JointModel`.
        dropout: float. Rate, on what both heads see, and on the output of each
            part of the layers of its own. Defaults to `0.1`.
        num_layers: int. Layers above the encoder, as wide as it is. Defaults
            to `0`.
        refine_after: tuple of int. The layers after which LRM comes, 0 for the
            encoder, each below `num_layers`. Defaults to `()`, no LRM.
        generator: bool. Whether training has SLG. Defaults to `False`.
        merge, generator_layers, consistency_weight, generator_weight: see `LRT`.
        num_heads, inner_dim, max_distance: see `RelativeEncoderLayer`; of the
            layers above the encoder and of SLG. Default to `8`, `None`, `16`.
        **kwargs: passed to `JointModel`; `slot_head="softmax"` is the paper's
            first form, `"crf"` the one with a CRF.

    Call arguments and returns: as `JointSLU` with a `PieceEmbedder`; with SLG
    also `prev_tags` and `generated`, see `LRT`.

    Raises:
        ValueError: for LRM or SLG with a CRF, and for layers in `refine_after`
            that are not there.

    Example:

    >>> from keras_slu.encoders.hub import load_hub_encoder
    >>> encoder = load_hub_encoder("bert_tiny_en_uncased")  # doctest: +SKIP
    >>> model = JointBERT(encoder, ["play"], ["O", "B-song"])  # doctest: +SKIP

    Reference:
        - [Chen et al., 2019](https://arxiv.org/abs/1902.10909), equations 1 to 3
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), of LRM and SLG
    """

    reads_pieces = True

    def __init__(
        self,
        encoder,
        intents,
        tags,
        dropout=0.1,
        num_layers=0,
        refine_after=(),
        merge="sum",
        generator=False,
        generator_layers=1,
        consistency_weight=0.1,
        generator_weight=0.5,
        num_heads=8,
        inner_dim=None,
        max_distance=16,
        **kwargs,
    ):
        super().__init__(intents, tags, **kwargs)
        refine_after = checked_layers(refine_after, num_layers, lowest=0)
        if self.crf is not None and (refine_after or generator):
            raise ValueError(
                "`refine_after` and `generator` need `slot_head='softmax'`. Received: "
                f"refine_after={refine_after}, generator={generator}, slot_head='crf'"
            )
        self._settings = {
            "dropout": dropout,
            "num_layers": num_layers,
            "refine_after": refine_after,
            "merge": merge,
            "generator": generator,
            "generator_layers": generator_layers,
            "consistency_weight": consistency_weight,
            "generator_weight": generator_weight,
            "num_heads": num_heads,
            "inner_dim": inner_dim,
            "max_distance": max_distance,
        }
        dtype = self.dtype_policy
        self.encoder = PieceEmbedder(encoder, dropout=dropout, dtype=dtype)
        self.intent_logits = keras.layers.Dense(
            len(self.intents), dtype=dtype, name="intent"
        )
        self.slot_logits = keras.layers.Dense(len(self.tags), dtype=dtype, name="slots")
        self.transformer = None
        if num_layers:
            self.transformer = RelativeEncoder(
                encoder.dim,
                num_layers,
                num_heads,
                inner_dim,
                max_distance,
                dropout,
                name="transformer",
                dtype=dtype,
            )
        self._make_refinement(self._settings, encoder.dim)
        self.finish()

    def call(self, inputs, training=None):
        mask = self._row_mask(inputs)
        lower = self._lower(self._rows(inputs, training), mask, training)
        outputs = self._answers(lower, mask, training)
        if self.crf is not None:
            slots = self.crf(outputs["slots"], padding_mask=self.padding_mask(inputs))
            outputs["slots"] = ops.cast(slots, "float32")
        return {**outputs, **self._generated(inputs, lower, mask, training)}

    def _run(self, hidden, mask, training, first=1, last=None):
        if self.transformer is None:
            return hidden
        return super()._run(hidden, mask, training, first, last)

    def _heads(self, hidden):
        slots = tokenwise(self.slot_logits, hidden[:, 1:])
        return self.intent_logits(hidden[:, 0]), slots

    def get_config(self):
        encoder = keras.saving.serialize_keras_object(self.encoder.encoder)
        return {**super().get_config(), **self._settings, "encoder": encoder}
