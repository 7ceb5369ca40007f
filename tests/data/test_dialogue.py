"""Dialogues as utterances that know their place, and back."""

from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.dialogue import dialogues_of
from keras_slu.data.dialogue import user_turns
from keras_slu.data.utterance import Utterance


def said(speaker, text, *acts):
    return Turn(speaker, Utterance(text, intents=(text,)), acts)


def test_what_the_system_says_comes_with_the_turn_after_it():
    dialogue = Dialogue(
        (
            said("system", "hello"),
            said("system", "yes?"),
            said("user", "a", "INFORM"),
            said("user", "b"),
            said("system", "ok"),
            said("user", "c"),
            said("system", "bye"),
        )
    )
    turns = list(user_turns(dialogue))
    assert [turn.text for turn in turns] == ["a", "b", "c"]
    assert [turn.turn for turn in turns] == [0, 1, 2]
    prompts = [[prompt.text for prompt in turn.prompts] for turn in turns]
    assert prompts == [["hello", "yes?"], [], ["ok"]]
    assert turns[0].acts == ("INFORM",)
    assert turns[0].intents == ("a",)
    assert not list(user_turns(Dialogue((said("system", "hello"),))))


def test_dialogues_are_found_in_a_row_of_turns():
    turns = [0, 1, 2, 0, 0, 1, 1, 3, 2]
    utterances = [Utterance("a", turn=turn) for turn in turns]
    assert dialogues_of(utterances) == [[0, 1, 2], [3], [4, 5], [6, 7], [8]]
    assert dialogues_of([]) == []
