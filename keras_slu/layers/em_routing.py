"""Routing between capsules by expectation maximisation (Hinton et al. 2018)."""

import keras
from keras import ops

from keras_slu.layers.routing_axes import softmax_over_outputs
from keras_slu.layers.routing_axes import to_back
from keras_slu.layers.routing_axes import to_front

TINY = 1e-9  # keeps the share of a capsule that nothing is assigned to finite


@keras.saving.register_keras_serializable(package="keras_slu")
class EMRouting(keras.layers.Layer):
    """Routes votes to output capsules, each a Gaussian over the votes for it.

    For the vote `V_ij` of input capsule `i`, whose activation is `a_i`, for
    output capsule `j`, with all `R_ij` 1 / outputs at first, in each iteration
    `t`:

        r_ij     = R_ij a_i,  r_j = sum over i of r_ij
        mu_j     = sum over i of r_ij V_ij / r_j
        sigma_j^2 = sum over i of r_ij (V_ij - mu_j)^2 / r_j + epsilon
        cost_j   = r_j mean over components of (beta_v_j + log sigma_j)
        a_j      = sigmoid(lambda_t (beta_a_j - cost_j))
        R_ij     = softmax over j of (log a_j + log p_ij)

    `log p_ij` is the log-density of `V_ij` under `mu_j` and `sigma_j`, here the
    mean over the components. The publication sums over components, in the cost
    and in the density; with many of them each vote then goes to one capsule
    alone, and activations are 1, or one half where no vote went. `average=False`
    gives that. All arithmetic is in float32 under any dtype policy, or in
    float64 when that is the compute dtype.

    Args:
        iterations: int. Defaults to `3`.
        schedule: floats, `lambda_t` of each iteration, or `None` for 1, 2, 3 and
            so on. Defaults to `None`.
        average: bool. Whether cost and log-density are means over the components
            of a capsule, and not sums. Defaults to `True`.
        stop_gradient: bool. Whether gradients flow through the last iteration
            only; the betas then learn from the activations alone. Defaults to
            `False`, as in Hinton et al.
        epsilon: float. Least variance, in the square of the votes' unit. Must be
            above the rounding of votes in half precision. Defaults to `1e-6`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        votes: float tensor `(..., inputs, outputs, width)`. Leading axes do not
            mix, so padding needs no mask.
        activations: float tensor `(..., inputs)`, clipped to [0, 1], or `None`
            when all are 1.

    Returns:
        The means `mu`, float tensor `(..., outputs, width)`, and the activations
        `a`, `(..., outputs)`.

    Example:

    >>> import numpy as np
    >>> poses, activations = EMRouting()(np.ones((2, 5, 8, 4, 16), "float32"))
    >>> poses.shape, activations.shape
    (TensorShape([2, 5, 4, 16]), TensorShape([2, 5, 4]))

    Reference:
        - [Hinton et al., 2018](https://openreview.net/forum?id=HJWLfGWRb),
          procedure 1
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
    """

    def __init__(
        self,
        iterations=3,
        schedule=None,
        average=True,
        stop_gradient=False,
        epsilon=1e-6,
        **kwargs,
    ):
        super().__init__(autocast=False, **kwargs)
        if iterations < 1:
            raise ValueError(f"`iterations` must be > 0. Received: {iterations}")
        if schedule is not None and len(schedule) != iterations:
            raise ValueError(
                "`schedule` must have one value an iteration. Received: "
                f"schedule={schedule}, iterations={iterations}"
            )
        self.iterations = iterations
        self.schedule = None if schedule is None else tuple(schedule)
        self.average = average
        self.stop_gradient = stop_gradient
        self.epsilon = epsilon
        self.float_dtype = "float64" if self.compute_dtype == "float64" else "float32"

    def build(self, votes_shape, activations_shape=None):
        def beta(name):
            return self.add_weight(
                shape=(votes_shape[-2],),
                initializer="zeros",
                dtype=self.float_dtype,
                autocast=False,
                name=name,
            )

        self.beta_v = beta("beta_v")  # beta_mu in Gu and Feng
        self.beta_a = beta("beta_a")  # their beta_alpha

    def call(self, votes, activations=None):
        votes = to_front(ops.cast(votes, self.float_dtype), 3)
        if activations is None:
            weights = ops.ones_like(votes[:, :1, 0])
        else:
            # Padding may hold anything, and negative weights make logarithms NaN.
            activations = ops.clip(ops.cast(activations, self.float_dtype), 0.0, 1.0)
            weights = to_front(activations, 1)[:, None]  # (inputs, 1, ...)
        schedule = self.schedule or range(1, self.iterations + 1)

        assignments = 1.0 / votes.shape[1]
        for inverse_temperature in schedule[:-1]:
            _, logits, log_density = self._maximise(
                votes, assignments * weights, inverse_temperature
            )
            assignments = softmax_over_outputs(ops.log_sigmoid(logits) + log_density)
        if self.stop_gradient and self.iterations > 1:
            assignments = ops.stop_gradient(assignments)
        means, logits, _ = self._maximise(votes, assignments * weights, schedule[-1])
        return (
            ops.cast(to_back(means, 2), self.compute_dtype),
            ops.cast(to_back(ops.sigmoid(logits), 1), self.compute_dtype),
        )

    def _maximise(self, votes, weights, inverse_temperature):
        """The M-step, and the log-density that the E-step needs.

        Args:
            votes: `(inputs, outputs, width, ...)`.
            weights: `r_ij`, `(inputs, outputs, ...)`, or `(inputs, 1, ...)`
                where they are equal for all outputs.
            inverse_temperature: float, `lambda_t`.

        Returns:
            `mu_j (outputs, width, ...)`, the logit of `a_j (outputs, ...)`, and
            `log p_ij (inputs, outputs, ...)` but for a constant.
        """
        mass = ops.sum(weights, axis=0)
        shares = (weights / (mass + TINY))[:, :, None]
        means = ops.sum(shares * votes, axis=0)
        squares = ops.square(votes - means)
        variances = ops.sum(shares * squares, axis=0) + self.epsilon
        log_deviations = self._reduce(0.5 * ops.log(variances), axis=1)

        beta_v, beta_a = (
            ops.reshape(beta, (-1, *[1] * (len(mass.shape) - 1)))
            for beta in (self.beta_v, self.beta_a)
        )
        components = 1 if self.average else votes.shape[2]
        cost = mass * (components * beta_v + log_deviations)
        logits = inverse_temperature * (beta_a - cost)
        distances = self._reduce(squares * (0.5 / variances), axis=2)
        return means, logits, -distances - log_deviations

    def _reduce(self, components, axis):
        """The mean, or as published the sum, over the components of capsules."""
        reduce = ops.mean if self.average else ops.sum
        return reduce(components, axis=axis)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "iterations": self.iterations,
                "schedule": self.schedule,
                "average": self.average,
                "stop_gradient": self.stop_gradient,
                "epsilon": self.epsilon,
            }
        )
        return config
