"""Experiments on language models: a replicate is a seed with a release of the labels of its own.

A study that repeats a release over seeds uses seeded coins, since its numbers have to come back
from the same seed.  Labels of real people are never released this way: that is
``python -m repro.privatize``, whose coins are the operating system's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from repro.corruption.debiasing import ReadingOf, debiased
from repro.corruption.orders import Order
from repro.corruption.random_flips import mask_process
from repro.llm.cost import cost, in_words
from repro.llm.procedures import MODEL_KEY, DataChoice, Procedure
from repro.llm.splits import load_splits
from repro.llm.study import Study
from repro.llm.supervised import Variant
from repro.preferences.label_law import Channel, LabelLaw, bradley_terry, randomized_response
from repro.study.case import Case
from repro.study.config import Blocks, Probes
from repro.study.experiment import Experiment, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Values
from repro.training.settings import ModelChoice
from repro.training.trainers import Diverged


class ReleaseProbes(Probes):
    """Numbers that all of them have; their files in conf/theorem give them.

    Attributes:
        laptop_seeds: blocks of budget=laptop, which reads them here: a block is a training, and an
            interval that misses once in 10⁵ is too wide with twenty of those.
    """

    variant: Variant
    laptop_seeds: Blocks
    model: ModelChoice
    data: DataChoice
    procedure: Procedure


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseCase(Case):
    """One grid point on a language model; labels, channel and reading are stages.

    Attributes:
        study: model, pairs and training.
        labels: what the labels of the pairs are drawn from, given who won.
        channel: the local randomizer.
        reading: how the learner thinks that labels are to be read.
    """

    study: Study
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    reading: ReadingOf = debiased

    def coins(self, rng: np.random.Generator) -> Tensor:
        """(n,) uniform: the coins of one release; the same ones may serve several channels."""
        return torch.from_numpy(rng.random(len(self.study.splits.train)))

    def released(self, coins: Tensor, epsilon: float | None = None) -> Tensor:
        """(n,) ±1: labels behind the channel, at the case's ε or another; inf gives clean ones."""
        at = self.epsilon if epsilon is None else epsilon
        return self._drawn(coins, self.channel(self._win_prob, at))

    def masked(self, coins: Tensor, order: Order, corruption: float) -> Tensor:
        """(n,) ±1 by P4's Appendix D: privacy flips a mask, corruption sets it with prob. α."""
        stage = mask_process(order, self.epsilon, corruption)
        signal = stage.win_given_win - stage.win_given_loss
        return self._drawn(coins, stage.win_given_loss + signal * self._win_prob)

    @property
    def _win_prob(self) -> Tensor:
        return self.labels((self.study.splits.train.labels + 1) / 2)

    def _drawn(self, coins: Tensor, win_prob: Tensor) -> Tensor:
        return 2.0 * (coins < win_prob) - 1.0

    @property
    def believed(self) -> float:
        """ε that the learner's reading of labels is right for."""
        flip = self.reading(self.epsilon).shift
        return math.inf if flip == 0 else math.log(1 - flip) - math.log(flip)


C = TypeVar("C", bound=ReleaseCase)


@dataclass(frozen=True)
class Work:
    """What one seed of a row costs at most, nothing being kept from another row.

    Attributes:
        policies: trained for one seed at one grid point.
        rewards: reward models fitted, likewise.
    """

    policies: int = 2
    rewards: int = 0


def seeds(quantity: str, one: Callable[[Any, np.random.Generator], Mapping[str, float]]) -> Measure:
    """One seed per replicate; one whose training blew up is not a number.

    Args:
        quantity: what is measured.
        one: (case, stream) → a number for each method.
    """

    def several(case: ReleaseCase, rng: np.random.Generator, replicates: int) -> Values:
        found = [_seed_or_nan(one, case, rng) for _ in range(replicates)]
        return {m.name: np.array([seed[m.name] for seed in found]) for m in case.methods}

    return Measure(quantity, several, Evidence.MEASURED)


def _seed_or_nan(one, case: ReleaseCase, rng: np.random.Generator) -> Mapping[str, float]:
    try:
        return one(case, rng)
    except Diverged:
        return {m.name: float("nan") for m in case.methods}


class ReleaseExperiment(Experiment[C]):
    """One fine-tuned model on one set of pairs, and a seed for each replicate."""

    extra = "llm"
    config_type = ReleaseProbes
    config: Any

    def __init__(self, config: ReleaseProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.study = Study(
            load_splits(config.data), config.model, config.data, config.procedure, config.variant,
            setting.device, setting.cache.parent / "llm",
        )  # fmt: skip
        if config.model.path is not None:
            from repro.training.backbone import read_config

            read_config(config.model, MODEL_KEY)

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """Memory and GPU-hours of all checks; a reward model trained whole counts as a policy."""
        one, whole = self.config, getattr(self.config.procedure, "reward_epochs", 0)
        points = {t: replicates.get(t.row.name, 0) * len(t.grid) for t in self.trials}
        policies = sum(
            count * (trial.row.given.policies + whole * trial.row.given.rewards)
            for trial, count in points.items()
        )
        # each row draws at most so many to a prompt for one seed
        responses = sum(points.values()) * 2 * getattr(one.procedure, "samples", 8)
        found = cost(one.model, one.data, one.procedure, policies, responses)
        return in_words(found, one.model, policies)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Private fine-tuning and a judge that shares no label with the training."""
        blind = self.config.variant == "repaired"
        chat = self.config.procedure.judge is not None
        own = chat or self.config.data.path is None or self.study.splits.judge is not None
        return (
            AssumptionResult("fine-tuning sees no label", blind, self.config.variant),
            AssumptionResult("the judge has pairs of its own", own, "planted, or judge_pairs > 0"),
        )
