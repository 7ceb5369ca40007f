"""BLEU of translations, by sacrebleu."""

from keras_slu.errors import InputError


def bleu(translations, references):
    """Scores translations, cased and with sacrebleu's own tokenizer.

    Needs the package sacrebleu, of the extra `translation`.

    Args:
        translations, references: lists of str, one reference each.

    Returns:
        dict: `bleu`, from 0 to 100; `length_ratio`, of translations to
        references; `signature`, sacrebleu's, which says how it was counted.

    Example:

    >>> bleu(["the red house is old ."], ["the red house is old ."])["bleu"]
    100.0

    Reference:
        - [Papineni et al., 2002](https://aclanthology.org/P02-1040)
        - [Post, 2018](https://arxiv.org/abs/1804.08771)
    """
    try:
        from sacrebleu.metrics import BLEU
    except ImportError:
        raise InputError(
            "BLEU needs the package sacrebleu",
            "Install it: pip install 'keras-slu[translation]'.",
        ) from None
    metric = BLEU()
    score = metric.corpus_score(translations, [references])
    return {
        "bleu": round(score.score, 4),
        "length_ratio": round(score.sys_len / score.ref_len, 4),
        "signature": str(metric.get_signature()),
    }
