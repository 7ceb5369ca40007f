"""Arguments that several `keras-slu data` commands take."""

from typing import Annotated

import typer

Train = Annotated[
    str,
    typer.Argument(
        help="Training data; or, alone, a folder that holds train, dev and test, "
        "or a recipe."
    ),
]
Dev = Annotated[str | None, typer.Argument(help="Development data.")]
Test = Annotated[str | None, typer.Argument(help="Test data.")]
SourceFormat = Annotated[
    str | None,
    typer.Option("--from", help="Format of the data. Default: by their content."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
