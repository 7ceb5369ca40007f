"""Takes over the weights of another encoder, skill by skill."""

from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.mixture_feed_forward import MixtureFeedForward
from keras_slu.layers.skill_feed_forward import SkillFeedForward

# What two encoders must have in common.
SIZES = ("vocabulary_size", "dim", "num_heads", "inner_dim", "num_layers")
PARTS = ("attention", "attention_norm", "output_norm")


def take_encoder(encoder, other, starts=None):
    """Gives a `SkillEncoder` the weights of another.

    Args:
        encoder: `SkillEncoder` that is changed.
        other: `SkillEncoder` of the same sizes. Its places may be more.
        starts: dict, from a skill that `other` lacks to the one of `other` that
            it starts from. Defaults to none. Of an encoder without skills, all
            start from the one network that it has.

    Raises:
        ValueError: when sizes differ, or a skill has nothing to start from.
    """
    check_sizes(encoder, other)
    for name in ("embedding", "segment_embedding", "norm"):
        _copy(getattr(encoder, name), getattr(other, name))
    encoder.positions.assign(other.positions[: encoder.max_pieces])
    for layer, source in zip(encoder.layers, other.layers, strict=True):
        for name in PARTS:
            _copy(getattr(layer, name), getattr(source, name))
        _take_feed_forward(layer.feed_forward, source.feed_forward, starts or {})


def check_sizes(encoder, other):
    """Refuses an encoder whose weights do not fit.

    Raises:
        ValueError: with the size that differs, and both values.
    """
    ours, theirs = encoder.get_config(), other.get_config()
    differing = [name for name in SIZES if ours[name] != theirs[name]]
    if theirs["max_pieces"] < ours["max_pieces"]:
        differing.append("max_pieces")
    for name in differing:
        raise ValueError(
            f"The start must fit the model. Received: {name}={theirs[name]} "
            f"of the start, {name}={ours[name]} of the model"
        )


def _take_feed_forward(ours, theirs, starts):
    if isinstance(ours, SkillFeedForward):
        for skill in ours.skills:
            _copy(ours.network(skill), _source(skill, theirs, starts))
    elif isinstance(ours, MixtureFeedForward) and isinstance(theirs, FeedForward):
        for expert in ours.experts:
            _copy(expert, theirs)
    elif type(ours) is type(theirs):
        _copy(ours, theirs)
    else:
        raise ValueError(
            f"A {type(ours).__name__} cannot start from a {type(theirs).__name__}"
        )


def _source(skill, theirs, starts):
    """The network of another layer that a skill starts from."""
    if isinstance(theirs, FeedForward):
        return theirs
    known = getattr(theirs, "skills", [])
    name = skill if skill in known else starts.get(skill)
    if name not in known:
        raise ValueError(
            f"The skill {skill!r} must have one to start from, of {known}. "
            f"Received: {name!r}"
        )
    return theirs.network(name)


def _copy(layer, other):
    layer.set_weights(other.get_weights())
