"""Punctuation: words a second, offline and live, and what a short latency costs.

    python benchmarks/punctuation.py RUN DATA.tsv

RUN is a run of the task punctuation, DATA a file of words and marks such as
`test2011.tsv`. One thread. Offline: the text, repeated to a million words, in
parts as a file is read, with the peak of memory over that after loading. Live:
the words one by one, at several latencies, with the time that a word takes and
the F1 over all marks; the last row is the offline F1.
"""

import os
import resource
import sys
import time

os.environ |= {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}

import numpy as np  # noqa: E402

import keras_slu  # noqa: E402
from keras_slu.data.marked_words import MARKS  # noqa: E402
from keras_slu.data.punctuated_text import read_punctuation  # noqa: E402
from keras_slu.evaluation.mark_scores import mark_scores  # noqa: E402

MILLION = 1_000_000
LATENCIES = (0, 2, 4, 8, 16)
LIVE_WORDS = 4000


def main():
    run, data = sys.argv[1:]
    punctuator = keras_slu.load(run)
    names = punctuator.model.marks
    talks = read_punctuation(data, names[1:])
    gold = [names.index(mark) for mark in talks.marks]
    punctuator.punctuate("so what happened")  # traces the graph
    words, seconds, memory = offline(punctuator, talks.words)
    print(
        f"offline: {words:,} words in {seconds:.1f} s, {words / seconds:,.0f} a "
        f"second, {memory:.0f} MiB more than after loading"
    )
    print("latency  words/s  ms a word: median, 95 %       F1")
    for latency in LATENCIES:
        f1, times = live(punctuator, talks.words[:LIVE_WORDS], gold, latency)
        middle, most = 1e3 * np.percentile(times, [50, 95])
        print(
            f"{latency:7}  {1 / np.mean(times):7.0f}  {middle:17.2f}  {most:4.2f}"
            f"  {100 * f1:9.2f}"
        )
    found = signs(punctuator, punctuator.words([" ".join(talks.words[:LIVE_WORDS])]))
    f1 = mark_scores(gold[:LIVE_WORDS], found, names)["f1"]
    print(f"offline, of the same words: F1 {100 * f1:.2f}")


def offline(punctuator, words):
    """Words, seconds and MiB of a million words."""
    text = " ".join(words) + " "
    parts = (text for _ in range(-(-MILLION // len(words))))
    before = peak()
    start = time.perf_counter()
    count = sum(1 for _ in punctuator.words(parts))
    return count, time.perf_counter() - start, peak() - before


def live(punctuator, words, gold, latency):
    """F1, and the seconds that each push took."""
    stream = punctuator.stream(latency=latency)
    found, times = [], []
    for word in words:
        start = time.perf_counter()
        found += stream.push(word)
        times.append(time.perf_counter() - start)
    found += stream.end()
    marks = signs(punctuator, found)
    return mark_scores(gold[: len(words)], marks, punctuator.model.marks)["f1"], times


def signs(punctuator, words):
    """The classes of the marks of words."""
    known = ["", *(MARKS[mark] for mark in punctuator.model.marks[1:])]
    return [known.index(word.mark) for word in words if word.text]


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
