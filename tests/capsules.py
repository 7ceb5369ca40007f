"""Capsule routing in NumPy, capsule by capsule, and gradients by differences."""

import numpy as np
from checks import gradients


def dynamic_routing(votes, iterations=3):
    """`(inputs, outputs, width)` to `(outputs, width)`, Sabour et al. 2017."""
    inputs, outputs, _ = votes.shape
    b = np.zeros((inputs, outputs))
    for _ in range(iterations):
        c = np.exp(b) / np.exp(b).sum(axis=1, keepdims=True)
        v = []
        for j in range(outputs):
            s = sum(c[i, j] * votes[i, j] for i in range(inputs))
            length = np.linalg.norm(s)
            v.append(length / (1 + length**2) * s)
        for i, j in np.ndindex(inputs, outputs):
            b[i, j] += votes[i, j] @ v[j]
    return np.array(v)


def em_routing(votes, a_in, beta_v, beta_a, schedule, average=True, epsilon=1e-6):
    """`(inputs, outputs, width)` to `mu` and `a`, Hinton et al. 2018."""
    inputs, outputs, width = votes.shape
    total = width if average else 1
    r = np.full((inputs, outputs), 1 / outputs)
    for inverse_temperature in schedule:
        mu, a, density = [], [], np.zeros((inputs, outputs))
        for j in range(outputs):
            weights = r[:, j] * a_in
            mean = np.average(votes[:, j], axis=0, weights=weights)
            squares = (votes[:, j] - mean) ** 2
            variance = np.average(squares, axis=0, weights=weights) + epsilon
            cost = (beta_v[j] + np.log(np.sqrt(variance))) * weights.sum()
            logit = inverse_temperature * (beta_a[j] - cost.sum() / total)
            mu.append(mean)
            a.append(1 / (1 + np.exp(-logit)))
            normal = np.exp(-squares / (2 * variance)) / np.sqrt(2 * np.pi * variance)
            density[:, j] = a[j] * normal.prod(axis=1) ** (1 / total)
        r = density / density.sum(axis=1, keepdims=True)
    return np.array(mu), np.array(a)


def check_gradients(function, variables, step=1e-6):
    """Compares a float64 scalar's slopes along a random direction of each variable."""
    found = gradients(function, variables)
    for variable, gradient in zip(variables, found, strict=True):
        before = variable.numpy()
        change = step * np.random.default_rng(0).normal(size=before.shape)
        variable.assign(before + change)
        above = float(function())
        variable.assign(before - change)
        below = float(function())
        variable.assign(before)
        np.testing.assert_allclose(
            (above - below) / (2 * step),
            np.sum(gradient * change) / step,
            rtol=1e-6,
            atol=1e-7,
            err_msg=variable.path,
        )
