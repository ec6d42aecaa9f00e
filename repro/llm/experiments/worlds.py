"""Worlds of language models: a replicate is a seed with a release of the labels of its own.

A study that repeats a release over seeds uses seeded coins, since its numbers have to come back
from the same seed.  Labels of real people are never released this way: that is
``repro privatize``, whose coins are the operating system's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from torch import Tensor

from repro.base.notation import epsilon_of_cost, flip_prob, privacy_cost
from repro.base.schema import Epsilon
from repro.core.check import Algorithm, Assumed, Quantity, SweptCheck
from repro.labels.corruption.debiasing import ReadingOf, debiased
from repro.labels.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)
from repro.llm.experiments.cost import cost, in_words
from repro.llm.experiments.release_study import Seed, SimulatedRelease
from repro.llm.experiments.study import Pipeline
from repro.llm.training.trainers import Diverged
from repro.worlds.instances.labelled import LabelStages


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivateTuning(Pipeline):
    """A model trained on private labels; labels, channel, reading and estimate are stages.

    A network has no true weights that it could be handed.  What a learner fits is the debiased
    label, ±c(ε); its truth is the clean one, which a learner knows to be clean.

    Attributes:
        epsilon: budget of the labels, in (0, inf].
        labels: what the labels of the pairs are drawn from, given who won.
        channel: the local randomizer.
        reading: how the learner thinks that labels are to be read.
        estimate: (debiased, clean) → what the learner learns from.
    """

    epsilon: Epsilon
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    reading: ReadingOf = debiased
    estimate: Estimate = as_fitted
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = LabelStages.words

    def release(self, seed: Seed) -> SimulatedRelease:
        """What a learner has of one seed."""
        return self.learnt_from(seed, self.released(seed.coins))

    def learnt_from(self, seed: Seed, labels: Tensor) -> SimulatedRelease:
        """What a learner has of labels (n,) ±1."""
        cost = privacy_cost(self.believed)
        read = self.estimate(cost * labels.double(), self.study.splits.train.labels.double())
        strength = float(read.abs().max())
        # the way from c(ε) back to ε would cost its last digit
        epsilon = self.believed if strength == cost else _epsilon_of(strength)
        return SimulatedRelease(self.study, seed, epsilon, read.sign().to(labels))

    def without_privacy(self) -> Self:
        """The same at ε = ∞."""
        return replace(self, epsilon=math.inf)

    def released(self, coins: Tensor) -> Tensor:
        """(n,) ±1: labels behind the channel, from coins (n,); at ε = ∞ clean ones."""
        return labels_of(coins, self.channel(self.win_prob, self.epsilon))

    @property
    def win_prob(self) -> Tensor:
        """(n,) probability that the first response wins, before the channel."""
        return self.labels((self.study.splits.train.labels + 1) / 2)

    @property
    def believed(self) -> float:
        """ε that the learner's reading of labels is right for."""
        flip = self.reading(self.epsilon).shift
        # the way back from the flip probability would cost the last digit of ε
        if flip == flip_prob(self.epsilon):
            return self.epsilon
        return math.inf if flip == 0 else math.log(1 - flip) - math.log(flip)


def _epsilon_of(strength: float) -> float:
    """ε at which a debiased label is ±strength: ∞ for a clean one."""
    return math.inf if strength == 1 else epsilon_of_cost(strength)


def labels_of(coins: Tensor, win_prob: Tensor) -> Tensor:
    """(n,) ±1: 1 where a coin in [0, 1) is below the probability that the first response wins."""
    return 2.0 * (coins < win_prob) - 1.0


def seeds(world: Pipeline, rng: np.random.Generator, replicates: int) -> tuple[Seed, ...]:
    """One for each replicate."""
    pairs = len(world.study.splits.train)
    return tuple(Seed.of(pairs, rng) for _ in range(replicates))


AT_LEAST_CLEAN = {"estimate": "a least value, which whoever learns from clean labels exceeds"}
"""Why a least win rate, or a least accuracy, need not notice the truth."""

OfSeed = Callable[[Any, Algorithm, Any], float]
"""(world, algorithm, what was drawn for one seed) → a number; may raise ``Diverged``."""


def of_seeds(words: str, of_seed: OfSeed, drawn: Callable[..., Sequence[Any]] = seeds) -> Quantity:
    """A quantity with one seed for each replicate.

    Args:
        words: what is measured.
        of_seed: the number of one seed.
        drawn: (world, stream, replicates) → what each ``of_seed`` reads.
    """
    # a seed is a training: blocks of their own keep what is finished
    return Quantity(words, partial(_each_seed, of_seed), drawn=drawn, stream_per_block=True)


def _each_seed(
    of_seed: OfSeed, world: Any, algorithm: Algorithm, drawn: Sequence[Any], replicates: int
) -> np.ndarray:
    """(R,) numbers."""
    return np.array([finite_or_nan(of_seed, world, algorithm, seed) for seed in drawn])


def finite_or_nan(measure: Callable[..., float], *given: Any) -> float:
    """The number; NaN where a training blew up, so that the replicate counts as failed."""
    try:
        return measure(*given)
    except Diverged:
        return math.nan


@dataclass(frozen=True)
class Work:
    """What one seed of a check costs at most, nothing being kept from another check.

    Attributes:
        policies: trained for one seed at one grid point.
        rewards: reward models fitted, likewise.
        rollouts: policies trained by RLOO, likewise.
    """

    policies: int = 2
    rewards: int = 0
    rollouts: int = 0


def estimated(
    work: Mapping[str, Work], checks: Sequence[SweptCheck], replicates: Mapping[str, int]
) -> str:
    """Memory and GPU-hours of all checks; a reward model trained whole counts as a policy.

    Args:
        work: of one seed, by check.
        checks: on their worlds.
        replicates: by check; one that is not named is not run.
    """
    pipeline: Pipeline = checks[0].sweep.worlds[0]
    whole = getattr(pipeline.procedure, "reward_epochs", 0)
    points = {c.name: replicates.get(c.name, 0) * len(c.sweep.grid) for c in checks}
    policies = sum(
        count * (work[name].policies + whole * work[name].rewards) for name, count in points.items()
    )
    # each check draws at most so many to a prompt for one seed
    responses = sum(points.values()) * 2 * getattr(pipeline.procedure, "samples", 8)
    online = sum(count * work[name].rollouts for name, count in points.items())
    estimate = cost(pipeline.model, pipeline.data, pipeline.procedure, policies, responses, online)
    return in_words(estimate, pipeline.model, policies + online)


@dataclass(frozen=True)
class PaperSetup:
    """What a paper ran, as it names it.

    Attributes:
        model: hub id.
        data: hub id of its pairs; None where they are not published.
        judge: a chat model; None where the paper does not say.
    """

    model: str
    data: str | None
    judge: str | None = None


def substitute(own: PaperSetup, swept: SweptCheck) -> str:
    """What is run in the place of a paper's model, pairs and judge; empty where all are its own."""
    world: Pipeline = swept.sweep.worlds[0]
    model, data, chat = world.model.path, world.data.path, world.procedure.judge
    substitutes = []
    if model != own.model:
        substitutes.append(f"{model or 'a random GPT-2'} for {own.model}")
    if own.data is None or data != own.data:
        substitutes.append(f"{data or 'generated pairs'} for {own.data or 'pairs not published'}")
    if own.judge and (chat is None or chat.model != own.judge):
        reward = "a planted reward" if data is None else "a reward on words"
        substitutes.append(f"{chat.model if chat else reward} for {own.judge}")
    return ", ".join(substitutes)


def assumed(swept: SweptCheck) -> Iterable[Assumed]:
    """Private fine-tuning, and a judge that shares no label with the training."""
    world: Pipeline = swept.sweep.worlds[0]
    yield "fine-tuning sees no label", world.variant == "repaired", world.variant
    planted, chat = world.data.path is None, world.procedure.judge is not None
    own = planted or chat or world.data.judge_pairs > 0
    yield "the judge has pairs of its own", own, "planted, or judge_pairs > 0"
