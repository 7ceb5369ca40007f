"""Peak memory and time of BilinearAttention against the direct form.

    python benchmarks/bilinear_memory.py

The direct form follows the paper's equations to the letter: it makes the
`(batch, time, time, dim)` tensors of the key path, of its projection and of the
value path. Forward and backward, batch 32, width 128, each in a process of its
own, whose peak is that of the operating system less that after imports.
"""

import resource
import subprocess
import sys
import time

BATCH, DIM, REPEATS = 32, 128, 5
TIMES = (32, 64, 128)


def direct(layer, query, key, value, mask):
    """Equations 1 to 3 with the layer's weights, nothing taken out of sums."""
    from keras import ops

    activate = layer._activate
    query_key, gate = ops.split(layer.query_projection(query), 2, axis=-1)
    pairs = (
        activate(query_key)[:, :, None] * activate(layer.key_projection(key))[:, None]
    )
    pairs = ops.relu(layer.pair_projection(pairs))  # (batch, queries, keys, dim)
    scores = ops.softmax(layer.score(pairs)[..., 0], axis=-1)
    channels = ops.sigmoid(layer.excitation(ops.mean(pairs, axis=2)))
    values = (
        activate(gate)[:, :, None] * activate(layer.value_projection(value))[:, None]
    )
    return channels * ops.sum(scores[..., None] * values, axis=2)


def measure(form, steps):
    """Runs one form in this process and prints its peak and time."""
    import tensorflow as tf

    from keras_slu.layers import BilinearAttention

    layer = BilinearAttention(DIM)
    query, key = (tf.random.normal((BATCH, steps, DIM)) for _ in range(2))
    mask = tf.ones((BATCH, steps), tf.bool)
    layer(query[:, :2], key[:, :2], key[:, :2])
    run = layer if form == "factorised" else lambda *args: direct(layer, *args)
    weights = [variable.value for variable in layer.trainable_variables]

    @tf.function
    def step(query, key):
        with tf.GradientTape() as tape:
            tape.watch([query, key])
            loss = tf.reduce_sum(tf.square(run(query, key, key, mask)))
        return tape.gradient(loss, [query, key, *weights])

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step(query, key)
    start = time.perf_counter()
    for _ in range(REPEATS):
        step(query, key)[0].numpy()
    seconds = (time.perf_counter() - start) / REPEATS
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(peak / 1024, 1e3 * seconds)


def main():
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
        return
    print("time  form         peak MiB   ms forward and backward")
    for steps in TIMES:
        for form in ("factorised", "direct"):
            output = subprocess.run(
                [sys.executable, __file__, form, str(steps)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            peak, milliseconds = map(float, output.split()[-2:])
            print(f"{steps:4d}  {form:11s} {peak:9.0f} {milliseconds:12.1f}")


if __name__ == "__main__":
    main()
