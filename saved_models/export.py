"""Exports a run to this folder, for TensorFlow Serving.

    python saved_models/export.py runs/home

The same as `keras-slu export --format saved_model`, wherever it is called.
"""

import sys
from pathlib import Path

from keras_slu.cli.main import main

if __name__ == "__main__":
    folder = str(Path(__file__).resolve().parent)
    sys.argv[1:1] = ["export", "--format", "saved_model", "--output", folder]
    main()
