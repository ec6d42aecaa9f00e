"""Experiments on language models: a replicate is a seed with a release of the labels of its own."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from torch import Tensor

from repro.llm.gradient_steps import Diverged
from repro.llm.pairs import load_splits
from repro.llm.private_labels import private_labels
from repro.llm.settings import DataChoice, ModelChoice, Procedure
from repro.llm.study import Study
from repro.llm.supervised import Variant
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult


class ReleaseSweepConfig(SweepConfig):
    """Numbers that all of them have; their files in conf/theorem give them."""

    variant: Variant
    model: ModelChoice
    data: DataChoice
    procedure: Procedure


class ReleaseSweep(SweepExperiment):
    """One fine-tuned model on one set of pairs, and a seed for each replicate.

    A subclass measures one seed in ``one_seed`` and says in ``estimate`` what a run needs.
    """

    extra = "llm"
    instances = ("linear",)
    used_overrides = frozenset[str]()
    config_type = ReleaseSweepConfig
    config: ReleaseSweepConfig

    def __init__(self, config: ReleaseSweepConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.splits = load_splits(config.data)
        if config.model.path is not None:
            from repro.llm.backbone import read_config

            read_config(config.model)

    def one_seed(self, check: Check, value: float, rng: np.random.Generator) -> dict[str, float]:
        """A number for each method of the check; Diverged where training blew up."""
        raise NotImplementedError

    @cached_property
    def study(self) -> Study:
        """The fine-tuned model and all else that the seeds share."""
        one = self.config
        return Study.build(
            self.splits, one.model, one.data, one.procedure, one.variant, self.setting.device,
            self.folder,
        )  # fmt: skip

    @property
    def folder(self) -> Path:
        """Where checkpoints go; they hold weights trained on labels."""
        return self.setting.cache.parent / "llm"

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """One seed a replicate; a diverged one is not a number."""
        found = [self._seed_or_nan(check, value, rng) for _ in range(replicates)]
        return {m: np.array([one[m] for one in found]) for m in check.methods}

    def _seed_or_nan(self, check: Check, value: float, rng) -> dict[str, float]:
        try:
            return self.one_seed(check, value, rng)
        except Diverged:
            return dict.fromkeys(check.methods, float("nan"))

    def released(self, rng: np.random.Generator, epsilon: float) -> Tensor:
        """(n,) ±1: the labels to train on behind randomized response."""
        return private_labels(rng, self.splits.train.labels, epsilon)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Private fine-tuning and a judge that shares no label with the training."""
        blind = self.config.variant == "repaired"
        own = self.config.data.path is None or self.splits.judge is not None
        return (
            AssumptionResult("fine-tuning sees no label", blind, self.config.variant),
            AssumptionResult("the judge has pairs of its own", own, "planted, or judge_pairs > 0"),
        )
