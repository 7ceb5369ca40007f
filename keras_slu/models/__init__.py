"""The published systems; importing this registers all that they are made of."""

from keras_slu import layers
from keras_slu import losses
from keras_slu import optimizers
from keras_slu import schedules
from keras_slu.data.skill_task import SkillTask
from keras_slu.encoders.hub import HubEncoder
from keras_slu.encoders.model_garden import ModelGardenEncoder
from keras_slu.encoders.window_encoder import WindowEncoder
from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.models.co_interactive import CoInteractive
from keras_slu.models.crf_tagger import CRFTagger
from keras_slu.models.dialogue_baselines import MemoryEncoder
from keras_slu.models.dialogue_baselines import TwoRoundBiLSTM
from keras_slu.models.ffa import FFA
from keras_slu.models.han import HAN
from keras_slu.models.joint import JointSLU
from keras_slu.models.joint_bert import JointBERT
from keras_slu.models.lrt import LRT
from keras_slu.models.punctuation_tagger import PunctuationTagger
from keras_slu.models.sha_lrt import SHALRT
from keras_slu.models.skillnet import SkillNet
from keras_slu.models.slot_refine import SlotRefine
from keras_slu.models.stack_propagation import StackPropagation

__all__ = [
    "CRFTagger",
    "CapsuleTransformer",
    "CoInteractive",
    "FFA",
    "HAN",
    "HubEncoder",
    "JointBERT",
    "JointSLU",
    "SkillNet",
    "SkillTask",
    "SlotRefine",
    "LRT",
    "MemoryEncoder",
    "TwoRoundBiLSTM",
    "SHALRT",
    "ModelGardenEncoder",
    "PunctuationTagger",
    "StackPropagation",
    "WindowEncoder",
    "layers",
    "losses",
    "optimizers",
    "schedules",
]
