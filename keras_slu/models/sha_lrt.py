"""SHA-LRT: a layer-refined Transformer that hears a dialogue (Cheng et al. 2022)."""

import keras

from keras_slu.layers.salient_history import SalientHistoryAttention
from keras_slu.models.lrt import LRT


@keras.saving.register_keras_serializable(package="keras_slu")
class SHALRT(LRT):
    """`LRT` behind `SalientHistoryAttention` to earlier turns and their results.

    The switches give each ablation of the paper: `parallel` is SHA-P,
    `history_source` takes one of the two attentions, `refine_after` and
    `generator` are LRM and SLG; without history it is `LRT`.

    Args:
        vocabulary_size: int. Number of token ids, padding and unknown included.
        intents, tags: list of str. See `JointModel`.
        dim: int. Width of all hidden features, a multiple of `num_heads` and
            at least twice it. Defaults to `128`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. See `LRT`. Defaults to `None`.
        dropout: float. See `LRT`. Defaults to `0.1`.
        history_layers: int. `N`. Defaults to `1`.
        history_source: str. `"both"`, or `"utterances"` or `"results"` alone.
            Defaults to `"both"`.
        parallel: bool. SHA-P. Defaults to `False`.
        max_turns: int. Turns that the history's turn embedding tells apart,
            or `None` for no such embedding. Defaults to `8`.
        history_merge, parallel_merge: str. See `SalientHistoryAttention`.
            Default to `"sum"`.
        max_history: int. Rows of earlier turns that are kept, one for each
            sentence and each word; `max_tokens` is at most one less. Defaults
            to `128`.
        system_turns: bool. Whether what the system says joins the history, with
            no results. Defaults to `False`.
        **kwargs: passed to `LRT`.

    Call arguments:
        inputs: dict, as for `LRT`, and the history: `history_ids`,
            `history_results`, `history_turns`, int32 `(batch, history)`, as
            `keras_slu.models.dialogue_state` has them. Without these three,
            every utterance is the first of its dialogue.
        training: bool.

    Returns:
        dict, as `LRT`.

    Example:

    >>> import numpy as np
    >>> model = SHALRT(50, intents=["play", "stop"], tags=["O", "B-song", "I-song"],
    ...                dim=16, num_layers=2, refine_after=(1,))
    >>> inputs = {"token_ids": np.array([[4, 8, 15]]),
    ...           "history_ids": np.array([[-1, 16, 23]]),
    ...           "history_results": np.array([[0, 1, 2]]),
    ...           "history_turns": np.array([[1, 1, 1]])}
    >>> model(inputs)["slots"].shape
    TensorShape([1, 3, 3])

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209)
    """

    def __init__(
        self,
        vocabulary_size,
        intents,
        tags,
        dim=128,
        num_heads=8,
        inner_dim=None,
        dropout=0.1,
        history_layers=1,
        history_source="both",
        parallel=False,
        max_turns=8,
        history_merge="sum",
        parallel_merge="sum",
        max_history=128,
        system_turns=False,
        dtype=None,
        **kwargs,
    ):
        salient_history = SalientHistoryAttention(
            dim,
            history_layers,
            num_heads,
            inner_dim,
            parallel=parallel,
            history=history_source,
            max_turns=max_turns,
            merge=history_merge,
            parallel_merge=parallel_merge,
            dropout=dropout,
            name="salient_history",
            dtype=dtype,
        )
        super().__init__(
            vocabulary_size,
            intents,
            tags,
            dim=dim,
            num_heads=num_heads,
            inner_dim=inner_dim,
            dropout=dropout,
            salient_history=salient_history,
            max_history=max_history,
            dtype=dtype,
            **kwargs,
        )
        self.system_turns = system_turns
        self._history_settings = {
            "history_layers": history_layers,
            "history_source": history_source,
            "parallel": parallel,
            "max_turns": max_turns,
            "history_merge": history_merge,
            "parallel_merge": parallel_merge,
            "system_turns": system_turns,
        }

    def get_config(self):
        config = super().get_config()
        del config["salient_history"]
        return {**config, **self._history_settings}
