"""Converts a run to a LiteRT model in this folder.

    python tflite/convert.py runs/han-snips-seed1 --quantize dynamic

The same as `keras-slu export --format litert`, with the result written here.
"""

import sys
from pathlib import Path

from keras_slu.cli.main import main

if __name__ == "__main__":
    here = str(Path(__file__).resolve().parent)
    sys.argv[1:1] = ["export", "--format", "litert", "--output", here]
    main()
