"""The wiring of SHA and SHA-P; their attentions have tests of their own."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import draw
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import prefix_mask
from keras import ops

from keras_slu.layers.salient_history import SalientHistoryAttention

HIDDEN = draw(3, 4, 16)
TURNS = np.array([[3, 3, 2, 2, 1, 1], [1, 1, 0, 0, 0, 0], [0] * 6], "int32")
HISTORY = {"utterances": draw(3, 6, 16, seed=1), "results": draw(3, 6, 16, seed=2)}
INPUTS = {
    "hidden": HIDDEN,
    **HISTORY,
    "turns": TURNS,
    "padding_mask": prefix_mask([4, 2, 1], 4),
    "history_mask": TURNS > 0,  # the last row is a first turn
}
SWITCHES = [
    {},
    {"num_layers": 2, "max_turns": 2, "merge": "norm"},
    {"parallel": True, "merge": "concat", "parallel_merge": "concat"},
    {"parallel": True, "parallel_merge": "norm"},
    {"history": "utterances"},
    {"history": "results", "parallel": True, "max_turns": 5},
]


def inputs_of(settings):
    """What a layer of these settings takes of `INPUTS`."""
    inputs = dict(INPUTS)
    if "max_turns" not in settings:
        del inputs["turns"]
    if settings.get("history") == "utterances":
        del inputs["results"]
    return inputs


def make(**settings):
    layer = SalientHistoryAttention(16, num_heads=4, inner_dim=12, **settings)
    inputs = inputs_of(settings)
    layer(**inputs)
    draw_weights(layer)
    return layer, inputs


def reference_layer(layer, hidden, utterances, results):
    mask = {"history_mask": INPUTS["history_mask"]}
    attended = layer.attention(
        hidden, hidden, hidden, padding_mask=INPUTS["padding_mask"]
    )
    current = transformer.add_norm(layer.attention_norm, hidden, array(attended))
    by_utterances = by_results = None
    if layer.utterance_attention is not None:
        by_utterances = array(layer.utterance_attention(current, utterances, **mask))
    if layer.result_attention is not None:
        query = current
        if layer.merge is None and by_utterances is not None:
            query = by_utterances
        by_results = array(layer.result_attention(query, utterances, results, **mask))
    if layer.merge is not None:
        both = transformer.merge(layer.merge, by_utterances, by_results)
    else:
        both = by_utterances if by_results is None else by_results
    forward = transformer.feed_forward(layer.feed_forward, both)
    return transformer.add_norm(layer.output_norm, both, forward)


@pytest.mark.parametrize("settings", SWITCHES)
def test_the_equations(settings):
    layer, inputs = make(**settings)
    utterances, results = HISTORY.values()
    if layer.max_turns:
        table = array(layer.turn_embedding.embeddings)
        assert len(table) == layer.max_turns
        ages = table[np.minimum(np.maximum(TURNS, 1), layer.max_turns) - 1]
        utterances, results = utterances + ages, results + ages
    hidden = HIDDEN
    assert len(layer.sublayers) == settings.get("num_layers", 1)
    for sublayer in layer.sublayers:
        joins = settings.get("parallel") and "history" not in settings
        assert (sublayer.merge is not None) == bool(joins)
        hidden = reference_layer(sublayer, hidden, utterances, results)
    expected = transformer.merge(layer.output_merge, HIDDEN, hidden)
    np.testing.assert_allclose(array(layer(**inputs)), expected, atol=1e-4)


@pytest.mark.parametrize("settings", [SWITCHES[1], SWITCHES[2], SWITCHES[4]])
def test_the_shared_checks(check_layer, settings):
    check_layer(
        lambda **kwargs: SalientHistoryAttention(16, num_heads=4, **settings, **kwargs),
        inputs_of(settings),
    )


@pytest.mark.parametrize("parallel", [False, True])
def test_a_first_turn_is_not_special(parallel):
    """Its row in a batch, alone without rows, and beside other padding agree."""
    layer, inputs = make(parallel=parallel)
    expected = array(layer(**inputs))[2:, :1]
    none = {name: rows[2:, :0] for name, rows in HISTORY.items()}
    alone = array(layer(HIDDEN[2:, :1], **none))
    np.testing.assert_allclose(alone, expected, atol=1e-5)
    other = {name: 9.0 * rows[2:, ::-1] for name, rows in HISTORY.items()}
    other = array(layer(HIDDEN[2:, :1], **other, history_mask=np.zeros((1, 6), bool)))
    np.testing.assert_allclose(other, expected, atol=1e-5)


@needs_tensorflow
@pytest.mark.parametrize("parallel", [False, True])
def test_the_gradients_of_a_batch_of_first_turns_are_finite(parallel):
    layer, inputs = make(parallel=parallel, max_turns=3)
    inputs["history_mask"] = np.zeros((3, 6), bool)
    for gradient in gradients(lambda: ops.sum(layer(**inputs) ** 2), layer.weights):
        assert np.isfinite(np.asarray(gradient)).all()


@pytest.mark.parametrize("name", ["utterances", "results", "turns"])
def test_all_of_the_history_counts(name):
    layer, inputs = make(max_turns=3)
    usual = array(layer(**inputs))
    inputs[name] = inputs[name][:, ::-1]
    changed = np.abs(array(layer(**inputs)) - usual).max(axis=(1, 2))
    assert changed[0] > 1e-3 and changed[2] == 0.0


def test_dropout_acts_in_training_only():
    layer, inputs = make(dropout=0.5)
    usual = array(layer(**inputs))
    np.testing.assert_array_equal(array(layer(**inputs, training=False)), usual)
    assert np.abs(array(layer(**inputs, training=True)) - usual).max() > 0.01


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="Received: 'all'"):
        SalientHistoryAttention(16, history="all")
    with pytest.raises(ValueError, match="Received: 0"):
        SalientHistoryAttention(16, num_layers=0)
    with pytest.raises(ValueError, match="needs `results`"):
        SalientHistoryAttention(16)(HIDDEN, HISTORY["utterances"])
    with pytest.raises(ValueError, match="max_turns=2 needs `turns`"):
        SalientHistoryAttention(16, max_turns=2)(HIDDEN, **HISTORY)
