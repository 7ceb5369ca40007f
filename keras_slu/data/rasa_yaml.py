"""Reads the YAML of Rasa: intents and their examples, with marked entities."""

from reprlib import repr as short

from keras_slu.data.rasa_marks import read_marks
from keras_slu.data.report import attempt
from keras_slu.data.report import names_left_out
from keras_slu.data.report import placed
from keras_slu.data.report import raise_errors
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import split_intents
from keras_slu.data.yaml_nodes import read_yaml
from keras_slu.errors import InputError

_KINDS = {
    list: ("a list", "items that begin with a dash"),
    dict: ("a mapping", "keys with values"),
    str: ("a text", "a text"),
}


def iter_rasa_yaml(path, report=raise_errors):
    """Reads the section `nlu` of a Rasa file, 2.0 or newer.

    Entities may be spelled `[value](entity)`, `[value](entity:synonym)`,
    `[value]{"entity": "name", "role": "r", "group": "g", "value": "v"}` or
    `[value][{...}]`. A role becomes part of the slot's name: `name.r`. Groups,
    values, synonyms, regular expressions, lookup tables and all sections but
    `nlu` are left out; a warning names each once. Anchors and tags are refused.

    Args:
        path: path. The whole file is held in memory.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.
    """
    leave_out = names_left_out(report, path)

    def warn(fault):
        report("warning", placed(fault, path, line))

    items = attempt(report, path, None, _read_items, path, leave_out)
    for item in items or ():
        examples = attempt(report, path, item.line, _read_examples, item, leave_out)
        for line, *example in examples or ():
            read = (_read_example, *example, f"{path}:{line}", leave_out, warn)
            utterance = attempt(report, path, line, *read)
            if utterance is not None:
                yield utterance


def _read_items(path, leave_out):
    sections = _value(read_yaml(path), dict, "the file")
    for name, node in sections.items():
        if name not in ("nlu", "version"):
            leave_out(f"sections {name!r}", node.line)
    if "nlu" not in sections:
        raise InputError(
            'holds no "nlu" section', "Give it one, with intents and examples."
        )
    return _value(sections["nlu"], list, '"nlu"')


def _read_examples(item, leave_out):
    """Returns a list of `(line, intent, example)`."""
    members = _value(item, dict, 'an item of "nlu"')
    for kind in ("synonym", "regex", "lookup"):
        if kind in members:
            leave_out(f"items {kind!r}", item.line)
            return []
    missing = [key for key in ("intent", "examples") if key not in members]
    if missing:
        raise InputError(f'an item without "{missing[0]}"', "Give it one.")
    intent = _value(members["intent"], str, '"intent"')
    node = members["examples"]
    if isinstance(node.value, list):
        return [(example.line, intent, example) for example in node.value]
    lines = _value(node, str, '"examples"').split("\n")
    return [
        (node.text_line + place if node.text_line else node.line, intent, line)
        for place, line in enumerate(lines)
        if line.strip()
    ]


def _read_example(intent, example, origin, leave_out, warn):
    marked = _dashed(example) if isinstance(example, str) else _listed(example)
    text, slots = read_marks(marked.strip(), leave_out, warn)
    check_text(text)
    return Utterance(text, (), slots, split_intents(intent), origin)


def _dashed(line):
    if not line.startswith("-"):
        raise InputError(
            f"the example {short(line)} begins with no dash",
            'Write each example as "- text" on a line of its own.',
        )
    return line[1:]


def _listed(node):
    """The text of an example that is an item of its own, perhaps with metadata."""
    if isinstance(node.value, dict):
        if "text" not in node.value:
            raise InputError('an example without "text"', "Give it one.")
        node = node.value["text"]
    return _value(node, str, "an example")


def _value(node, kind, what):
    if not isinstance(node.value, kind):
        found, expected = _KINDS[type(node.value)][0], _KINDS[kind][1]
        raise InputError(f"{what} is {found}", f"Give it {expected}.", line=node.line)
    return node.value
