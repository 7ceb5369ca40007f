"""Reads the JSON of SQuAD: passages, questions and where the answers are."""

from keras_slu.data.examples import Answer
from keras_slu.data.examples import Question
from keras_slu.data.json_document import iter_examples
from keras_slu.data.json_values import member
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import raise_errors
from keras_slu.data.words import check_text
from keras_slu.errors import InputError


def iter_squad(path, report=raise_errors):
    """Reads a file that may be `.gz`, in the form of SQuAD 1.1 or 2.0.

    An answer that is no stretch of its passage is a fault, told by the
    question's `id`. A question without answers has none in the passage.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Question`.

    Reference: Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine
    Comprehension of Text", 2016.
    """
    for questions in iter_examples(path, _walk, _read_paragraph, report):
        yield from questions


def _walk(document):
    """Stops before each paragraph."""
    for key in document.members():
        if key != "data":
            document.value()
            continue
        for _ in document.items():
            for part in document.members():
                if part == "paragraphs":
                    yield from document.items()
                else:
                    document.value()


def _read_paragraph(paragraph, known, origin, warn):
    typed(paragraph, dict, "a paragraph", "an object")
    passage = string(member(paragraph, "context", "a paragraph"), '"context"')
    check_text(passage)
    questions = typed(member(paragraph, "qas", "a paragraph"), list, '"qas"', "a list")
    return [_read_question(item, passage, origin) for item in questions]


def _read_question(item, passage, origin):
    typed(item, dict, "a question", "an object")
    # It may be empty: CMRC's trial has two such.
    text = string(member(item, "question", "a question"), '"question"')
    answers = typed(item.get("answers", []), list, '"answers"', "a list")
    name = f"question {item.get('id', text)!r:.60}"
    return Question(
        text, passage, tuple(_read_answer(a, passage, name) for a in answers), origin
    )


def _read_answer(item, passage, question):
    typed(item, dict, f"an answer to {question}", "an object")
    text = string(member(item, "text", "an answer"), '"text"')
    start = member(item, "answer_start", "an answer")
    typed(start, int, '"answer_start"', "a whole number")
    there = passage[start : start + len(text)] if start >= 0 else ""
    if not text or there != text:
        raise InputError(
            f"{question}: the answer {text!r:.60} is not in the passage at {start}, "
            f"but {there!r:.60}",
            "Count code points from 0, or remove the answer.",
        )
    return Answer(text, start)
