"""What a reader makes of some bytes: utterances and faults."""


def read_bytes(reader, path, content):
    """Writes `content`, str or bytes, to `path` and reads it.

    Returns the list of utterances and a list of `(severity, line, problem)`.
    """
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    told = []

    def report(severity, fault):
        assert fault.file == str(path)
        told.append((severity, fault.line, fault.problem))

    return list(reader(path, report)), told


def labels_of(utterance):
    """Intents, and `(name, value)` of each slot."""
    text = utterance.text
    slots = [(slot.name, text[slot.start : slot.end]) for slot in utterance.slots]
    return utterance.intents, slots
