"""The pairs of queries and keys in bilinear attention, with their gradient."""

from keras import ops


@ops.custom_gradient
def pair_attention(queries, keys, pair_kernel, score_kernel, shares):
    """Averages the pair features over the keys, and scores each pair.

    `B_ti = ReLU(W_B (q_t * k_i))`, of which it gives `W_b B_ti` and the mean
    over `i` (Chen et al. 2021, equations 1 and 2).

    All the time goes into passes over `(batch, queries, keys, dim)` tensors,
    and left to itself differentiation makes six that are not needed. Here the
    gradient of `B`, whose two parts have rank one for each query, is made by
    one matrix product of rank two. That takes a third off both ways together.

    Args:
        queries: float tensor `(batch, queries, dim)`.
        keys: float tensor `(batch, keys, dim)`.
        pair_kernel: float tensor `(dim, dim)`, `W_B` transposed.
        score_kernel: float tensor `(dim, 1)`, `W_b` transposed.
        shares: float tensor `(batch, keys)`, the weights of the mean. No
            gradient goes to them.

    Returns:
        two float tensors, the mean `(batch, queries, dim)` and the scores
        `(batch, queries, keys)`.
    """
    dim = queries.shape[-1]
    queries_, keys_ = ops.expand_dims(queries, 2), ops.expand_dims(keys, 1)
    pairs = queries_ * keys_  # (b, q, k, dim)
    features = ops.relu(_product(pairs, pair_kernel))  # B
    scores = ops.squeeze(_product(features, score_kernel), -1)
    mean = ops.matmul(ops.expand_dims(shares, (1, 2)), features)  # (b, q, 1, dim)

    def gradient(*upstream):
        # TensorFlow hands on two gradients, JAX a pair of them.
        to_mean, to_scores = upstream if len(upstream) == 2 else upstream[0]
        weights = ops.broadcast_to(ops.expand_dims(shares, 1), ops.shape(to_scores))
        left = ops.stack([to_scores, weights], axis=-1)  # (b, q, k, 2)
        score_rows = ops.broadcast_to(ops.transpose(score_kernel), ops.shape(to_mean))
        right = ops.stack([score_rows, to_mean], axis=2)  # (b, q, 2, dim)
        to_features = ops.where(features > 0, ops.matmul(left, right), 0.0)
        to_features = ops.reshape(to_features, (-1, dim))

        to_pairs = ops.matmul(to_features, ops.transpose(pair_kernel))
        to_pairs = ops.reshape(to_pairs, ops.shape(pairs))
        score_column = ops.reshape(to_scores, (-1, 1))
        return (
            ops.sum(to_pairs * keys_, axis=2),
            ops.sum(to_pairs * queries_, axis=1),
            ops.matmul(ops.transpose(ops.reshape(pairs, (-1, dim))), to_features),
            ops.matmul(ops.transpose(ops.reshape(features, (-1, dim))), score_column),
            ops.zeros_like(shares),
        )

    return (ops.squeeze(mean, 2), scores), gradient


def _product(values, kernel):
    """`values @ kernel` over the last axis, as one product of rows."""
    if values.shape[0] == 1:
        # On a device a convolution over pairs costs less than shapes of rows.
        return ops.conv(values, ops.expand_dims(kernel, (0, 1)))
    rows = ops.matmul(ops.reshape(values, (-1, values.shape[-1])), kernel)
    return ops.reshape(rows, (*ops.shape(values)[:-1], kernel.shape[-1]))
