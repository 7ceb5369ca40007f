"""Adam, rectified (Liu et al. 2019) or not, with few passes over memory."""

import math
from itertools import count

import keras
from keras import ops

# The largest length of the approximated moving average for which the paper's
# authors, and everybody after them, leave the adaptive rate out.
THRESHOLD = 5.0

# An epsilon beside which sqrt(v) vanishes: rate * HUGE * m / (sqrt(v) + HUGE)
# is rate * m. With it the unrectified first steps need no formula of their own.
HUGE = 2.0**64


@keras.saving.register_keras_serializable(package="keras_slu")
class RectifiedAdam(keras.optimizers.Optimizer):
    """Adam whose adaptive learning rate has a bounded variance from the start.

    While too few gradients have been seen for a second moment that can be
    trusted (the first five steps by default), it moves by momentum alone;
    then by Adam's rule, at a rate that grows with the trust. No warm-up is
    needed.

    On the TensorFlow backend a sparse gradient (`tf.IndexedSlices`, the
    gradient of an embedding) updates the rows of its batch and touches no
    other: what the moments of a row have decayed since its last batch is made
    up for when it comes again, and so is what `use_ema` would have averaged. A
    step on a large table thus costs what its batch costs. A variable whose first
    gradient is dense is always updated as a whole. Gradients are clipped after
    those of all replicas and of all occurrences of a row are summed, so that norms
    are those of one replica.

    Args:
        learning_rate: float, a `keras.optimizers.schedules.LearningRateSchedule`
            or a callable without arguments. Defaults to `0.001`.
        beta_1: float. Decay of the first moment. Defaults to `0.9`.
        beta_2: float. Decay of the second moment. Defaults to `0.999`.
        epsilon: float. Added to the root of the unbiased second moment.
            Defaults to `1e-7`.
        rectify: bool. Whether the variance is bounded. `False` gives Adam (Kingma
            and Ba 2015) in the same few passes. Defaults to `True`.
        rate_factors: dict from the paths of variables to what their learning
            rate is multiplied by, such as those of a pretrained encoder.
            Weight decay does not heed it. Defaults to none.
        **kwargs: the arguments of `keras.optimizers.Optimizer`, such as
            `weight_decay` (decoupled, as in AdamW), `clipnorm`,
            `global_clipnorm`, `use_ema` and `name`.

    Raises:
        ValueError: for a `beta_1` or `beta_2` outside `(0, 1)`.

    Example:

    >>> import numpy as np
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> model.compile(optimizer=RectifiedAdam(0.01, weight_decay=1e-4), loss="mse")
    >>> history = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    >>> int(model.optimizer.iterations)
    1

    Reference:
        - [Liu et al., 2019](https://arxiv.org/abs/1908.03265), Algorithm 2
        - [Kingma and Ba, 2015](https://arxiv.org/abs/1412.6980), Algorithm 1
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-7,
        rectify=True,
        rate_factors=None,
        **kwargs,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        for name, beta in (("beta_1", beta_1), ("beta_2", beta_2)):
            if not 0.0 < beta < 1.0:
                raise ValueError(
                    f"`{name}` must be between 0 and 1. Received: {name}={beta}"
                )
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.rectify = rectify
        self.rate_factors = dict(rate_factors or {})
        self._first_rectified_step = _first_rectified_step(beta_2)
        # Indices of the variables that are updated by rows, and as a whole.
        self._row_updated = set()
        self._wholly_updated = set()

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self._momentums, self._velocities = self.add_optimizer_variables(
            variables, ["momentum", "velocity"]
        )
        # The step at which each row's moments were last brought up to date;
        # float32 counts exactly up to 16 million.
        self._row_steps = [
            self.add_variable(shape=v.shape[:1], dtype="float32", name="row_step")
            for v in variables
        ]

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        # The scalars are the same for every variable: made once, they save
        # more time than the update of a small matrix takes. `update_step` gets
        # them in the place of the learning rate.
        super()._backend_update_step(
            grads, trainable_variables, self._scalars(learning_rate)
        )

    def _scalars(self, learning_rate):
        """Gives `rate`, `epsilon` and `step`, float32 scalars.

        With them the move is `rate * m / (sqrt(v) + epsilon)` on the raw, biased
        moments at every step.
        """
        step = ops.cast(self.iterations + 1, "float32")
        # expm1: 1 - beta ** step would lose half of its digits at first.
        unbias_1 = -ops.expm1(step * math.log(self.beta_1))
        unbias_2 = -ops.expm1(step * math.log(self.beta_2))
        root = ops.sqrt(unbias_2)
        learning_rate = ops.cast(learning_rate, "float32")
        if not self.rectify:
            return learning_rate * root / unbias_1, self.epsilon * root, step
        if self._first_rectified_step is None:
            return learning_rate * HUGE / unbias_1, ops.cast(HUGE, "float32"), step
        limit = _sma_limit(self.beta_2)
        length = limit - 2.0 * step * (1.0 - unbias_2) / unbias_2
        rectification = ops.sqrt(
            ops.maximum((length - 4.0) * (length - 2.0) / length, 0.0)
            * (limit / ((limit - 4.0) * (limit - 2.0)))
        )
        rectified = step >= self._first_rectified_step
        rate = ops.where(rectified, rectification * root, HUGE) / unbias_1
        epsilon = ops.where(rectified, self.epsilon * root, HUGE)
        return learning_rate * rate, epsilon, step

    def update_step(self, gradient, variable, learning_rate):
        rate, epsilon, step = learning_rate  # of `_backend_update_step`
        index = self._get_variable_index(variable)
        # Here the backend's own variable is at hand, which has no path.
        path = self._trainable_variables[index].path
        if path in self.rate_factors:
            rate = rate * self.rate_factors[path]
        m, v = self._momentums[index], self._velocities[index]
        dtype = keras.backend.standardize_dtype(variable.dtype)
        # The kernels work in the variable's precision: in bfloat16, 0.999 is 1.
        precise = dtype in ("float32", "float64")
        if keras.backend.backend() != "tensorflow" or not precise:
            self._plain_update(gradient, variable, m, v, rate, epsilon)
        elif self._is_row_updated(index, gradient):
            self._row_update(gradient, variable, index, rate, epsilon, step)
        else:
            self._fused_update(gradient, variable, m, v, rate, epsilon)

    def _plain_update(self, gradient, variable, m, v, rate, epsilon):
        dtype = keras.backend.result_type(variable.dtype, "float32")
        gradient = ops.cast(ops.convert_to_tensor(gradient), dtype)
        new_m = ops.cast(m, dtype)
        new_m = new_m + (gradient - new_m) * (1.0 - self.beta_1)
        new_v = ops.cast(v, dtype)
        new_v = new_v + (ops.square(gradient) - new_v) * (1.0 - self.beta_2)
        self.assign(m, new_m)
        self.assign(v, new_v)
        move = rate * new_m / (ops.sqrt(new_v) + epsilon)
        self.assign_sub(variable, ops.cast(move, variable.dtype))

    def _is_row_updated(self, index, gradient):
        """Whether a variable is updated by rows: its first gradient decides."""
        if index not in self._wholly_updated and index not in self._row_updated:
            sparse = _is_sparse(gradient)
            (self._row_updated if sparse else self._wholly_updated).add(index)
        return index in self._row_updated

    # The TensorFlow kernels below take resource handles: inside
    # `distribution.extended.update` these are the ones of the replica at hand.

    def _fused_update(self, gradient, variable, m, v, rate, epsilon):
        """Adam's kernel: one pass over memory where plain ops make a dozen."""
        import tensorflow as tf

        dtype = variable.dtype
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=m.value.handle,
            v=v.value.handle,
            # The powers of beta are those of the kernel's own bias correction,
            # which `rate` and `epsilon` hold already.
            beta1_power=tf.zeros((), dtype),
            beta2_power=tf.zeros((), dtype),
            lr=tf.cast(rate, dtype),
            beta1=tf.constant(self.beta_1, dtype),
            beta2=tf.constant(self.beta_2, dtype),
            epsilon=tf.cast(epsilon, dtype),
            grad=tf.cast(tf.convert_to_tensor(gradient), dtype),
        )

    @property
    def _averages_rows(self):
        """Whether averages, too, are brought up to date with the rows of a batch.

        That takes rows which stay what they are while no batch has them.
        """
        moves_all = self.weight_decay or self.ema_overwrite_frequency
        return bool(self.use_ema and self.ema_momentum and not moves_all)

    def _row_update(self, gradient, variable, index, rate, epsilon, step):
        """Updates the rows that the gradient holds, in what they cost."""
        import tensorflow as tf

        dtype = variable.dtype
        if not _is_sparse(gradient):
            gradient = tf.IndexedSlices(gradient, tf.range(tf.shape(gradient)[0]))
        gradient = _merge_rows(tf.cast(gradient, dtype))
        rows, gradient = gradient.indices, gradient.values

        def read(handle, dtype):
            return tf.raw_ops.ResourceGather(resource=handle, indices=rows, dtype=dtype)

        def write(handle, values):
            tf.raw_ops.ResourceScatterUpdate(
                resource=handle, indices=rows, updates=values
            )

        m = self._momentums[index].value.handle
        v = self._velocities[index].value.handle
        row_step = self._row_steps[index].value.handle
        last = read(row_step, tf.float32)
        elapsed = _beside(step - last, variable)
        new_m = read(m, dtype) * _decay(self.beta_1, elapsed, dtype)
        new_m += gradient * (1.0 - self.beta_1)
        new_v = read(v, dtype) * _decay(self.beta_2, elapsed, dtype)
        new_v += tf.square(gradient) * (1.0 - self.beta_2)
        write(m, new_m)
        write(v, new_v)
        write(row_step, tf.fill(tf.shape(rows), step))
        move = tf.cast(rate, dtype) * new_m / (tf.sqrt(new_v) + tf.cast(epsilon, dtype))
        if self._averages_rows:  # before the rows move
            average = self._model_variables_moving_average[index].value.handle
            before, mean = read(variable.handle, dtype), read(average, dtype)
            mean = self._mean(before, mean, elapsed - 1.0, _beside(last, variable))
            share = tf.cast(tf.where(step > 1.0, 1.0 - self.ema_momentum, 1.0), dtype)
            write(average, mean + share * (before - move - mean))
        tf.raw_ops.ResourceScatterSub(
            resource=variable.handle, indices=rows, updates=move
        )

    def _mean(self, rows, average, elapsed, last):
        """The average of rows that have stayed the same for `elapsed` steps.

        Those that no batch has had (`last` 0) have always been the same.
        """
        import tensorflow as tf

        share = _decay(self.ema_momentum, elapsed, rows.dtype)
        return tf.where(last > 0.0, rows + share * (average - rows), rows)

    def _overwrite_model_variables_with_average_value(self, trainable_variables):
        if self._averages_rows and keras.backend.backend() == "tensorflow":
            for index, row_step in enumerate(self._row_steps):
                self._bring_up_to_date(index, row_step)
        super()._overwrite_model_variables_with_average_value(trainable_variables)

    def _bring_up_to_date(self, index, row_step):
        """Makes up, in all rows, for the steps since they were last in a batch."""
        import tensorflow as tf

        last = tf.convert_to_tensor(row_step)
        if not tf.reduce_any(last > 0.0):  # updated as a whole, or not yet
            return
        variable = self._trainable_variables[index]
        average = self._model_variables_moving_average[index]
        step = tf.cast(self.iterations, "float32")
        elapsed = _beside(step - last, variable)
        rows = tf.convert_to_tensor(variable)
        mean = tf.convert_to_tensor(average)
        self.assign(average, self._mean(rows, mean, elapsed, _beside(last, variable)))
        for moment, beta in (
            (self._momentums[index], self.beta_1),
            (self._velocities[index], self.beta_2),
        ):
            self.assign(moment, moment * _decay(beta, elapsed, rows.dtype))
        self.assign(row_step, tf.fill(tf.shape(last), step))

    def _clip_gradients(self, grads):
        # As it stands, Keras clips what each replica has before the sum, takes
        # norms before the occurrences of a row are summed, and makes sparse
        # gradients dense.
        clips = self.clipnorm or self.clipvalue or self.global_clipnorm
        if not clips or keras.backend.backend() != "tensorflow":
            return super()._clip_gradients(grads)
        import tensorflow as tf

        replica = tf.distribute.get_replica_context()
        replicas = replica.num_replicas_in_sync
        if replicas > 1:
            grads = replica.all_reduce(tf.distribute.ReduceOp.SUM, list(grads))
        grads = [_merge_rows(g) if _is_sparse(g) else g for g in grads]
        if self.global_clipnorm:
            grads, _ = tf.clip_by_global_norm(grads, self.global_clipnorm)
        else:
            grads = super()._clip_gradients(grads)
        if replicas > 1:  # they are about to be summed over replicas once more
            grads = [tf.math.scalar_mul(1.0 / replicas, g) for g in grads]
        return grads

    def _update_model_variables_moving_average(self, trainable_variables):
        # Keras' own makes the scalars anew for each variable and takes four
        # passes over memory for what takes two.
        has_begun = ops.cast(ops.not_equal(self.iterations, 0), "float32")
        share = 1.0 - self.ema_momentum * has_begun
        averages = self._model_variables_moving_average
        for variable, average in zip(trainable_variables, averages, strict=True):
            index = self._get_variable_index(variable)
            by_rows = self._averages_rows and index in self._row_updated
            if average is not None and not by_rows:
                move = ops.cast(share, variable.dtype) * (variable - average)
                self.assign_add(average, move)

    def load_own_variables(self, store):
        # Keras builds the optimizer of a model that it loads. One that was
        # saved before its first step, as a run's is, has no moments to load.
        if len(store.keys()) > 2:  # iterations and learning rate
            super().load_own_variables(store)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "beta_1": self.beta_1,
                "beta_2": self.beta_2,
                "epsilon": self.epsilon,
                "rectify": self.rectify,
            }
        )
        if self.rate_factors:
            config["rate_factors"] = self.rate_factors
        return config


def _sma_limit(beta_2):
    """Length of the approximated moving average after infinitely many steps."""
    return 2.0 / (1.0 - beta_2) - 1.0


def _first_rectified_step(beta_2):
    """The first step whose moving average is long enough; `None` for none.

    Found in double precision: near the threshold, float32 can miss by a step.
    """
    limit = _sma_limit(beta_2)
    if limit <= THRESHOLD:
        return None

    def length(step):
        return limit - 2.0 * step * beta_2**step / (1.0 - beta_2**step)

    return next(step for step in count(1) if length(step) >= THRESHOLD)


def _is_sparse(gradient):
    """Whether a gradient of the TensorFlow backend is a `tf.IndexedSlices`."""
    import tensorflow as tf

    return isinstance(gradient, tf.IndexedSlices)


def _beside(of_rows, variable):
    """Numbers of rows `(rows,)` in a shape that goes with the variable's."""
    import tensorflow as tf

    return tf.reshape(of_rows, [-1] + [1] * (len(variable.shape) - 1))


def _decay(rate, steps, dtype):
    """What is left after some steps, `rate ** steps`."""
    import tensorflow as tf

    return tf.cast(tf.exp(steps * math.log(rate)), dtype)


def _merge_rows(gradient):
    """Sums the rows of a `tf.IndexedSlices` that have the same index."""
    import tensorflow as tf

    rows, position = tf.unique(gradient.indices)
    values = tf.math.unsorted_segment_sum(gradient.values, position, tf.size(rows))
    return tf.IndexedSlices(values, rows, gradient.dense_shape)
