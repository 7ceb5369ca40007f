"""Layers that stand on their own; importing this registers them with Keras."""

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.autoregressive_decoder import AutoregressiveDecoder
from keras_slu.layers.bilinear_attention import BilinearAttention
from keras_slu.layers.bio import bio_constraints
from keras_slu.layers.bio import bio_continues
from keras_slu.layers.calibration import Calibration
from keras_slu.layers.capsule_attention import CapsuleMultiHeadAttention
from keras_slu.layers.capsule_refinement import CapsuleRefinement
from keras_slu.layers.capsule_votes import CapsuleVotes
from keras_slu.layers.causal_embedder import CausalEmbedder
from keras_slu.layers.crf import CRF
from keras_slu.layers.dynamic_routing import DynamicRouting
from keras_slu.layers.em_routing import EMRouting
from keras_slu.layers.embedder import SelfAttentiveEmbedder
from keras_slu.layers.feature_fusion import DynamicFeatureFusion
from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.first_order_attention import FirstOrderAttention
from keras_slu.layers.higher_order_encoder import HigherOrderAttentionEncoder
from keras_slu.layers.higher_order_interaction import HigherOrderInteraction
from keras_slu.layers.history_attention import HistoryResultAttention
from keras_slu.layers.history_attention import HistoryUtteranceAttention
from keras_slu.layers.label_attention import LabelAttention
from keras_slu.layers.layer_refine import LayerRefine
from keras_slu.layers.layer_refine import with_sentence
from keras_slu.layers.merge import Merge
from keras_slu.layers.mixture_feed_forward import MixtureFeedForward
from keras_slu.layers.multi_head_self_attention import MultiHeadSelfAttention
from keras_slu.layers.relative_encoder import RelativeEncoder
from keras_slu.layers.relative_encoder import RelativeEncoderLayer
from keras_slu.layers.relative_self_attention import RelativeSelfAttention
from keras_slu.layers.result_embedding import ResultEmbedding
from keras_slu.layers.salient_history import SalientHistoryAttention
from keras_slu.layers.sentence_embedder import SentenceEmbedder
from keras_slu.layers.skill_encoder import SkillEncoder
from keras_slu.layers.skill_feed_forward import SkillFeedForward
from keras_slu.layers.skill_transformer_layer import SkillTransformerLayer
from keras_slu.layers.slot_label_generator import SlotLabelGenerator
from keras_slu.layers.slot_label_generator import consistency_losses
from keras_slu.layers.stream_fusion import FeatureFusion
from keras_slu.layers.transformer_decoder_layer import TransformerDecoderLayer
from keras_slu.layers.transformer_encoder_layer import TransformerEncoderLayer
from keras_slu.layers.transformer_layer import InteractionSelfAttention
from keras_slu.layers.transformer_layer import MaskedSelfAttention
from keras_slu.layers.transformer_layer import TransformerLayer
from keras_slu.layers.two_channel_embedding import TwoChannelEmbedding
from keras_slu.layers.windowed_feed_forward import WindowedFeedForward

__all__ = [
    "AddNorm",
    "AutoregressiveDecoder",
    "BilinearAttention",
    "CRF",
    "Calibration",
    "CapsuleMultiHeadAttention",
    "CapsuleRefinement",
    "CapsuleVotes",
    "CausalEmbedder",
    "DynamicFeatureFusion",
    "DynamicRouting",
    "EMRouting",
    "FeatureFusion",
    "FeedForward",
    "FirstOrderAttention",
    "HigherOrderAttentionEncoder",
    "HigherOrderInteraction",
    "HistoryResultAttention",
    "HistoryUtteranceAttention",
    "InteractionSelfAttention",
    "LabelAttention",
    "LayerRefine",
    "MaskedSelfAttention",
    "Merge",
    "MixtureFeedForward",
    "MultiHeadSelfAttention",
    "RelativeEncoder",
    "RelativeEncoderLayer",
    "RelativeSelfAttention",
    "ResultEmbedding",
    "SalientHistoryAttention",
    "SelfAttentiveEmbedder",
    "SentenceEmbedder",
    "SkillEncoder",
    "SkillFeedForward",
    "SkillTransformerLayer",
    "SlotLabelGenerator",
    "TransformerDecoderLayer",
    "TransformerEncoderLayer",
    "TransformerLayer",
    "TwoChannelEmbedding",
    "WindowedFeedForward",
    "bio_constraints",
    "bio_continues",
    "consistency_losses",
    "with_sentence",
]
