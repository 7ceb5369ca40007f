"""LRM and SLG (Cheng et al. 2022), which several joint models can have."""

from itertools import pairwise

from keras import ops

from keras_slu.layers.layer_refine import LayerRefine
from keras_slu.layers.layer_refine import with_sentence
from keras_slu.layers.sentence_embedder import SENTENCE
from keras_slu.layers.slot_label_generator import SlotLabelGenerator
from keras_slu.layers.slot_label_generator import consistency_losses
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.losses import SlotCrossentropy
from keras_slu.models.joint_model import JointModel


class RefinedModel(JointModel):
    """A joint model around Transformer layers that can have LRM and SLG.

    Hidden states are rows: the sentence's, then the words'. A subclass makes
    `transformer`, a `RelativeEncoder`, and the heads; it makes LRM and SLG
    after them by `_make_refinement`. Its `call` takes `_lower`, and of that
    `_answers` and `_generated`.

    Args: see `JointModel`.
    """

    def _make_refinement(self, settings, dim):
        """Makes what of LRM and SLG is wanted.

        Args:
            settings: dict of the model's arguments, those of `LRT`.
            dim: int. Width of the hidden states.
        """
        self._bounds = (*settings["refine_after"], settings["num_layers"])
        self.is_taught = settings["generator"]
        self.consistency_weight = settings["consistency_weight"]
        self.generator_weight = settings["generator_weight"]
        self.refine = self.generator = None
        if settings["refine_after"]:
            self.refine = LayerRefine(
                dim,
                len(self.intents),
                len(self.tags),
                settings["merge"],
                name="lrm",
                dtype=self.dtype_policy,
            )
        if settings["generator"]:
            self.generator = SlotLabelGenerator(
                len(self.tags),
                dim,
                settings["generator_layers"],
                settings["num_heads"],
                settings["inner_dim"],
                settings["max_distance"],
                settings["dropout"],
                name="slg",
                dtype=self.dtype_policy,
            )
            # No call without labels reaches it.
            self.generator.build((None, None), (None, None, dim))

    def _rows(self, inputs, training):
        """The Transformer's input: the sentence's row, then the words'."""
        if self.reads_pieces:
            words, text = self.encode(inputs, training, return_text=True)
            return ops.concatenate([text[:, None], words], axis=1)
        ids = ops.pad(inputs["token_ids"], [[0, 0], [1, 0]], constant_values=SENTENCE)
        return self.encoder(ids, training=training)

    def _row_mask(self, inputs):
        """The rows that are real, the sentence's among them."""
        words = self.padding_mask(inputs)
        return ops.pad(words, [[0, 0], [1, 0]], constant_values=True)

    def _lower(self, hidden, mask, training):
        """The output of the layers below the first LRM, or of all."""
        return self._run(hidden, mask, training, last=self._bounds[0])

    def _answers(self, lower, mask, training):
        """The logits of intent and slots at the top, with LRM where it comes."""
        hidden = lower
        for below, above in pairwise(self._bounds):
            intent, slots = self._heads(hidden)
            hidden = self.refine(
                hidden, self._likely(intent), softmax(slots), padding_mask=mask
            )
            hidden = self._run(hidden, mask, training, below + 1, above)
        intent, slots = self._heads(hidden)
        return {
            "intent": ops.cast(intent, "float32"),
            "slots": ops.cast(slots, "float32"),
        }

    def _generated(self, inputs, lower, mask, training):
        """The logits of SLG, which reads the layers without LRM, where it is taught."""
        if not training or self.generator is None or "prev_tags" not in inputs:
            return {}
        memory = self._run(lower, mask, training, self._bounds[0] + 1)
        generated = self.generator(
            inputs["prev_tags"],
            memory[:, 1:],
            padding_mask=mask[:, 1:],
            training=training,
        )
        return {"generated": ops.cast(generated, "float32")}

    def _run(self, hidden, mask, training, first=1, last=None):
        return self.transformer(
            hidden, padding_mask=mask, first=first, last=last, training=training
        )

    def _heads(self, hidden):
        """Logits `(batch, intents)` and `(batch, time, tags)`."""
        slots = tokenwise(self.slot_logits, with_sentence(hidden))
        return self.intent_logits(hidden[:, 0]), slots

    def _likely(self, intent):
        is_set = self.intent_head == "sigmoid"
        return ops.sigmoid(intent) if is_set else softmax(intent)

    def own_losses(self, inputs, labels, outputs):
        """The generator's loss, where there were labels to teach it."""
        if "generated" not in outputs:
            return super().own_losses(inputs, labels, outputs)
        generated = outputs["generated"]
        losses = SlotCrossentropy(self.label_smoothing).call(labels["slots"], generated)
        gap = consistency_losses(generated, outputs["slots"], self.padding_mask(inputs))
        return self.generator_weight * (losses + self.consistency_weight * gap)


def checked_layers(refine_after, num_layers, lowest=1):
    """The layers after which LRM comes, in order.

    Args:
        refine_after: iterable of int.
        num_layers: int.
        lowest: int. The least layer that there is; 0 where an encoder of
            another kind stands below layer 1. Defaults to `1`.

    Returns:
        list of int.

    Raises:
        ValueError: for one that is not below another layer.
    """
    layers = sorted(refine_after)
    if any(not lowest <= layer < num_layers for layer in layers):
        raise ValueError(
            f"`refine_after` must name layers from {lowest} to `num_layers` - 1. "
            f"Received: refine_after={layers}, num_layers={num_layers}"
        )
    return layers
