"""The published systems; importing this registers all that they are made of."""

from keras_slu import layers
from keras_slu import losses
from keras_slu import optimizers
from keras_slu import schedules
from keras_slu.models.crf_tagger import CRFTagger
from keras_slu.models.han import HAN
from keras_slu.models.joint import JointSLU

__all__ = [
    "CRFTagger",
    "HAN",
    "JointSLU",
    "layers",
    "losses",
    "optimizers",
    "schedules",
]
