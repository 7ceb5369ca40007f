"""What every recipe says, whatever is trained."""

import hashlib
import json
from typing import Annotated
from typing import Literal

from pydantic import Field

from keras_slu.training.settings import AboveZero
from keras_slu.training.settings import Positive
from keras_slu.training.settings import Rate
from keras_slu.training.settings import Settings

MAX_SEED = 2**32 - 1  # NumPy's
DEFAULTS = 1  # to be raised when a default changes: it changes every hash
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class WordVectors(Settings):
    """Pretrained word vectors in GloVe's text format."""

    path: str
    # Words that training lacks may come up later: "all" keeps their vectors,
    # "training" keeps the model small.
    keep: Literal["all", "training"] = "all"
    # "start": what the trained embedding starts from; "static": a channel of
    # its own beside it, which training leaves alone.
    use: Literal["start", "static"] = "start"


class WordText(Settings):
    """What a model knows words by."""

    lowercase: bool = True
    min_count: Positive = 1
    extra_words: str | None = None  # a file of words to know, one a line
    # A word that is not known is taken for one with its ending, of so many
    # characters at most; 0: for the unknown word.
    longest_ending: Annotated[int, Field(ge=0, le=8)] = 0
    word_vectors: WordVectors | None = None


class Text(WordText):
    """How text becomes token ids."""

    # "auto": the one that finds the tokens of data that come tokenised, else unicode.
    tokenizer: Literal["auto", "unicode", "whitespace"] = "auto"
    max_tokens: Positive = 128


class Training(Settings):
    """How the model is trained."""

    epochs: Positive = 30
    batch_size: Positive = 32
    # adamw is adam by its usual name: weight decay is decoupled in all of them.
    optimizer: Literal["radam", "adam", "adamw"] = "radam"
    learning_rate: AboveZero = 0.001
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    warmup_epochs: Annotated[float, Field(ge=0.0)] = 0.0
    weight_decay: Annotated[float, Field(ge=0.0)] = 0.0
    clip_norm: AboveZero | None = 5.0
    word_dropout: Rate = 0.0
    # The share of slots that get, in each epoch, a value from elsewhere.
    slot_exchange: Rate = 0.0
    # Decay of an exponential average of the weights, which is what is scored
    # and kept; null for none.
    weight_averaging: Annotated[float, Field(gt=0.0, lt=1.0)] | None = None
    patience: Positive | None = None  # epochs without a better dev score
    strategy: Literal["auto", "one_device", "mirrored"] = "auto"
    precision: Literal["float32", "mixed_float16", "mixed_bfloat16"] = "float32"


class BaseRecipe(Settings):
    """What a training of any task needs."""

    name: Annotated[str, Field(pattern=NAME)]
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 1
    training: Training = Training()

    def digest(self):
        """A short hash of all that shapes the result, except the seed.

        Only what differs from its default counts, so that a key that recipes
        get later leaves the hash of the older ones as it was.
        """
        content = self.model_dump(exclude={"name", "seed"}, exclude_defaults=True)
        content["defaults"] = DEFAULTS
        dumped = json.dumps(content, sort_keys=True)
        return hashlib.sha256(dumped.encode()).hexdigest()[:12]
