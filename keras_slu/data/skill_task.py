"""What a task of a SkillNet is: its kind, its labels, the skills it needs."""

import re
from dataclasses import asdict
from dataclasses import dataclass

KINDS = (
    "classification",  # of one text
    "pair",  # classification of two texts in one row
    "matching",  # the same with two labels; F1 is of the second
    "tagging",  # BIO tags of words
    "span",  # where in a passage the answer of a question is
    "ranking",  # of candidates for a question, by the cosine of their vectors
    "masked_pieces",  # what stood at masked places
)
WITHOUT_LABELS = ("span", "ranking", "masked_pieces")
# What a layer and a signature may be called.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
# How many labels a kind needs at least.
LEAST = {"classification": 2, "pair": 2, "tagging": 1}


@dataclass(frozen=True)
class SkillTask:
    """One task of a `SkillNet`.

    Args:
        name: str. Unique in a model; of letters, digits, `_`, `-` and `.`, as
            the names of skills.
        kind: str, one of `KINDS`.
        labels: tuple of str, without doubles: the classes, or the BIO tags.
            Of `matching` two, the second is the one that F1 is of. Of `span`,
            `ranking` and `masked_pieces` none.
        skills: tuple of str, without doubles: the skills that are active.

    Raises:
        ValueError: for an unknown kind, no skills, doubles, a name of other
            characters, or labels that do not fit the kind.

    Example:

    >>> task = SkillTask("ocnli", "pair", ("no", "maybe", "yes"), ("s1", "s3"))
    >>> SkillTask.from_dict(task.to_dict()) == task
    True

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312), Table 2
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    skills: tuple[str, ...]

    def __post_init__(self):
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "skills", tuple(self.skills))
        if self.kind not in KINDS:
            raise self._error(f"`kind` must be one of {KINDS}", self.kind)
        if not self.skills:
            raise self._error("it must have a skill", self.skills)
        for name in (self.name, *self.skills):
            if not NAME.fullmatch(name):
                raise self._error("names hold letters, digits, `_.-` only", name)
        for values in (self.labels, self.skills):
            if len(set(values)) < len(values):
                raise self._error("it must not name anything twice", values)
        self._check_labels()

    def _check_labels(self):
        if self.kind in WITHOUT_LABELS:
            if self.labels:
                raise self._error(f"a {self.kind} task has no labels", self.labels)
        elif self.kind == "matching":
            if len(self.labels) != 2:
                raise self._error("a matching task has two labels", self.labels)
        elif len(self.labels) < LEAST[self.kind]:
            raise self._error(
                f"a {self.kind} task has {LEAST[self.kind]} labels or more",
                self.labels,
            )

    def _error(self, problem, value):
        return ValueError(f"Task {self.name!r}: {problem}. Received: {value!r}")

    def to_dict(self):
        """A dict that JSON can hold."""
        content = asdict(self)
        return {**content, "labels": list(self.labels), "skills": list(self.skills)}

    @classmethod
    def from_dict(cls, content):
        """The task of which `to_dict` gave `content`."""
        return cls(**content)


def check_tasks(tasks, skills):
    """Refuses tasks that do not go together with each other or the skills.

    Args:
        tasks: list of `SkillTask`.
        skills: list of str, those that there are.

    Raises:
        ValueError: for two tasks of one name, and an unknown skill.
    """
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Two tasks are named {name!r}. Give each its own name.")
    for task in tasks:
        for skill in task.skills:
            if skill not in skills:
                raise ValueError(
                    f"Task {task.name!r} activates an unknown skill. "
                    f"Received: {skill!r}, not one of {list(skills)}"
                )
