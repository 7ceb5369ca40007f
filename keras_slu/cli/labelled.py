"""Labelled data as a run has them: its recipe says what the intents are."""


def read_for(run, data):
    """Reads labelled data for a run, or for an export, which has no recipe.

    Args:
        run: path.
        data: str, as for `keras_slu.data.read`.

    Returns:
        list of `Utterance`, never empty.

    Raises:
        InputError: as `keras_slu.data.read` and `load_recipe`.
    """
    from keras_slu.data import read
    from keras_slu.data.dialogue import with_acts
    from keras_slu.training.recipe import load_recipe
    from keras_slu.training.run import Run

    utterances = read(data)
    path = Run(run).recipe
    if path.is_file() and getattr(load_recipe(path)[0], "acts_as_intents", False):
        return with_acts(utterances)
    return utterances
