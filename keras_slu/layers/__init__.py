"""Layers that stand on their own; importing this registers them with Keras."""

from keras_slu.layers.bilinear_attention import BilinearAttention
from keras_slu.layers.bio import bio_constraints
from keras_slu.layers.bio import bio_continues
from keras_slu.layers.crf import CRF
from keras_slu.layers.embedder import SelfAttentiveEmbedder
from keras_slu.layers.feature_fusion import DynamicFeatureFusion
from keras_slu.layers.first_order_attention import FirstOrderAttention
from keras_slu.layers.higher_order_encoder import HigherOrderAttentionEncoder
from keras_slu.layers.higher_order_interaction import HigherOrderInteraction
from keras_slu.layers.label_attention import LabelAttention
from keras_slu.layers.windowed_feed_forward import WindowedFeedForward

__all__ = [
    "BilinearAttention",
    "CRF",
    "DynamicFeatureFusion",
    "FirstOrderAttention",
    "HigherOrderAttentionEncoder",
    "HigherOrderInteraction",
    "LabelAttention",
    "SelfAttentiveEmbedder",
    "WindowedFeedForward",
    "bio_constraints",
    "bio_continues",
]
