"""Trains a recipe of this folder and files its result.

    python training/train.py training/recipes/han-snips.yaml --seed 1

The same as `keras-slu train`, with the result written to `training/results/`.
"""

import sys
from pathlib import Path

from keras_slu.cli.main import main

if __name__ == "__main__":
    results = Path(__file__).resolve().parent / "results"
    sys.argv[1:1] = ["train", "--results", str(results)]
    main()
