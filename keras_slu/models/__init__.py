"""The published systems; importing this registers all that they are made of."""

from keras_slu import layers
from keras_slu import losses
from keras_slu import optimizers
from keras_slu import schedules
from keras_slu.models.co_interactive import CoInteractive
from keras_slu.models.crf_tagger import CRFTagger
from keras_slu.models.han import HAN
from keras_slu.models.joint import JointSLU
from keras_slu.models.stack_propagation import StackPropagation

__all__ = [
    "CRFTagger",
    "CoInteractive",
    "HAN",
    "JointSLU",
    "StackPropagation",
    "layers",
    "losses",
    "optimizers",
    "schedules",
]
