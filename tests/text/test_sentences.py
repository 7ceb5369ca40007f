"""Sentences of Chinese and English text."""

import pytest

from keras_slu.text.sentences import sentence_spans


@pytest.mark.parametrize(
    "text, sentences",
    [
        ("一。二！三", ["一。", "二！", "三"]),
        ("他问：“谁？”没人答。", ["他问：“谁？”", "没人答。"]),
        ("It is 3.5. Dr. No said \"no.\" Yes!",
         ["It is 3.5.", "Dr.", 'No said "no."', "Yes!"]),
        ("a\n\n b ", ["a", "b"]),
        ("。。。", ["。。。"]),
        ("  ", []),
    ],
)  # fmt: skip
def test_sentences(text, sentences):
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences
