"""BLEU by sacrebleu."""

import pytest

from keras_slu.evaluation.bleu import bleu

pytest.importorskip("sacrebleu")


def test_a_translation_and_its_signature():
    scores = bleu(["the cat sat on a mat"], ["the cat sat on the mat"])
    # Precisions 5/6, 3/5, 2/4 and 1/3; equal lengths.
    assert scores["bleu"] == pytest.approx(100 * (5 / 6 * 3 / 5 / 2 / 3) ** 0.25, 1e-4)
    assert scores["length_ratio"] == 1.0
    assert "tok:13a" in scores["signature"] and "case:mixed" in scores["signature"]
