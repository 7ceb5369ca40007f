"""Word pieces are TensorFlow Text's, and stand where they say."""

import unicodedata

import pytest

from keras_slu.data import read
from keras_slu.data.skill_data import read_examples
from keras_slu.errors import InputError
from keras_slu.text.piece_counts import make_piece_vocabulary
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

LATIN = [chr(code) for code in range(33, 127)]
# Lists of pieces that make most characters of any script tell what they fold to.
SAMPLE = [*SPECIAL, *LATIN, *(f"##{c}" for c in LATIN), "你", "##。", "ß", "##ß"]


def theirs(pieces, texts):
    """The ids of `tensorflow_text`, and the character spans of its pieces."""
    tf = pytest.importorskip("tensorflow")
    text = pytest.importorskip("tensorflow_text")
    tokenizer = text.FastBertTokenizer(
        vocab=pieces.vocabulary,
        lower_case_nfd_strip_accents=pieces.lowercase,
        token_out_type=tf.int32,
    )
    return tokenizer.tokenize(texts).to_list()


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character_is_read_as_tensorflow_text_does(lowercase):
    pieces = WordPieces(SAMPLE, lowercase)
    # All but the bulk of the ideographs and the Hangul syllables.
    blocks = (1, 0x3410), (0x9FF0, 0xAC10), (0xD7A0, 0xD800), (0xE000, 0x20010)
    characters = (chr(code) for block in blocks for code in range(*block))
    texts = [
        f"a{character}b"
        for character in characters
        if unicodedata.category(character) not in ("Cn", "Co")
    ]
    assert [pieces.split(text).ids.tolist() for text in texts] == theirs(pieces, texts)


def test_corpora_are_read_as_tensorflow_text_does(shared_data):
    texts = [utterance.text for utterance in read(shared_data("snips/test"))]
    for name, kind in (
        ("zh/chnsenticorp/test.tsv.gz", "classification"),
        ("zh/tnews/dev.jsonl.gz", "classification"),
        ("zh/afqmc/small_dev.jsonl.gz", "pair"),
        ("zh/ocnli/dev.jsonl.gz", "pair"),
        ("zh/cmrc2018/trial.json.gz", "span"),
    ):
        for example in read_examples([shared_data(name)], kind):
            texts += [example.text, getattr(example, "second", "") or ""]
            texts.append(getattr(example, "passage", ""))
    texts = texts[::3]
    vocabulary = make_piece_vocabulary(texts[::2], 4000, min_count=3)
    pieces = WordPieces(vocabulary)
    found = [pieces.split(text).ids.tolist() for text in texts]
    assert found == theirs(pieces, texts)
    assert sum(map(len, found)) > 150_000


def test_pieces_stand_in_the_text():
    pieces = WordPieces([*SPECIAL, "cafe", "un", "##able", "!", "京"])
    text = "Cafe\u0301  UNABLE！京 xyz\u200b…"
    split = pieces.split(text)
    stretches = [
        text[start:end] for start, end in zip(split.starts, split.ends, strict=True)
    ]
    assert stretches[:5] == ["Cafe\u0301", "UN", "ABLE", "！", "京"]
    assert stretches[5] == "xyz\u200b"
    assert stretches[6:] == ["…"] * 3  # three periods, when it is folded
    assert split.words.tolist() == [0, 1, 1, 2, 3, 4, 5, 6, 7]
    assert [token.text for token in pieces.tokenize(text)][1] == "UNABLE"


def test_words_are_split_as_in_a_text():
    pieces = WordPieces([*SPECIAL, "do", "##n", "'", "t", "go"])
    words = ["don't", "go", "\u200b", "x" * 101]
    rows = [row.tolist() for row in pieces.ids(words)]
    assert rows == [[5, 6, 7, 8], [9], [1], [1]]
    assert sum(rows[:2], []) == pieces.split("don't go").ids.tolist()


@pytest.mark.parametrize(
    "first, second, kept",
    [
        ("aaaa", "bb", "aaaa[bb["),
        ("aaaaaa", "bb", "aaaaa[bb["),  # the longer one is cut
        ("aa", "bbbbbb", "aa[bbbbb["),
        ("aaaaaaa", "bbbbbbb", "aaaa[bbb["),  # or both
        ("", "bb", "[bb["),
        ("aa", "", "aa[["),
        ("", "", "[["),
        ("aaaaaaaaaaaa", None, "aaaaaaaa["),
    ],
)
def test_packing(first, second, kept):
    pieces = WordPieces([*SPECIAL, "a", "b"])
    spaced = [None if text is None else " ".join(text) for text in (first, second)]
    packed = pieces.pack(*spaced, max_pieces=10)
    signs = {2: "", 3: "[", 5: "a", 6: "b"}
    assert "".join(signs[piece] for piece in packed.pieces.tolist()) == kept
    end = kept.index("[") + 2
    assert packed.segments.tolist() == [0] * end + [1] * (len(kept) + 1 - end)
    assert packed.starts[0] == packed.ends[-1] == -1
    assert (packed.starts >= 0).tolist() == (packed.pieces > 3).tolist()


def test_a_vocabulary_is_saved_and_a_berts_is_read(tmp_path):
    pieces = WordPieces([*SPECIAL, "A", "\u2028", "京"], lowercase=False)
    pieces.save(tmp_path / "pieces.json")
    again = WordPieces.load(tmp_path / "pieces.json")
    assert again.vocabulary == pieces.vocabulary and not again.lowercase

    (tmp_path / "vocab.txt").write_text("[PAD]\n[unused1]\n[UNK]\n[CLS]\n[SEP]\n[MASK]")
    again = WordPieces.load(tmp_path / "vocab.txt")
    assert again.lowercase and again.pack("x").pieces.tolist() == [3, 2, 4]


@pytest.mark.parametrize(
    "content", ["a\nb\n", "[UNK]\n[PAD]\n[CLS]\n[SEP]\n[MASK]\n", '{"x": 1}', '{"x', ""]
)
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "vocab.txt").write_text(content)
    with pytest.raises(InputError, match="vocab.txt: is no vocabulary|no vocabulary"):
        WordPieces.load(tmp_path / "vocab.txt")


def test_words_that_share_a_character_are_one():
    tokens = WordPieces([*SPECIAL, "a"]).tokenize("好… a℀b")
    assert [token.text for token in tokens] == ["好", "…", "a℀b"]
