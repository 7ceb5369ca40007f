"""Tasks about sentences, made of questions about passages or of plain texts."""

import numpy as np

from keras_slu.data.examples import TextExample
from keras_slu.text.sentences import sentence_spans

NEXT = ("other", "next")  # labels of `next_sentences`
CONTAINS = ("0", "1")  # labels of `answer_sentences`


def answer_sentences(questions):
    """Asks of each sentence of a passage whether it holds an answer.

    A sentence holds an answer if it has the answer's first character.

    Args:
        questions: list of `Question`.

    Returns:
        list of `TextExample`, the question first and a sentence second, with
        the label `"1"` or `"0"`, in the order of the passages.
    """
    return [
        TextExample(
            question.text,
            question.passage[start:end],
            CONTAINS[any(start <= a.start < end for a in question.answers)],
            question.origin,
        )
        for question in questions
        for start, end in sentence_spans(question.passage)
    ]


def next_sentences(texts, seed=0):
    """Makes pairs of sentences of which half follow each other.

    The other half have a sentence of another text as the second, so a text of
    one sentence gives none.

    Args:
        texts: list of str, of two or more with two sentences.
        seed: int. Of what is drawn. Defaults to `0`.

    Returns:
        list of `TextExample` with the labels `"next"` and `"other"`.

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), A.1
    """
    random = np.random.default_rng(seed)
    split = [[text[a:b] for a, b in sentence_spans(text)] for text in texts]
    split = [sentences for sentences in split if len(sentences) > 1]
    examples = []
    for place, sentences in enumerate(split):
        for first, second in zip(sentences, sentences[1:], strict=False):
            is_next = len(split) < 2 or random.random() < 0.5
            if not is_next:
                other = (place + random.integers(1, len(split))) % len(split)
                second = str(random.choice(split[other]))
            examples.append(TextExample(first, second, NEXT[is_next]))
    return examples
