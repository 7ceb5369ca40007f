"""`keras-slu demo`: the main job on the corpus that comes along."""

from importlib.resources import as_file
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

SENTENCES = (
    "switch off every lamp in the guest room",
    "could you put on something by the velvet foxes",
    "how warm will it get in lisbon on thursday",
    "wake me at twenty past six and start the coffee machine",
    "text grandma that we are running late",
)


def demo(
    run: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("runs/demo"),
):
    """Train on the embedded corpus, score, parse, export."""
    from keras_slu.training.recipe import load_recipe
    from keras_slu.training.threads import spare_threads

    with as_file(files("keras_slu.training") / "starters" / "home.yaml") as path:
        recipe, folder = load_recipe(path)
    spare_threads(recipe)

    import keras_slu
    from keras_slu.cli.scores import print_figures
    from keras_slu.training.fit import train
    from keras_slu.training.progress import Progress

    typer.echo("Training HAN on the home corpus: about two minutes.")
    figures = train(recipe, folder, run, callbacks=[Progress()])
    print_figures(figures)
    for frame in keras_slu.load(run).parse(list(SENTENCES)):
        typer.echo(f"\n{frame.text}")
        for intent in frame.intents:
            if intent.active:
                typer.echo(f"  intent {intent.name} ({intent.probability:.2f})")
        for slot in frame.slots:
            typer.echo(
                f"  {slot.name} = {slot.value!r} at {slot.start}:{slot.end} "
                f"({slot.confidence:.2f})"
            )
    _export(run)
    typer.echo(f"\nThe run is in {run}. Parse your own:")
    typer.echo(f"  keras-slu predict {run} 'dim the lights and play some jazz'")


def _export(run):
    """Exports the run in both forms and shows that all three agree."""
    from keras_slu.cli.verify import print_agreements
    from keras_slu.data import read
    from keras_slu.export.litert import export_litert
    from keras_slu.export.saved_model import export_saved_model
    from keras_slu.export.verification import verify

    typer.echo("\nExporting for TensorFlow Serving and for devices.")
    folder = run / "exports"
    saved_model = export_saved_model(run, folder, name="saved_model")
    device = folder / "demo.tflite"
    export_litert(run, device)
    print_agreements(*verify(run, [saved_model, device], read("embedded:home/test")))
