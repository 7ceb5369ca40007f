"""Scores from gold tokens and from raw text, side by side."""

from types import SimpleNamespace

from keras_slu.data.alignment import slot_spans
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.parsing import Parser
from keras_slu.parsing.scoring import gold_labels
from keras_slu.parsing.scoring import score_parser
from keras_slu.text.tokenizer import Tokenizer


def tokenised(text, tags, *intents):
    words, tokens = join_words(text.split())
    return Utterance(words, tokens, slot_spans(tokens, tags.split()), intents)


class Rules:
    """Answers by rule in place of a model: names are `who`, all else is `O`.

    It knows the name only as the word `o'hara`, which the tokenizer splits.
    """

    def __init__(self):
        self.model = SimpleNamespace(tokenizer=Tokenizer())

    def answers_of(self, utterances):
        tokenize = self.model.tokenizer.tokenize
        return self.answers([u.tokens or tokenize(u.text) for u in utterances])

    def answers(self, token_rows):
        return [
            {
                "tags": ["B-who" if t.text == "o'hara" else "O" for t in tokens],
                "intents": ("call",),
            }
            for tokens in token_rows
        ]

    def frames_of(self, utterances):
        return self.parse([utterance.text for utterance in utterances])

    def parse(self, texts):
        from keras_slu.parsing import Frame
        from keras_slu.parsing import Intent
        from keras_slu.parsing import Slot

        frames = []
        for text in texts:
            tokens = self.model.tokenizer.tokenize(text)
            [answer] = self.answers([tokens])
            slots = tuple(
                Slot("who", token.text, token.start, token.end, 1.0)
                for token, tag in zip(tokens, answer["tags"], strict=True)
                if tag != "O"
            )
            frames.append(Frame(text, (Intent("call", 1.0, True),), slots))
        return frames


def test_gold_tokens_and_raw_text_can_differ():
    utterances = [
        tokenised("call o'hara now", "O B-who O", "call"),
        tokenised("call mary", "O B-who", "call"),
        tokenised("stop it", "O O", "stop"),
        tokenised("call", "O", "call"),
    ]
    scores = score_parser(Rules(), utterances)
    gold, raw = scores["gold_tokens"], scores["raw_text"]
    assert (gold.utterances, raw.utterances) == (4, 4)
    assert (gold.intent_accuracy, raw.intent_accuracy) == (3 / 4, 3 / 4)
    # With its own tokens o'hara is found; the tokenizer makes three of it.
    assert (gold.slot_precision, gold.slot_recall) == (1.0, 1 / 2)
    assert (raw.slot_precision, raw.slot_recall) == (0.0, 0.0)
    assert (gold.overall_accuracy, raw.overall_accuracy) == (2 / 4, 1 / 4)
    assert gold.token_accuracy == 7 / 8
    assert raw.token_accuracy is None


def test_gold_is_over_own_tokens_or_those_of_the_tokenizer():
    own = tokenised("call o'hara", "O B-who", "call")
    without = Utterance("call o'hara", (), (SlotSpan("who", 5, 11),), ("call",))
    first, second = gold_labels([own, without], Tokenizer())
    assert first.tags == ["O", "B-who"]
    assert second.tags == ["O", "B-who", "I-who", "I-who"]
    assert first.intents == second.intents == ("call",)


def test_the_order_of_intents_does_not_matter(parser):
    text = "play hey jude"
    active = parser.parse(text).active_intents
    for intents in (active, active[::-1]):
        scores = score_parser(parser, [Utterance(text, intents=intents)])
        assert scores["raw_text"].intent_accuracy == 1.0
        assert scores["gold_tokens"].intent_accuracy == 1.0


def test_a_parser_scores_full_marks_on_its_own_answers(parser):
    texts = ["play hey jude", "book the rome rome", "jude", "play unheard!"]
    utterances = [
        Utterance(
            frame.text,
            slots=tuple(SlotSpan(s.name, s.start, s.end) for s in frame.slots),
            intents=frame.active_intents,
        )
        for frame in parser.parse(texts)
    ]
    assert isinstance(parser, Parser)
    scores = score_parser(parser, utterances)
    assert scores["raw_text"].overall_accuracy == 1.0
    assert scores["gold_tokens"].slot_f1 == 1.0
    assert scores["gold_tokens"].intent_accuracy == 1.0
