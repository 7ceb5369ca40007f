"""From a raw transcript to the Frames of its sentences."""

from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import replace

from keras_slu.parsing.frame import Frame


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a transcript and what it means.

    Args:
        text: str. The sentence with its marks.
        start, end: int. Where it stands in the transcript, in code points.
        frame: `Frame`. Its text is the transcript, and the slots' offsets
            count in it: `transcript[slot.start:slot.end] == slot.value`.
    """

    text: str
    start: int
    end: int
    frame: Frame

    def to_dict(self):
        """The sentence as plain dicts and lists, without the transcript."""
        frame = asdict(self.frame)
        del frame["text"]
        return {"text": self.text, "start": self.start, "end": self.end, **frame}


class Pipeline:
    """Parts a transcript into sentences and parses each.

    Args:
        punctuator: `Punctuator`, whose marks end the sentences.
        parser: anything with the `parse` of `Parser`. It reads the sentences
            as they stand in the transcript, without the marks that were put.

    Example:

    >>> understand = keras_slu.pipeline(punctuator, parser)  # doctest: +SKIP
    >>> for sentence in understand.parse("dim the lamp then play some jazz"):
    ...     print(sentence.text, sentence.frame.active_intents)
    ... # doctest: +SKIP
    dim the lamp. ('set_brightness',)
    then play some jazz. ('play_music',)
    """

    def __init__(self, punctuator, parser):
        self.punctuator = punctuator
        self.parser = parser

    def parse(self, transcript):
        """Parses a transcript.

        Args:
            transcript: str.

        Returns:
            list of `Sentence`, in order; empty when there are no words.
        """
        sentences = list(_sentences(self.punctuator.words([transcript])))
        spans = [(words[0].start, words[-1].end) for words in sentences]
        frames = self.parser.parse([transcript[start:end] for start, end in spans])
        return [
            Sentence(
                "".join(map(str, words))[len(words[0].before) :],
                start,
                end,
                _moved(frame, transcript, start),
            )
            for words, (start, end), frame in zip(sentences, spans, frames, strict=True)
        ]


def _sentences(words):
    """Groups words up to those that end a sentence."""
    sentence = []
    for word in words:
        if not word.text:  # what stands behind the last word
            continue
        sentence.append(word)
        if word.ends_sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _moved(frame, transcript, start):
    """A Frame whose offsets count in the transcript."""
    slots = tuple(
        replace(slot, start=slot.start + start, end=slot.end + start)
        for slot in frame.slots
    )
    return replace(frame, text=transcript, slots=slots)
