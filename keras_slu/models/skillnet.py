"""SkillNet-NLU: one model for many tasks, sparse by skills (Zhang et al. 2022)."""

from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
from keras import ops

from keras_slu.data.skill_task import SkillTask
from keras_slu.data.skill_task import check_tasks
from keras_slu.layers.skill_encoder import SkillEncoder
from keras_slu.layers.skill_weights import take_encoder
from keras_slu.losses import UtteranceMean
from keras_slu.models.skill_heads import make_head
from keras_slu.models.skill_heads import take_heads
from keras_slu.models.skill_steps import score_step
from keras_slu.models.skill_steps import steps_by_task
from keras_slu.models.skill_steps import train_step
from keras_slu.optimizers import RectifiedAdam
from keras_slu.text.word_pieces import WordPieces

POOLED = ("classification", "pair", "matching")  # what BERT's pooler is for


@keras.saving.register_keras_serializable(package="keras_slu")
class SkillNet(keras.Model):
    """A BERT encoder with skills, and a head for each task.

    A task computes the feed-forward networks of its own skills only, and
    training moves nothing else. `fit` takes a dataset whose batches are of one
    task each, and traces one step for each task. A fresh model is built and
    compiled. The model of one task alone is a `SkillNet` with one task and the
    kind `"dense"`.

    Args:
        tasks: list of `SkillTask`.
        skills: list of str. All skills.
        vocabulary_size: int. Number of pieces, padding (0) included.
        dim, num_heads, inner_dim, num_layers, kind, skill_layers, num_experts,
            top_k, max_pieces: see `SkillEncoder`. `num_experts` is by default
            the number of skills.
        dropout: float. Rate on the embedding, the attention weights, the output
            of all parts and what the heads see. Defaults to `0.1`.
        **kwargs: passed to `keras.Model`.

    Call arguments:
        inputs: dict of int32 arrays.
            `pieces` `(batch, time)`: 0 at padding, right-padded, `[CLS]` first.
            `segments` `(batch, time)`: 0, and 1 for the second text.
            `words` `(batch, words)`: of tagging the place of each word's first
            piece, of masked pieces the places that are asked for; 0 at padding.
            `second` `(batch, time2)`: of ranking the other text's pieces. Both
            have width 0 for other kinds.
            `task` `(batch,)`: the task's place in `tasks`, one and the same.
        task: str. The task's name. `None` for that of a model of one task, or,
            outside of graphs, for that in `inputs`. Defaults to `None`.
        training: bool.

    Returns:
        dict of float32 tensors, by the task's kind. Classification, pair and
        matching: `scores`, logits `(batch, labels)`. Tagging: `tags`, potentials
        `(batch, words, labels)`. Span: `start` and `end`, logits
        `(batch, time)`; place 0 is for no answer. Ranking: `scores`, logits
        `(batch,)`. Masked pieces: `pieces`, logits
        `(batch, words, vocabulary_size)`. `decode` makes answers of them.

        Labels are int32 `(batch, k)`: tags or pieces `(batch, words)`, -1 at
        padding; start and end `(batch, 2)`; else one number, `(batch, 1)`.

    Attributes:
        pieces: `WordPieces` or `None`: what makes pieces of text. Saved with
            the model.

    Raises:
        ValueError: for a task with an unknown skill, and two tasks of one name.

    Example:

    >>> import numpy as np
    >>> model = SkillNet(
    ...     [SkillTask("mood", "classification", ("bad", "good"), ("s1", "s7")),
    ...      SkillTask("names", "tagging", ("O", "B-x", "I-x"), ("s2", "s7"))],
    ...     ["s1", "s2", "s7"], vocabulary_size=50, dim=16, num_layers=2)
    >>> empty = np.zeros((1, 0), "int32")
    >>> inputs = {"pieces": np.array([[2, 8, 15, 3]]), "words": np.array([[1, 2]]),
    ...           "segments": np.zeros((1, 4), "int32"), "second": empty,
    ...           "task": np.array([1])}
    >>> model(inputs)["tags"].shape
    TensorShape([1, 2, 3])
    >>> model(inputs, task="mood")["scores"].shape
    TensorShape([1, 2])
    >>> model.active_parameters("names") < model.count_params()
    True

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312)
    """

    def __init__(
        self,
        tasks,
        skills,
        vocabulary_size,
        dim=128,
        num_heads=4,
        inner_dim=512,
        num_layers=4,
        skill_layers=None,
        kind="skill",
        num_experts=None,
        top_k=2,
        max_pieces=512,
        dropout=0.1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_tasks(tasks, skills)
        self.tasks = list(tasks)
        self.skills = list(skills)
        self.pieces = None
        self._sizes = {
            "vocabulary_size": vocabulary_size,
            "dim": dim,
            "num_heads": num_heads,
            "inner_dim": inner_dim,
            "num_layers": num_layers,
            "skill_layers": skill_layers,
            "kind": kind,
            "num_experts": num_experts or len(self.skills),
            "top_k": top_k,
            "max_pieces": max_pieces,
            "dropout": dropout,
        }
        settings = {"dtype": self.dtype_policy}
        self.encoder = SkillEncoder(
            skills=self.skills,
            attention_dropout=dropout,
            name="encoder",
            **self._sizes,
            **settings,
        )
        self.encoder.build()
        self.pooler = None
        if any(task.kind in POOLED for task in self.tasks):
            self.pooler = keras.layers.Dense(
                dim, activation="tanh", name="pooler", **settings
            )
            self.pooler.build((None, dim))
        self.heads = [
            make_head(task, dim, vocabulary_size, dropout, name=task.name, **settings)
            for task in self.tasks
        ]
        self.utterance_mean = UtteranceMean()
        self.built = True
        self.compile(optimizer=RectifiedAdam(), jit_compile=False)

    def build(self, input_shape=None):
        pass  # everything is built on construction

    def call(self, inputs, task=None, training=None):
        task = self._task(task, inputs)
        features = self._features(task, inputs, training)
        return self._head(task)(features, inputs, training=training)

    def _features(self, task, inputs, training):
        """What the head of a task sees."""
        how = {"skills": task.skills, "training": training}
        hidden = self.encoder(inputs["pieces"], inputs["segments"], **how)
        if task.kind in POOLED:
            return self.pooler(hidden[:, 0])
        if task.kind == "ranking":
            return hidden[:, 0], self.encoder(inputs["second"], **how)[:, 0]
        if task.kind == "masked_pieces":
            return hidden, ops.convert_to_tensor(self.encoder.embedding.embeddings)
        return hidden

    def _task(self, name, inputs=None):
        """The `SkillTask` of a name, or that of the inputs."""
        if name is None and len(self.tasks) == 1:
            return self.tasks[0]
        if name is None:
            try:
                place = int(np.asarray(inputs["task"])[0])
            except (NotImplementedError, TypeError, ValueError):  # it has no value
                raise ValueError("In a graph, `task` must be named.") from None
            return self.tasks[place]
        return self.tasks[self._place(name)]

    def _place(self, name):
        names = [task.name for task in self.tasks]
        if name not in names:
            raise ValueError(f"`task` must be one of {names}. Received: {name!r}")
        return names.index(name)

    def _head(self, task):
        return self.heads[self.tasks.index(task)]

    def losses_of(self, task, inputs, targets, outputs):
        """Gives the loss of each row, `(batch,)`.

        Of tags and masked pieces it is the mean over the row's words and
        places, so that no task outweighs the others by the length of its texts.
        """
        head = self._head(self._task(task))
        return head.losses(inputs, targets, outputs)

    def decode(self, task, outputs, inputs, **options):
        """Makes answers of the outputs of `call`.

        Args:
            task: str. The task's name.
            outputs: dict, what `call` gave.
            inputs: dict, what `call` was given.
            **options: of a span `max_answer`, int, how many pieces an answer
                has at most. Defaults to `30`.

        Returns:
            dict. Classification, pair and matching: `probabilities`
            `(batch, labels)` and `label` `(batch,)` int32. Tagging: `tags`
            `(batch, words)` int32, -1 at padding, and their `confidence`. Span:
            `start` and `end` `(batch,)` int32, the places of the most probable
            answer in the passage, its `probability`, and that of `no_answer`.
            Ranking: `scores` `(batch,)`. Masked pieces: `pieces` int32 and their
            `probability`, `(batch, words)`.
        """
        return self._head(self._task(task)).decode(outputs, inputs, **options)

    def make_train_function(self, force=False):
        if self.train_function is not None and not force:
            return
        if not self.optimizer.built:  # on all variables, not those of one task
            with self.distribute_strategy.scope():
                self.optimizer.build(self.trainable_variables)
        self.train_function = steps_by_task(self, train_step)

    def make_test_function(self, force=False):
        if self.test_function is None or force:
            self.test_function = steps_by_task(self, score_step)

    def trained_variables(self, task):
        """The trainable variables that a task uses."""
        idle = {
            id(variable)
            for layer in self._idle(self._task(task))
            for variable in layer.variables
        }
        return [v for v in self.trainable_variables if id(v) not in idle]

    def _idle(self, task):
        """The layers that a task does not use."""
        idle = self.encoder.idle_networks(task.skills)
        idle += [head for head in self.heads if head is not self._head(task)]
        if self.pooler is not None and task.kind not in POOLED:
            idle.append(self.pooler)
        return idle

    def active_parameters(self, task):
        """How many parameters a task uses; see `SkillEncoder.active_parameters`."""
        task = self._task(task)
        active = self.encoder.active_parameters(task.skills)
        active += self._head(task).count_params()
        return active + (self.pooler.count_params() if task.kind in POOLED else 0)

    def train_only(self, skills, tasks):
        """Lets training move nothing but some skills and some tasks' heads.

        To be called before `compile`.

        Args:
            skills, tasks: lists of names.
        """
        moved = [self._head(self._task(name)) for name in tasks]
        for layer in self.encoder.layers:
            if layer.kind == "skill":
                moved += [layer.feed_forward.network(skill) for skill in skills]
        kept = {id(variable) for layer in moved for variable in layer.variables}
        for variable in self.trainable_variables:
            variable.trainable = id(variable) in kept

    def take_weights(self, other, starts=None):
        """Takes the encoder, and the heads of tasks that are the same, of another.

        Args:
            other: `SkillNet`.
            starts: see `take_encoder`.

        Raises:
            ValueError: see `take_encoder`.
        """
        take_encoder(self.encoder, other.encoder, starts)
        take_heads(self, other)

    def slim(self, task):
        """A model of one task, with its skills only and the same answers."""
        task = self._task(task)
        skills = [skill for skill in self.skills if skill in task.skills]
        return self._changed([task], skills)

    def add_task(self, task):
        """A model with one more `SkillTask`, whose head is fresh."""
        return self._changed([*self.tasks, task], self.skills)

    def add_skill(self, name, start="s7", tasks=()):
        """A model with one more skill, which begins as a copy of another.

        Args:
            name: str. The new skill.
            start: str. The skill that it is a copy of. Defaults to `"s7"`.
            tasks: names of the tasks that activate it. Defaults to none.
        """
        places = [self._place(task) for task in tasks]
        changed = list(self.tasks)
        for place in places:
            task = changed[place]
            changed[place] = replace(task, skills=(*task.skills, name))
        return self._changed(changed, [*self.skills, name], {name: start})

    def _changed(self, tasks, skills, starts=None):
        """A model of other tasks and skills with these weights."""
        config = self.get_config()
        config["tasks"] = [task.to_dict() for task in tasks]
        model = self.from_config({**config, "skills": list(skills)})
        model.take_weights(self, starts)
        model.pieces = self.pieces
        return model

    def save_assets(self, folder):
        if self.pieces is not None:
            self.pieces.save(Path(folder) / "pieces.json")

    def load_assets(self, folder):
        if (Path(folder) / "pieces.json").exists():
            self.pieces = WordPieces.load(Path(folder) / "pieces.json")

    def get_config(self):
        return {
            "name": self.name,
            "dtype": keras.saving.serialize_keras_object(self.dtype_policy),
            "tasks": [task.to_dict() for task in self.tasks],
            "skills": self.skills,
            **self._sizes,
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        config["dtype"] = keras.saving.deserialize_keras_object(config["dtype"])
        tasks = [SkillTask.from_dict(task) for task in config.pop("tasks")]
        return cls(tasks, **config)
