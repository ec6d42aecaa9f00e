"""Experiments on language models: a replicate is a seed with a release of the labels of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from torch import Tensor

from repro.llm.pairs import Splits, load_splits
from repro.llm.private_labels import private_labels
from repro.llm.settings import DataChoice, ModelChoice, Procedure
from repro.llm.study import Study
from repro.llm.supervised import Variant
from repro.llm.trainers import Diverged
from repro.study.case import Case
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Values


class ReleaseProbes(Probes):
    """Numbers that all of them have; their files in conf/theorem give them."""

    variant: Variant
    model: ModelChoice
    data: DataChoice
    procedure: Procedure


@dataclass(frozen=True, eq=False)
class Pipeline:
    """What the seeds of a run share; the model is fine-tuned when it is first asked for.

    Attributes:
        splits: pairs to train on, held out, and of the judge.
        model: which model.
        data: which pairs.
        procedure: how it is trained.
        variant: which responses fine-tuning sees.
        device: where.
        folder: for checkpoints; they hold weights trained on labels.
    """

    splits: Splits
    model: ModelChoice
    data: DataChoice
    procedure: Any
    variant: Variant
    device: str
    folder: Path = field(compare=False)

    @cached_property
    def study(self) -> Study:
        """The fine-tuned model and its judge."""
        return Study.build(
            self.splits, self.model, self.data, self.procedure, self.variant, self.device,
            self.folder,
        )  # fmt: skip

    @property
    def labels(self) -> Tensor:
        """(n,) ±1: the true labels of the pairs to train on."""
        return self.splits.train.labels


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseCase(Case):
    """One grid point on a language model.

    Attributes:
        pipeline: model, pairs and training.
        channel: (stream, true labels ±1, ε) → labels to train on.
    """

    pipeline: Pipeline
    channel: Callable[[np.random.Generator, Tensor, float], Tensor] = private_labels

    def released(self, rng: np.random.Generator, epsilon: float | None = None) -> Tensor:
        """(n,) ±1: labels behind randomized response, at the case's ε or another."""
        at = self.epsilon if epsilon is None else epsilon
        return self.channel(rng, self.pipeline.labels, at)


C = TypeVar("C", bound=ReleaseCase)


@dataclass(frozen=True)
class Work:
    """What one seed of a row costs.

    Attributes:
        policies: trained for one seed at one grid point.
        rewards: reward models fitted, likewise.
    """

    policies: int = 2
    rewards: int = 2


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
    """One fine-tuned model on one set of pairs, and a seed for each replicate.

    A subclass says in ``estimate`` what a run needs.
    """

    extra = "llm"
    config_type = ReleaseProbes
    config: Any

    def __init__(self, config: ReleaseProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.pipeline = Pipeline(
            load_splits(config.data), config.model, config.data, config.procedure, config.variant,
            setting.device, setting.cache.parent / "llm",
        )  # fmt: skip
        if config.model.path is not None:
            from repro.llm.backbone import read_config

            read_config(config.model)

    def points(self, replicates: Mapping[str, int]) -> Mapping[str, int]:
        """Seeds times grid points of every row that ``replicates`` names."""
        return {
            trial.row.name: replicates.get(trial.row.name, 0) * len(trial.grid)
            for trial in self.trials
        }

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Private fine-tuning and a judge that shares no label with the training."""
        blind = self.config.variant == "repaired"
        own = self.config.data.path is None or self.pipeline.splits.judge is not None
        return (
            AssumptionResult("fine-tuning sees no label", blind, self.config.variant),
            AssumptionResult("the judge has pairs of its own", own, "planted, or judge_pairs > 0"),
        )
