"""`keras-slu attention`: where intent and slots look at each other, as a picture."""

import json
from pathlib import Path
from typing import Annotated

import typer


def attention(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    text: Annotated[str, typer.Argument(help="The utterance.")],
    output: Annotated[
        Path | None,
        typer.Option(help="The picture, a .png file. Default: RUN/attention.png."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the numbers; draw only with --output."),
    ] = False,
):
    """Draw the attention between intent and slots over one utterance.

    A heat map for each layer and side: a row is a token of that side, and is
    dark in the columns of those tokens of the other side that it attends to.
    """
    if output is None and not as_json:
        output = run / "attention.png"
    if output is not None:
        _check_output(output)

    from keras_slu.cli.status import status

    with status("Loading the run"):
        words, maps = _attention(run, text)
    if output is not None:
        _draw(words, maps, output)
    if as_json:
        layers = [
            {"intent": intent.tolist(), "slots": slots.tolist()}
            for intent, slots in maps
        ]
        content = {"text": text, "tokens": words, "layers": layers}
        typer.echo(json.dumps(content, indent=2))
    else:
        typer.echo(f"Drew {len(words)} tokens, {len(maps)} layers: {output}")


def _check_output(output):
    from keras_slu.errors import InputError
    from keras_slu.training.pictures import can_draw

    if output.suffix.lower() != ".png":
        raise InputError("is no .png file", "Name one with --output.", file=output)
    if not can_draw():
        raise InputError(
            "a picture needs matplotlib",
            "Install it with: pip install 'keras-slu[report]'. Or print the numbers: "
            "--json without --output.",
        )


def _attention(run, text):
    """The tokens, and for each layer the arrays `(tokens, tokens)` of both sides."""
    from keras_slu.data.encoding import encode_words
    from keras_slu.errors import InputError
    from keras_slu.parsing.loading import load_to_parse
    from keras_slu.training.pictures import attention_maps

    model = getattr(load_to_parse(run), "model", None)
    if model is None:
        raise InputError(
            "is an export, which does not give its attention",
            "Name the run that it was made of.",
            file=run,
        )
    words = [token.text for token in model.tokenizer.tokenize(text)]
    if not words:
        raise InputError("the text holds no token", "Give it a word.")
    ids, _ = encode_words(words, model.tokenizer, model.vocabulary, model.max_tokens)
    maps = attention_maps(model, ids)
    if not maps:
        raise InputError(
            f"its model, a {type(model).__name__}, has no attention between intent "
            "and slots",
            "Name the run of a model that has.",
            file=run,
        )
    return words[: len(ids)], maps


def _draw(words, maps, output):
    from matplotlib.image import imsave

    from keras_slu.files import atomic_path
    from keras_slu.training.pictures import attention_picture

    with atomic_path(output) as temporary:
        imsave(temporary, attention_picture(words, maps), format="png")
