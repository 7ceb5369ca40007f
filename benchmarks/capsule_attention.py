"""Time and memory of CapsuleMultiHeadAttention against MultiHeadAttention.

    python benchmarks/capsule_attention.py

Forward and backward over 2048 tokens of width 128, each case in a process of
its own, whose peak is that of the operating system less that after imports.
Times are CPU times of one thread, the best of some runs.

What routing adds is counted: the matrix products of the votes and of the FFN,
and the multiplications and additions of the routing itself, three times the
forward ones. `ratio` is the time that routing adds to plain attention, over the
time that as many operations take in plain attention: at 1 the arithmetic
explains all of it.
"""

import resource
import subprocess
import sys
import time

TOKENS, DIM, REPEATS = 2048, 128, 7
CASES = [  # heads, length, iterations
    (8, 16, 3),
    (8, 16, 1),
    (8, 16, 2),
    (8, 16, 5),
    (2, 16, 3),
    (32, 16, 3),
    (8, 64, 3),
    (8, 256, 3),
]
FORMS = ("plain", "dynamic", "em")
# Operations on one number of the votes: in each iteration a weighted sum and,
# but for the last, the agreement, or the distance, the variance and the density.
PER_VOTE = {"dynamic": (2, 2), "em": (2, 8)}


def operations(form, heads, length, iterations):
    """Of plain attention, and of what routing adds; forward and backward."""
    plain = TOKENS * (4 * DIM * DIM + 2 * length * DIM)
    if form == "plain":
        return 6 * plain, 0
    votes = TOKENS * heads * heads * (DIM // heads)
    # A vote is a row of a matrix, of EM a row of a small one.
    inner = DIM // heads if form == "dynamic" else (DIM // heads) ** 0.5
    products = 2 * (votes * inner + 2 * TOKENS * DIM * DIM)
    gather, agree = PER_VOTE[form]
    routing = votes * (gather * iterations + agree * (iterations - 1))
    return 6 * plain, 3 * (products + routing)


def measure(form, heads, length, iterations):
    """Runs one case in this process and prints its peak and time."""
    import keras
    import tensorflow as tf

    from keras_slu.layers import CapsuleMultiHeadAttention

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    if form == "plain":
        layer = keras.layers.MultiHeadAttention(heads, DIM // heads)
    else:
        # No square matrix where a head's width is no square number.
        rows = {64: 8, 16: 4, 4: 2}[DIM // heads] if form == "em" else None
        layer = CapsuleMultiHeadAttention(
            heads, DIM // heads, form, iterations=iterations, pose_rows=rows
        )
    hidden = tf.random.normal((TOKENS // length, length, DIM))
    layer(hidden[:1], hidden[:1])
    weights = [variable.value for variable in layer.trainable_variables]

    @tf.function
    def step(hidden):
        with tf.GradientTape() as tape:
            tape.watch(hidden)
            loss = tf.reduce_sum(tf.square(layer(hidden, hidden)))
        return tape.gradient(loss, [hidden, *weights])

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step(hidden)
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        step(hidden)[0].numpy()
        times.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(peak / 1024, 1e3 * min(times))


def main():
    if len(sys.argv) > 1:
        measure(sys.argv[1], *map(int, sys.argv[2:]))
        return
    print("heads length iterations form      MiB     ms  added MFLOP  ratio")
    for case in CASES:
        for form in FORMS:
            output = subprocess.run(
                [sys.executable, __file__, form, *map(str, case)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            peak, milliseconds = map(float, output.split()[-2:])
            base, added = operations(form, *case)
            ratio = ""
            if form == "plain":
                plain = milliseconds
            else:
                explained = plain * added / base
                ratio = f"{(milliseconds - plain) / explained:6.2f}"
            print(
                f"{case[0]:5d} {case[1]:6d} {case[2]:10d} {form:8s} {peak:5.0f} "
                f"{milliseconds:6.1f} {added / 1e6:12.0f} {ratio}",
                flush=True,
            )


if __name__ == "__main__":
    main()
