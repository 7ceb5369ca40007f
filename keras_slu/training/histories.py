"""What a recipe's utterances have heard before, for models that ask."""

from dataclasses import replace

from keras_slu.data.alignment import slot_spans
from keras_slu.data.dialogue_encoding import encode_histories
from keras_slu.data.dialogue_encoding import encode_prompts
from keras_slu.data.encoding import encode
from keras_slu.data.encoding import tokens_of
from keras_slu.parsing.parser import load_joint_parser
from keras_slu.training.paths import resolve


def with_prompts(utterances, model):
    """The utterances and, for a model that hears it, what the system says.

    Args:
        utterances: list of `Utterance`.
        model: settings of a recipe's model.

    Returns:
        list of `Utterance`.
    """
    if not getattr(model, "system_turns", False):
        return utterances
    return [*utterances, *(said for one in utterances for said in one.prompts)]


def with_histories(recipe, folder, utterances, examples, labels, words):
    """Adds to each split's examples what was said before.

    Args:
        recipe: `Recipe`.
        folder: path that the recipe's paths are relative to.
        utterances: dict of lists of `Utterance`, by split.
        examples: dict of their `Examples`.
        labels: `LabelSet`.
        words: `(tokenizer, vocabulary)`.

    Returns:
        dict of `Examples`, as they were for a model without history.

    Raises:
        InputError: when `recipe.history` names no finished run.
    """
    max_history = getattr(recipe.model, "max_history", 0)
    if not max_history:
        return examples
    heard = dict(examples)
    max_tokens = min(recipe.text.max_tokens, max_history - 1)
    if recipe.history is not None:
        answered = _answered(utterances["train"], resolve(recipe.history, folder))
        heard["train"] = encode(answered, *words, labels, max_tokens)
    found = {}
    for split, of_split in utterances.items():
        prompts = [[] for _ in of_split]
        if recipe.model.system_turns:
            prompts = [encode_prompts(one, *words, max_tokens) for one in of_split]
        history = encode_histories(of_split, heard[split], max_history, prompts)
        found[split] = replace(examples[split], history=history)
    return found


def _answered(utterances, run):
    """The utterances with a run's answers for their labels."""
    parser = load_joint_parser(run)
    answers = parser.answers_of(utterances)
    found = []
    for utterance, answer in zip(utterances, answers, strict=True):
        tokens = tokens_of(utterance, parser.model.tokenizer)
        slots = slot_spans(tokens, answer["tags"])
        found.append(replace(utterance, intents=answer["intents"], slots=slots))
    return found
