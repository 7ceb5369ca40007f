"""Do a run's exports answer as the run does?"""

from dataclasses import dataclass
from dataclasses import field

import numpy as np

from keras_slu.data.alignment import bio_tags
from keras_slu.data.dialogue import dialogues_of
from keras_slu.data.encoding import encode_words
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.evaluation.scores import Scores
from keras_slu.evaluation.scores import score_spans
from keras_slu.losses import SlotCrossentropy
from keras_slu.parsing.loading import load_to_parse

TIE = 1e-4  # of probabilities, and of the log-probabilities of two tag paths


@dataclass
class Agreement:
    """How an export's Frames compare with the run's.

    Args:
        export: str. Its path.
        quantize: str. How its weights were made smaller; `"none"` for a model
            in floats.
        scores: `Scores` of its answers.
        cut: int. Utterances that the export cut, not compared; of a dialogue
            also those after one with another answer, as both then heard
            something else.
        differences: list of dict, `text`, `run` and `export`: utterances on
            which active intents, slots with their offsets, or `is_unknown`
            are not the same.
        ties: list of dict, likewise, of utterances whose two answers are
            equally probable to 1e-4.
        largest: float. The largest difference of an intent's probability or a
            slot's confidence, over utterances with the same answer.
    """

    export: str
    quantize: str
    scores: Scores
    cut: int = 0
    differences: list = field(default_factory=list)
    ties: list = field(default_factory=list)
    largest: float = 0.0

    @property
    def holds(self):
        """Whether all is as it must be: a float model differs nowhere."""
        return self.quantize != "none" or not self.differences


def verify(run, exports, utterances):
    """Parses utterances with a run and with its exports.

    Args:
        run: path of a finished run's folder.
        exports: list of paths that `keras_slu.load` reads.
        utterances: list of `Utterance`.

    Returns:
        `(scores, agreements)`: the run's `Scores`, and an `Agreement` for each
        export.

    Raises:
        InputError: for a run or an export that cannot be loaded.
    """
    parser = load_to_parse(run)
    # A wrong path is told before the work.
    loaded = [load_to_parse(path) for path in exports]
    reference = parser.frames_of(utterances)
    dialogues = dialogues_of(utterances)
    agreements = []
    for path, export in zip(exports, loaded, strict=True):
        frames = export.frames_of(utterances)
        agreement = Agreement(
            str(path), _quantization(export), score_spans(utterances, frames)
        )
        for places in dialogues:
            pairs = [(reference[place], frames[place]) for place in places]
            _compare_dialogue(parser, pairs, agreement)
        agreements.append(agreement)
    return score_spans(utterances, reference), agreements


def _quantization(export):
    return getattr(export, "contract", {}).get("quantize", "none")


def _compare_dialogue(parser, pairs, agreement):
    """Compares turn by turn; where two answers part, so does what is heard."""
    for number, (ours, theirs) in enumerate(pairs, 1):
        if theirs.truncated and not ours.truncated:
            agreement.cut += 1
        else:
            _compare(parser, ours, theirs, agreement)
        if hasattr(parser, "turns") and _answer(ours) != _answer(theirs):
            agreement.cut += len(pairs) - number
            break


def _compare(parser, ours, theirs, agreement):
    if _answer(ours) == _answer(theirs):
        largest = _largest_difference(ours, theirs)
        agreement.largest = max(agreement.largest, largest)
        return
    found = {"text": ours.text, "run": _answer(ours), "export": _answer(theirs)}
    is_tie = _is_tie(parser, ours, theirs)
    (agreement.ties if is_tie else agreement.differences).append(found)


def _answer(frame):
    """What must be the same."""
    return {
        "intents": sorted(frame.active_intents),
        "slots": [[slot.name, slot.start, slot.end] for slot in frame.slots],
        "is_unknown": frame.is_unknown,
        "truncated": frame.truncated,
    }


def _largest_difference(ours, theirs):
    found = {intent.name: intent.probability for intent in theirs.intents}
    gaps = [abs(intent.probability - found[intent.name]) for intent in ours.intents]
    for one, other in zip(ours.slots, theirs.slots, strict=True):
        gaps.append(abs(one.confidence - other.confidence))
    return max(gaps, default=0.0)


def _is_tie(parser, ours, theirs):
    """Whether the run finds both answers equally probable."""
    one, other = _answer(ours), _answer(theirs)
    if one["truncated"] != other["truncated"]:
        return False
    if one["slots"] != other["slots"] and _path_gap(parser, ours, theirs) > TIE:
        return False
    if one["intents"] == other["intents"] and one["is_unknown"] == other["is_unknown"]:
        return True
    probabilities = {intent.name: intent.probability for intent in theirs.intents}
    return all(
        abs(intent.probability - probabilities[intent.name]) < TIE
        for intent in ours.intents
    )


def _path_gap(parser, ours, theirs):
    """How much more probable, in logs, the run finds one answer's tags."""
    model = parser.model
    tokens = model.tokenizer.tokenize(ours.text)
    words = [token.text for token in tokens]
    ids, _ = encode_words(words, model.tokenizer, model.vocabulary, model.max_tokens)
    inputs = model.vocabulary.pack(ids[None])
    potentials = model(inputs, training=False)["slots"]

    def loss(frame):
        slots = tuple(SlotSpan(s.name, s.start, s.end) for s in frame.slots)
        tags = bio_tags(Utterance(ours.text, tokens, slots), tokens)[: len(ids)]
        if not set(tags) <= set(model.tags):
            return np.inf  # an export of another model
        tags = np.array([[model.tags.index(tag) for tag in tags]], np.int32)
        if model.crf is None:
            return float(SlotCrossentropy().call(tags, potentials)[0])
        return float(model.crf.negative_log_likelihood(potentials, tags)[0])

    return abs(loss(ours) - loss(theirs))
