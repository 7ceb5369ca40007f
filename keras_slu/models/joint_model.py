"""What all joint models are: labels, losses, decoding, saving."""

import keras
from keras import ops

from keras_slu.layers.calibration import Calibration
from keras_slu.layers.crf import CRF
from keras_slu.layers.softmax import softmax
from keras_slu.losses import IntentCrossentropy
from keras_slu.losses import IntentSetCrossentropy
from keras_slu.losses import SlotCrossentropy
from keras_slu.losses import UtteranceMean
from keras_slu.models.slot_confidence import least_probability
from keras_slu.optimizers import RectifiedAdam
from keras_slu.text.assets import load_text_side
from keras_slu.text.assets import save_text_side

TINY = 1e-7  # the least probability that a loss tells from none
SLOT_HEADS = ("crf", "softmax")
PIECE_INPUTS = ("token_ids", "padding_mask", "word_starts")
INTENT_LOSSES = {"softmax": IntentCrossentropy, "sigmoid": IntentSetCrossentropy}


class JointModel(keras.Model):
    """The part of a joint model that does not depend on its architecture.

    A subclass makes its layers, calls `finish` as the last thing in its
    `__init__`, and has a `call` that gives `intent` and `slots`.

    Args:
        intents: list of str. The intent head's classes. Of a softmax, a class
            of several intents at once is written `"a#b"`, no intent `""`; of a
            sigmoid, each is one intent.
        tags: list of str. The slot head's BIO tags.
        intent_head: str. `"softmax"`: an utterance has one of the classes;
            labels are int `(batch,)`. `"sigmoid"`: it has any number of them;
            labels are `(batch, intents)` of 0 and 1. Defaults to `"softmax"`.
        slot_head: str. `"crf"` or `"softmax"`. Defaults to `"crf"`.
        slot_loss_weight: float. Weight of the slot loss; the intent loss has
            1. Defaults to `1.0`.
        label_smoothing: float. Of the intent loss, and of the slot loss of a
            softmax head. Defaults to `0.0`.
        max_tokens: int. Longest utterance; everything that makes token ids
            cuts there and says so. Defaults to `128`.
        **kwargs: passed to `keras.Model`.

    Attributes:
        tokenizer, vocabulary: `Tokenizer` and `Vocabulary`, or `None`: what
            makes token ids of text. They are saved with the model.
        calibration: `Calibration`, saved with the model too.
        is_taught: bool. Whether training feeds it gold labels, see
            `TrainingBatches`.
        reads_pieces: bool. Whether its encoder is a `PieceEmbedder`: then the
            inputs are `token_ids` and `padding_mask` `(batch, pieces)` and
            `word_starts` `(batch, words)`, -1 at padding.
        max_history: int. Rows of a dialogue's history that it takes, see
            `keras_slu.models.dialogue_state`; 0 when it takes none.
        system_turns: bool. Whether what the system says joins the history.
    """

    is_taught = False
    reads_pieces = False
    max_history = 0
    system_turns = False

    def __init__(
        self,
        intents,
        tags,
        intent_head="softmax",
        slot_head="crf",
        slot_loss_weight=1.0,
        label_smoothing=0.0,
        max_tokens=128,
        **kwargs,
    ):
        super().__init__(**kwargs)
        for name, head, known in (
            ("intent_head", intent_head, tuple(INTENT_LOSSES)),
            ("slot_head", slot_head, SLOT_HEADS),
        ):
            if head not in known:
                raise ValueError(f"`{name}` must be one of {known}. Received: {head!r}")
        self.intents = list(intents)
        self.tags = list(tags)
        self.intent_head = intent_head
        self.slot_head = slot_head
        self.slot_loss_weight = slot_loss_weight
        self.label_smoothing = label_smoothing
        self.max_tokens = max_tokens
        self.tokenizer = None
        self.vocabulary = None

        dtype = self.dtype_policy
        self.crf = None
        if slot_head == "crf":
            self.crf = CRF(len(self.tags), tags=self.tags, dtype=dtype, name="crf")
        self.utterance_mean = UtteranceMean()
        self.calibration = Calibration(intent_head, dtype=dtype, name="calibration")
        self.calibration.build()

    def finish(self):
        """Builds and compiles the model."""
        names = PIECE_INPUTS if self.reads_pieces else ("token_ids",)
        self({name: keras.KerasTensor((None, None), dtype="int32") for name in names})
        self.compile(
            optimizer=RectifiedAdam(),
            loss=self.default_loss(),
            jit_compile=False,
        )

    def default_loss(self):
        """The losses to compile with.

        A CRF computes its own loss, which `compute_loss` adds: it depends on
        the transitions, not on the outputs alone.
        """
        slots = None
        if self.crf is None:
            slots = SlotCrossentropy(self.label_smoothing, self.slot_loss_weight)
        intent = INTENT_LOSSES[self.intent_head](self.label_smoothing)
        return {"intent": intent, "slots": slots}

    def own_losses(self, inputs, labels, outputs):
        """The losses that are not compiled, weighed, `(batch,)`, or `None`."""
        if self.crf is None:
            return None
        losses = self.crf.negative_log_likelihood(
            outputs["slots"], labels["slots"], self.padding_mask(inputs)
        )
        return self.slot_loss_weight * losses

    def build(self, input_shape=None):
        pass  # everything is built on construction

    def padding_mask(self, inputs):
        """The words that are real, bool `(batch, words)`."""
        if self.reads_pieces:
            return inputs["word_starts"] >= 0
        return ops.not_equal(inputs["token_ids"], 0)

    def encode(self, inputs, training=None, **kwargs):
        """What the encoder makes of the words, `(batch, words, dim)`.

        Other arguments are passed to the encoder.
        """
        if self.reads_pieces:
            return self.encoder(
                inputs["token_ids"],
                padding_mask=inputs["padding_mask"],
                word_starts=inputs["word_starts"],
                training=training,
                **kwargs,
            )
        return self.encoder(
            inputs["token_ids"],
            padding_mask=self.padding_mask(inputs),
            training=training,
            **kwargs,
        )

    def attention_scores(self, inputs):
        """Gives the attention between intent and slots, to look at.

        Args:
            inputs: dict, as for `call`.

        Returns:
            list, for each attention layer the pair `(intent, slots)` of
            `(batch, time, time)` tensors: queries of that side by keys of the
            other. Empty when there is no attention.
        """
        return []

    def taught_losses(self, inputs, labels, outputs):
        """The cross-entropy with a teacher's labels, `(batch,)`.

        Args:
            inputs, outputs: dicts, as `call` takes and gives them.
            labels: dict with `soft_intent` `(batch, intents)` and `soft_slots`
                `(batch, time, tags)`, probabilities, 0 at padding, and
                `soft_weight` `(batch,)`, a factor.

        The slots' is that of each token's tag, for a CRF its marginal
        probability; it has the factor `slot_loss_weight` too.

        Reference:
            - [Hinton et al., 2015](https://arxiv.org/abs/1503.02531)
        """
        intent, slots = outputs["intent"], outputs["slots"]
        if self.intent_head == "sigmoid":
            losses = ops.softplus(intent) - labels["soft_intent"] * intent
        else:
            losses = -labels["soft_intent"] * ops.log_softmax(intent, axis=-1)
        if self.crf is not None:
            marginals = self.crf.marginals(slots, self.padding_mask(inputs))
            likely = ops.log(ops.maximum(marginals, TINY))
        else:
            likely = ops.log_softmax(slots, axis=-1)
        of_slots = -ops.sum(labels["soft_slots"] * likely, axis=(1, 2))
        of_slots = self.slot_loss_weight * of_slots
        return labels["soft_weight"] * (ops.sum(losses, axis=-1) + of_slots)

    def utterance_losses(self, inputs, labels, outputs):
        """Gives the loss of each utterance, `(batch,)`, as training weighs it."""
        losses = [
            loss.call(labels[name], outputs[name])
            for name, loss in self.default_loss().items()
            if loss is not None
        ]
        own = self.own_losses(inputs, labels, outputs)
        return sum(losses) if own is None else sum(losses) + own

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        compiled = {name: y_pred[name] for name in ("intent", "slots")}
        labels = {name: y[name] for name in compiled}
        loss = super().compute_loss(x, labels, compiled, sample_weight, training)
        own = self.own_losses(x, y, y_pred)
        if "soft_weight" in y:
            taught = self.taught_losses(x, y, y_pred)
            own = taught if own is None else own + taught
        if own is None:
            return loss
        # Keras turns the one array of `fit(x, y, weights)` into a dict.
        if isinstance(sample_weight, dict):
            sample_weight = sample_weight.get("slots")
        return loss + self.utterance_mean(own, own, sample_weight)

    def decode(self, outputs, padding_mask=None):
        """Makes answers of the outputs of `call`, calibrated.

        Args:
            outputs: dict, what `call` gave.
            padding_mask: bool tensor `(batch, time)`, true at real tokens, or
                `None` when all are real.

        Returns:
            dict: `intent_probabilities` `(batch, intents)`; `tags`
            `(batch, time)` int32, the most probable sequence, -1 at padding;
            `slot_confidence` `(batch, time)`, the probability of exactly the
            span that a token's tag belongs to (CRF), or the least probability
            of the span's tokens (softmax); `is_unknown` `(batch,)` bool; with
            a sigmoid `intent_active` `(batch, intents)` bool. See
            `Calibration` for what is done to the probabilities.
        """
        potentials = outputs["slots"]
        if padding_mask is None:
            padding_mask = ops.ones(ops.shape(potentials)[:2], "bool")
        if self.crf is not None:
            tags, confidence = self.crf.decode_with_confidence(potentials, padding_mask)
        else:
            probabilities = softmax(potentials)
            best, tags = ops.top_k(probabilities, 1)
            tags = ops.where(padding_mask, ops.cast(tags[..., 0], "int32"), -1)
            confidence = least_probability(best[..., 0], tags, self.tags)
        return {"tags": tags, **self.calibration(outputs["intent"], confidence)}

    def save_assets(self, folder):
        save_text_side(self, folder)

    def load_assets(self, folder):
        max_pieces = self.encoder.encoder.max_pieces if self.reads_pieces else None
        load_text_side(self, folder, max_pieces)

    def get_config(self):
        config = {
            "name": self.name,
            "dtype": keras.saving.serialize_keras_object(self.dtype_policy),
            "intents": self.intents,
            "tags": self.tags,
            "slot_head": self.slot_head,
            "slot_loss_weight": self.slot_loss_weight,
            "label_smoothing": self.label_smoothing,
            "max_tokens": self.max_tokens,
        }
        if self.intent_head != "softmax":  # which models had before there was one
            config["intent_head"] = self.intent_head
        return config

    @classmethod
    def from_config(cls, config):
        def made(value):
            if isinstance(value, list):
                return [made(part) for part in value]
            if isinstance(value, dict):
                return keras.saving.deserialize_keras_object(value)
            return value

        return cls(**{name: made(value) for name, value in config.items()})
