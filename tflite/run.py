"""Parses text with a .tflite file; needs numpy and ai-edge-litert only.

    python tflite/run.py tflite/han-snips-seed1.tflite "play hey jude"

It is meant to be copied: all that a client has to do is in it. The file must
take `codepoints`. Without texts, the lines of standard input are parsed.
"""

import json
import sys
import zipfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter


class Parser:
    """A .tflite file and its contract, which lies inside it."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            self.contract = json.loads(archive.read("contract.json"))
        if self.contract["input"]["name"] != "codepoints":
            sys.exit("error: this needs a model exported with --input codepoints.")
        interpreter = Interpreter(path, num_threads=1)
        self.run = interpreter.get_signature_runner("serving_default")

    def parse(self, text):
        """Gives a dict: `intents`, most probable first, and `slots`."""
        values = [ord(character) or 32 for character in text]  # 0 is padding
        shape = self.contract["input"]["shape"]
        row = np.zeros(shape, np.int32)
        row[0, : len(values)] = values[: shape[1]]
        answer = {name: found[0] for name, found in self.run(codepoints=row).items()}
        return {
            "text": text,
            "intents": self.intents(answer),
            "slots": self.slots(text, answer),
            "is_unknown": bool(answer["is_unknown"]),
            "truncated": bool(answer["truncated"]),
        }

    def intents(self, answer):
        """Classes such as "a#b" stand for several intents, "" for none."""
        probabilities = answer["intent_probabilities"].tolist()
        totals = {}
        classes = self.contract["classes"]
        for name, probability in zip(classes, probabilities, strict=True):
            for intent in filter(None, name.split("#")):
                totals[intent] = totals.get(intent, 0.0) + probability
        if "intent_active" in answer:  # then each class is one intent
            active = [classes[at] for at in np.flatnonzero(answer["intent_active"])]
        else:
            active = classes[int(np.argmax(probabilities))].split("#")
        return [
            {"name": name, "probability": min(total, 1.0), "active": name in active}
            for name, total in sorted(
                totals.items(), key=lambda item: (-item[1], item[0])
            )
        ]

    def slots(self, text, answer):
        """Spans of `B-x I-x I-x`; the confidence is that of the whole span."""
        slots = []
        columns = ("starts", "ends", "tags", "slot_confidence")
        rows = zip(*(answer[name].tolist() for name in columns), strict=True)
        previous = ""
        for start, end, tag, confidence in rows:
            if start < 0:
                break  # padding
            prefix, _, name = self.contract["tags"][tag].partition("-")
            if prefix == "I" and name == previous:
                slots[-1]["end"] = end
            elif name:
                slots.append(
                    {"name": name, "start": start, "end": end, "confidence": confidence}
                )
            previous = name
        for slot in slots:
            slot["value"] = text[slot["start"] : slot["end"]]
        return slots


def main():
    path, *texts = sys.argv[1:]
    parser = Parser(path)
    for text in texts or (line.rstrip("\n") for line in sys.stdin):
        print(json.dumps(parser.parse(text), ensure_ascii=False))


if __name__ == "__main__":
    main()
