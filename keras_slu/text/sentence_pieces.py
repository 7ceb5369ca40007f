"""Sub-words for translation: a SentencePiece vocabulary."""

import io

from keras_slu.errors import InputError
from keras_slu.files import atomic_path

PADDING = 0
UNKNOWN = 1
START = 2
END = 3


class SentencePieces:
    """A SentencePiece model: from text to ids and back.

    Ids 0 to 3 are padding, unknown, start and end. Needs the package
    sentencepiece, of the extra `translation`.

    Args:
        model: bytes, a serialised SentencePiece model.

    Example:

    >>> lines = ["the red house", "the old house", "a red ball", "an old ball"]
    >>> pieces = SentencePieces.train(lines, size=24)
    >>> ids = pieces.encode("the old ball")
    >>> pieces.decode(ids)
    'the old ball'

    Reference:
        - [Kudo and Richardson, 2018](https://arxiv.org/abs/1808.06226)
    """

    def __init__(self, model):
        self.model = model
        self._processor = _sentencepiece().SentencePieceProcessor(model_proto=model)

    @classmethod
    def train(cls, lines, size):
        """Makes a vocabulary by byte-pair encoding; the same for the same lines.

        Args:
            lines: iterable of str.
            size: int. Number of ids, the first four included.

        Raises:
            InputError: when the lines do not have so many pieces, or have more
                characters.
        """
        model = io.BytesIO()
        try:
            _sentencepiece().SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                vocab_size=size,
                model_type="bpe",
                character_coverage=1.0,
                pad_id=PADDING,
                unk_id=UNKNOWN,
                bos_id=START,
                eos_id=END,
                num_threads=1,
                minloglevel=2,
            )
        except RuntimeError as error:
            raise InputError(
                f"no vocabulary of {size} pieces can be made "
                f"({str(error).splitlines()[-1]})",
                "Set text.vocabulary_size to another number.",
            ) from None
        return cls(model.getvalue())

    def __len__(self):
        return self._processor.get_piece_size()

    @property
    def words(self):
        """The pieces that begin a word, a list of str."""
        pieces = map(self._processor.id_to_piece, range(len(self)))
        return [piece[1:] for piece in pieces if piece[1:] and piece[0] == "\u2581"]

    def encode(self, text):
        """The ids of a text, a list of int, without start and end."""
        return self._processor.encode(text)

    def decode(self, ids):
        """The text of ids; what stands for itself alone, as the end, is left out.

        Args:
            ids: sequence of int.

        Returns:
            str.
        """
        return self._processor.decode([int(i) for i in ids if i not in (PADDING, END)])

    def save(self, path):
        """Writes the model to `path`, atomically."""
        with atomic_path(path) as temporary:
            temporary.write_bytes(self.model)

    @classmethod
    def load(cls, path):
        """Reads what `save` wrote."""
        return cls(path.read_bytes())


def _sentencepiece():
    try:
        import sentencepiece
    except ImportError:
        raise InputError(
            "translation needs the package sentencepiece",
            "Install it: pip install 'keras-slu[translation]'.",
        ) from None
    return sentencepiece
