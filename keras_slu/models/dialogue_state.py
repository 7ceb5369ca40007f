"""What a dialogue model remembers, as int32 tensors of fixed shape.

A state is a dict: `history_ids`, `history_results` and `history_turns`, each
`(batch, max_history)`, and `fingerprint` `(batch, 2)`, whose model it is. The
rows of the history are in the order of time, padding comes last. A turn has a
row for its sentence, then one for each word.

- `history_ids`: -1 at a sentence, else token ids; 0 at padding.
- `history_results`: the intent of a sentence, the tag of a word; -1 for none.
  See `ResultEmbedding`.
- `history_turns`: how many turns ago it was, 1 for the last; 0 at padding.

All zeros are the state before the first turn.
"""

import hashlib

import numpy as np
from keras import ops

from keras_slu.data.history import HISTORY
from keras_slu.layers.sentence_embedder import SENTENCE


def fingerprint(model):
    """Two numbers that another model does not have, int32 `(2,)`.

    They come from the weights that predict, the words and the labels: a model
    and its exports have the same.
    """
    seen = hashlib.sha256()
    for weight in model.weights:
        seen.update(np.ascontiguousarray(ops.convert_to_numpy(weight)).tobytes())
    names = [model.intents, model.tags, model.vocabulary and model.vocabulary.words]
    seen.update(repr([*names, model.max_history]).encode())
    found = np.frombuffer(seen.digest()[:8], "<i4").astype(np.int32)
    return np.maximum(np.abs(found), 1)  # zeros are of no model


def empty_state(batch, max_history):
    """The state before the first turn, as NumPy arrays."""
    state = {name: np.zeros((batch, max_history), np.int32) for name in HISTORY}
    return {**state, "fingerprint": np.zeros((batch, 2), np.int32)}


def checked(state, model_fingerprint, vocabulary_size):
    """The state as far as it is this model's.

    Args:
        state: dict of tensors.
        model_fingerprint: int32 `(2,)`.
        vocabulary_size: int.

    Returns:
        `(state, state_ok)`: the state, empty in the rows that are another
        model's, and `(batch,)` bool, false there. Ids that no model makes are
        mended: a fault in one row must not fail the batch.
    """
    given = state["fingerprint"]
    is_own = ops.all(ops.equal(given, model_fingerprint), axis=1)
    is_new = ops.logical_and(
        ops.all(ops.equal(given, 0), axis=1),
        ops.all(ops.equal(state["history_ids"], 0), axis=1),
    )
    kept = ops.cast(is_own, "int32")[:, None]
    ids = ops.clip(state["history_ids"], SENTENCE, vocabulary_size - 1) * kept
    # What comes behind padding is padding.
    is_real = ops.cumsum(ops.cast(ops.equal(ids, 0), "int32"), axis=1) < 1
    real = ops.cast(is_real, "int32")
    return {
        "history_ids": ids * real,
        "history_results": ops.maximum(state["history_results"], -1) * real,
        "history_turns": ops.maximum(state["history_turns"], 1) * real,
    }, ops.logical_or(is_own, is_new)


def history_of(inputs):
    """The history among a model's inputs; a row of padding where there is none."""
    if HISTORY[0] not in inputs:
        nothing = ops.zeros_like(inputs["token_ids"][:, :1], dtype="int32")
        return (nothing,) * len(HISTORY)
    # Keras tries a model under `tf.distribute` on means of ids, which are floats.
    return tuple(ops.cast(inputs[name], "int32") for name in HISTORY)


def take_turn(model, state, token_ids, own):
    """Answers a turn and remembers it.

    Args:
        model: `JointModel` that takes a history.
        state: dict of int32 tensors.
        token_ids: int32 `(batch, time)`, 0 at padding.
        own: int32 `(2,)`, the model's `fingerprint`.

    Returns:
        `(answers, state, state_ok)`: what `decode` gives; the state after the
        turn; and what `checked` says of the one before it.
    """
    history, state_ok = checked(state, own, len(model.vocabulary))
    # A short history costs no more than a short history.
    longest = ops.max(ops.sum(ops.cast(history["history_turns"] > 0, "int32"), axis=1))
    longest = ops.maximum(longest, 1)
    heard = {name: rows[:, :longest] for name, rows in history.items()}
    inputs = {"token_ids": token_ids, **heard}
    outputs = model(inputs, training=False)
    answers = model.decode(outputs, model.padding_mask(inputs))
    history = advance(history, token_ids, _intent_result(answers), answers["tags"])
    return answers, _signed(history, own), state_ok


def hear(model, state, token_ids, own):
    """Remembers what the system says, of which there are no results.

    Args:
        model, state, token_ids, own: as for `take_turn`.

    Returns:
        `(state, state_ok)`.
    """
    history, state_ok = checked(state, own, len(model.vocabulary))
    nothing = -ops.ones_like(token_ids)
    history = advance(history, token_ids, nothing[:, 0], nothing)
    return _signed(history, own), state_ok


def _signed(history, own):
    batch = ops.shape(history[HISTORY[0]])[0]
    return {**history, "fingerprint": ops.broadcast_to(own, (batch, 2))}


def _intent_result(answers):
    """The result of a sentence; see `keras_slu.data.history.intent_result`."""
    if "intent_active" in answers:
        active = ops.cast(answers["intent_active"], "int32")
        return ops.sum(active * [2**i for i in range(active.shape[1])], axis=1)
    _, best = ops.top_k(answers["intent_probabilities"], 1)
    return ops.cast(best[:, 0], "int32")


def advance(history, token_ids, intent, tags):
    """The history after one more turn.

    Whole turns leave from the front when the new one needs their room. A turn
    that is longer than all of it is cut at its end.

    Args:
        history: dict of int32 tensors `(batch, max_history)`.
        token_ids: int32 `(batch, time)`, 0 at padding: the turn's words.
        intent: int32 `(batch,)`, the result of its sentence, -1 for none.
        tags: int32 `(batch, time)`, the results of its words, -1 for none.

    Returns:
        dict like `history`.
    """
    room = history["history_ids"].shape[1]
    old = ops.stack([history[name] for name in HISTORY], axis=-1)
    is_old = ops.not_equal(history["history_ids"], 0)
    old = old + ops.cast(is_old, "int32")[..., None] * [0, 0, 1]  # a turn older
    new = _rows_of_turn(token_ids, intent, tags)[:, :room]
    size = ops.sum(new[..., 2], axis=1, keepdims=True)
    dropped = _dropped(history["history_turns"], is_old, room - size)
    kept = ops.sum(ops.cast(is_old, "int32"), axis=1, keepdims=True) - dropped

    nothing = ops.zeros_like(new[:, :1])
    rows = ops.concatenate([old, new, nothing], axis=1)
    batch, width = ops.shape(rows)[:2]
    place = ops.arange(room, dtype="int32")[None]
    source = ops.where(place < kept, place + dropped, place - kept + room)
    source = ops.where(place < kept + size, source, width - 1)
    source = source + width * ops.arange(batch, dtype="int32")[:, None]
    found = ops.take(ops.reshape(rows, (-1, len(HISTORY))), source, axis=0)
    return {name: found[..., place] for place, name in enumerate(HISTORY)}


def _rows_of_turn(token_ids, intent, tags):
    """The rows of a new turn, `(batch, 1 + time, 3)`, zeros at padding."""
    first = [[0, 0], [1, 0]]
    ids = ops.pad(token_ids, first, constant_values=SENTENCE)
    is_real = ops.cast(ops.not_equal(ids, 0), "int32")
    results = ops.concatenate([intent[:, None], tags], axis=1) * is_real
    return ops.stack([ids, results, is_real], axis=-1)


def _dropped(turns, is_old, room):
    """How many rows of whole turns must leave for the rest to fit, `(batch, 1)`."""
    # Of each row's turn and all after it.
    is_later = ops.logical_and(turns[:, None, :] <= turns[:, :, None], is_old[:, None])
    needed = ops.sum(ops.cast(is_later, "int32"), axis=-1)
    leaves = ops.logical_and(is_old, needed > room)
    return ops.sum(ops.cast(leaves, "int32"), axis=1, keepdims=True)
