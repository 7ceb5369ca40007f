"""Scores, reports and calibration of what a model predicts."""

from keras_slu.evaluation.scores import Labels as Labels
from keras_slu.evaluation.scores import Scores as Scores
from keras_slu.evaluation.scores import score as score
from keras_slu.evaluation.scores import score_spans as score_spans
