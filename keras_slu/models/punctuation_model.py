"""What all punctuation models are: a head, losses, decoding, saving."""

import keras
from keras import ops

from keras_slu.layers.crf import CRF
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise
from keras_slu.losses import FocalCrossentropy
from keras_slu.losses import SlotCrossentropy
from keras_slu.losses import UtteranceMean
from keras_slu.losses import symmetric_divergence
from keras_slu.optimizers import RectifiedAdam
from keras_slu.text.assets import load_text_side
from keras_slu.text.assets import save_text_side
from keras_slu.text.piece_vocabulary import PieceVocabulary

HEADS = ("softmax", "crf")
LOSSES = ("crossentropy", "focal")


class PunctuationModel(keras.Model):
    """The part of a punctuation model that does not depend on its architecture.

    A subclass makes its layers, calls `finish` as the last thing in its
    `__init__`, and has a `features`.

    Args:
        marks: list of str. The head's classes, `"O"` (no mark) first, then
            names such as `"COMMA"`.
        head: str. `"softmax"` or `"crf"`. Defaults to `"softmax"`.
        loss: str. Of a softmax head: `"crossentropy"` or `"focal"`. Defaults
            to `"crossentropy"`.
        gamma: float. The focal loss's. Defaults to `2.0`.
        r_drop: float. Weight `a` of R-Drop, which a CRF cannot have. Training
            then runs the model twice, with different dropout, and the loss is
            `1/2 (l(p) + l(q)) + a/2 (KL(p || q) + KL(q || p))`, the divergence
            summed over real tokens. Defaults to `0.0`.
        window: int. How many tokens the model reads at once. Defaults to `64`.
        **kwargs: passed to `keras.Model`.

    Call arguments:
        inputs: dict with `token_ids`, int32 `(batch, time)`, 0 at padding,
            right-padded; no row all padding.
        training: bool.

    Returns:
        dict with `marks`, logits or potentials `(batch, time, marks)`,
        float32. `decode` makes answers of them. Labels are int
        `(batch, time)` under the same name, -1 where a token ends no word.

    Attributes:
        tokenizer, vocabulary: `Tokenizer` and `Vocabulary`, or `None`: what
            makes token ids of text. They are saved with the model. With a
            `WindowEncoder` the vocabulary is a `PieceVocabulary`, and a word's
            mark is found at its last piece.

    Reference:
        - [Liang et al., 2021](https://arxiv.org/abs/2106.14448), for R-Drop
    """

    def __init__(
        self,
        marks,
        head="softmax",
        loss="crossentropy",
        gamma=2.0,
        r_drop=0.0,
        window=64,
        **kwargs,
    ):
        super().__init__(**kwargs)
        for name, value, known in (("head", head, HEADS), ("loss", loss, LOSSES)):
            if value not in known:
                raise ValueError(
                    f"`{name}` must be one of {known}. Received: {value!r}"
                )
        if head == "crf" and (loss != "crossentropy" or r_drop):
            raise ValueError(
                "A CRF has a loss of its own and no R-Drop. "
                f"Received: loss={loss!r}, r_drop={r_drop}"
            )
        self.marks = list(marks)
        self.head = head
        self.loss_name = loss
        self.gamma = gamma
        self.r_drop = r_drop
        self.window = window
        self.tokenizer = None
        self.vocabulary = None
        dtype = self.dtype_policy
        self.logits = keras.layers.Dense(len(self.marks), dtype=dtype, name="marks")
        self.crf = None
        if head == "crf":
            self.crf = CRF(len(self.marks), dtype=dtype, name="crf")
        self.utterance_mean = UtteranceMean()

    @property
    def reads_pieces(self):
        """Whether a pretrained encoder reads the text, in pieces of its own."""
        return isinstance(self.vocabulary, PieceVocabulary)

    @property
    def max_tokens(self):
        """How many tokens are read at once; longer texts take several windows."""
        return self.window

    @property
    def margin(self):
        """How many tokens a window sees on each side of those it decides."""
        return self.window // 4

    @property
    def core(self):
        """How many tokens a window decides."""
        return self.window - 2 * self.margin

    def finish(self):
        """Builds and compiles the model."""
        self({"token_ids": keras.KerasTensor((None, None), dtype="int32")})
        self.compile(optimizer=RectifiedAdam(), jit_compile=False)

    def build(self, input_shape=None):
        pass  # everything is built on construction

    def call(self, inputs, training=None):
        mask = self.padding_mask(inputs)
        hidden = self.features(inputs["token_ids"], mask, training)
        potentials = tokenwise(self.logits, hidden)  # (batch, time, marks)
        if self.crf is not None:
            potentials = self.crf(potentials, padding_mask=mask)
        return {"marks": ops.cast(potentials, "float32")}

    def features(self, token_ids, padding_mask, training=None):
        """What the head sees, `(batch, time, features)`."""
        raise NotImplementedError

    def padding_mask(self, inputs):
        """The tokens that are real, bool `(batch, time)`."""
        return ops.not_equal(inputs["token_ids"], 0)

    def window_losses(self, inputs, labels, outputs):
        """The loss of each window, `(batch,)`, without R-Drop."""
        if self.crf is not None:
            return self.crf.negative_log_likelihood(
                outputs["marks"], labels["marks"], self.padding_mask(inputs)
            )
        loss = SlotCrossentropy()
        if self.loss_name == "focal":
            loss = FocalCrossentropy(self.gamma)
        return loss.call(labels["marks"], outputs["marks"])

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        losses = self.window_losses(x, y, y_pred)
        if self.r_drop and training:
            again = self(x, training=True)
            losses = 0.5 * (losses + self.window_losses(x, y, again))
            losses = losses + self.r_drop * symmetric_divergence(
                y_pred["marks"], again["marks"], self.padding_mask(x)
            )
        # Keras turns the one array of `fit(x, y, weights)` into a dict.
        if isinstance(sample_weight, dict):
            sample_weight = sample_weight.get("marks")
        return self.utterance_mean(losses, losses, sample_weight)

    def decode(self, outputs, padding_mask=None):
        """Makes answers of the outputs of `call`.

        Args:
            outputs: dict, what `call` gave.
            padding_mask: bool tensor `(batch, time)`, true at real tokens, or
                `None` when all are real.

        Returns:
            dict: `marks` `(batch, time)` int32, the most probable marks, -1 at
            padding, and `probabilities` `(batch, time, marks)`.
        """
        scores = outputs["marks"]
        if padding_mask is None:
            padding_mask = ops.ones(ops.shape(scores)[:2], "bool")
        if self.crf is not None:
            marks = self.crf.decode(scores, padding_mask)
            probabilities = self.crf.marginals(scores, padding_mask)
        else:
            probabilities = softmax(scores)
            _, marks = ops.top_k(probabilities, 1)
            marks = ops.where(padding_mask, ops.cast(marks[..., 0], "int32"), -1)
        return {"marks": marks, "probabilities": probabilities}

    def save_assets(self, folder):
        save_text_side(self, folder)

    def load_assets(self, folder):
        load_text_side(self, folder, self.window + 2)

    def get_config(self):
        return {
            "name": self.name,
            "dtype": keras.saving.serialize_keras_object(self.dtype_policy),
            "marks": self.marks,
            "head": self.head,
            "loss": self.loss_name,
            "gamma": self.gamma,
            "r_drop": self.r_drop,
            "window": self.window,
        }

    @classmethod
    def from_config(cls, config):
        made = keras.saving.deserialize_keras_object
        return cls(
            **{n: made(v) if isinstance(v, dict) else v for n, v in config.items()}
        )
