"""`keras-slu data`: what a user's data hold, and other forms of them."""

import typer

from keras_slu.cli.data.convert import convert
from keras_slu.cli.data.punctuate_corpus import punctuate_corpus
from keras_slu.cli.data.split import split
from keras_slu.cli.data.stats import stats
from keras_slu.cli.data.validate import validate

app = typer.Typer(
    name="data",
    help="Check, count, divide and convert labelled data.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for command in (validate, stats, split, convert, punctuate_corpus):
    app.command()(command)
