"""P4's Appendix D, seed by seed: policies from one release of the labels, and what they reach."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from repro.llm.judges import length_controlled, wins
from repro.llm.study import Study, ranking_accuracy
from repro.study.blocks import Block, BlockStore
from repro.study.machine import machine
from repro.study.sources import code_fingerprint
from repro.training.direct_preference import optimised
from repro.training.objectives import objective
from repro.training.settings import Training
from repro.training.trainers import run_key

ANSWERS = 2
"""To each prompt for one seed, which halves the noise of drawing them."""
LONGEST_OF = 4
"""Responses of the fine-tuned model from which the longer-is-better baseline takes the longest."""
FIRST_BATCH, FIRST_SHARE = 64, 2
"""Pairs in a batch of first steps, and one in how many pairs is seen: at the reference all batches
pull one way."""


NOTHING = (math.nan, math.nan)
"""In the place of what is not measured."""


class Reached(NamedTuple):
    """What a policy of one seed reaches on held-out prompts and pairs.

    Attributes:
        win_rate: against the fine-tuned model, in both orders; NaN of first steps.
        at_equal_length: the same, at equal length.
        accuracy: implicit ranking accuracy.
        margin: mean implicit reward difference in favour of the held-out label.
    """

    win_rate: float
    at_equal_length: float
    accuracy: float
    margin: float


@dataclass(frozen=True)
class Seed:
    """One seed: batches, draws and noise of its own.

    Attributes:
        study: what all seeds share.
        order: seed of the batches; the same for all policies that are compared.
        draw: seed of the responses.
    """

    study: Study
    order: int
    draw: int

    @classmethod
    def of(cls, study: Study, rng: np.random.Generator) -> Self:
        """From the block's stream."""
        return cls(study, *(int(x) for x in rng.integers(2**62, size=2)))

    @property
    def kl_weight(self) -> float:
        """β of the policies."""
        return self.study.procedure.kl_weight

    def reached(
        self, loss: str, epsilon: float, labels: Tensor, training: Training | None = None
    ) -> Reached:
        """What the policy reaches; read, where an earlier row of the run has trained it.

        Args:
            loss: an objective of ``repro.training.objectives``.
            epsilon: ε that it believes in.
            labels: (n,) released labels.
            training: of first steps, which are not asked for answers; else the procedure's.
        """
        study, steps = self.study, training or self.study.procedure.preference
        labels = labels[: len(labels) // FIRST_SHARE] if training else labels
        words = loss, epsilon, self.kl_weight, self.order, steps, study.data
        key = run_key(*words, labels.tolist())

        def found() -> tuple[float, ...]:
            bound = getattr(study.procedure, "reward_bound", math.nan)
            policy = optimised(
                study.reference.part(len(labels)), labels,
                objective(loss, epsilon, self.kl_weight, bound), steps, self.order,
                study.folder and study.folder / f"{loss}-{key}",
            )  # fmt: skip
            rates = NOTHING if training else self.win_rates(self.responses(policy))
            return *rates, *self.ranking(policy)

        return self._once(found, key)

    def longest(self) -> Reached:
        """What the longer-is-better baseline reaches, the longest of some responses; no ranking."""
        return self._once(lambda: (*self.win_rates(*self.longest_responses()), *NOTHING), "longest")

    def _once(self, measure: Callable[[], tuple[float, ...]], name: str) -> Reached:
        """What is measured, or what an earlier row of the run has kept."""
        code = code_fingerprint(__name__), machine(), self.study.identity, self.draw
        block = Block(0, 0, run_key(code, name))
        kept = self.study.folder and BlockStore(self.study.folder / "reached")
        found = kept.read(block, (len(Reached._fields),)) if kept else None
        if found is None:
            found = np.array(measure())
            if kept:
                kept.write(block, found)
        return Reached(*found.tolist())

    def responses(self, policy: Any, draw: int = 0) -> list[str]:
        """Some responses of a policy to each held-out prompt, one after the other."""
        return list(chain(*self.study.respond(policy, self.draw + draw, ANSWERS)))

    @cached_property
    def opposing(self) -> list[str]:
        """As many of the fine-tuned model to each, from draws of their own."""
        return self.responses(self.study.reference.model, 1)

    def longest_responses(self) -> tuple[list[str], list[str]]:
        """The longest of some responses of the fine-tuned model to each prompt, and its opponents.

        Two groups are drawn: the longest of each is compared with all of the other, as one
        opponent alone would be most of the noise.
        """
        drawn = self.study.respond(self.study.reference.model, self.draw + 2, 2 * LONGEST_OF)
        groups = [(some[k::2], some[1 - k :: 2]) for some in drawn for k in (0, 1)]
        ours = [max(own, key=len) for own, other in groups for _ in other]
        return ours, [text for _, other in groups for text in other]

    def win_rates(self, ours: list[str], theirs: list[str] | None = None) -> tuple[float, float]:
        """Against the fine-tuned model, in both orders; and the same at equal length."""
        theirs = self.opposing if theirs is None else theirs
        count = len(ours) // len(self.study.prompts)
        prompts = [prompt for prompt in self.study.prompts for _ in range(count)]
        won = wins(self.study.judge, prompts, ours, theirs)
        return float(won.mean()), length_controlled(won, ours, theirs)

    def ranking(self, policy: Any) -> tuple[float, float]:
        """Accuracy and margin on held-out pairs."""
        first, second = self.study.log_ratios(policy)
        labels = self.study.splits.held_out.labels
        signed = (first - second).double() * labels
        margin = self.kl_weight * float(torch.mean(signed))
        return ranking_accuracy(first - second, labels), margin


@dataclass(frozen=True)
class Trained:
    """A policy trained with an objective; two ways to do it wrong.

    Attributes:
        objective: one of ``repro.training.objectives``.
        sign: −1 reads every label as its opposite.
        debiased: False takes private labels as clean.
    """

    objective: str
    sign: int = 1
    debiased: bool = True

    def reached(
        self, seed: Seed, epsilon: float, labels: Tensor, training: Training | None = None
    ) -> Reached:
        """On released labels (n,), by a learner that believes in ε."""
        believed = epsilon if self.debiased else float("inf")
        return seed.reached(self.objective, believed, self.sign * labels, training)


@dataclass(frozen=True)
class Longest:
    """The trivial policy: the longest of a few responses of the fine-tuned model."""

    def reached(
        self, seed: Seed, epsilon: float, labels: Tensor, training: Training | None = None
    ) -> Reached:
        """Its win rates; it ranks nothing."""
        return seed.longest()


def reached(number: str, case: Any, rng: np.random.Generator) -> dict[str, float]:
    """A number of ``Reached`` for each method of a ``ReleaseCase``, from one release."""
    labels = case.released(case.coins(rng))
    seed = Seed.of(case.study, rng)
    found = {m.name: m.run.reached(seed, case.believed, labels) for m in case.methods}
    return {name: getattr(one, number) for name, one in found.items()}


def above_length(case: Any, rng: np.random.Generator) -> dict[str, float]:
    """Ranking accuracy of each method over that of length."""
    longer = case.study.longer_accuracy()
    return {name: value - longer for name, value in reached("accuracy", case, rng).items()}


def first_steps(study: Study, rate: float, optimizer: str = "sgd") -> Training:
    """Steps so small that the policy stays near the reference; no gradient is shortened."""
    plain = {"learning_rate": rate, "max_grad_norm": None, "batch_size": FIRST_BATCH}
    return study.procedure.preference.model_copy(update={"optimizer": optimizer, **plain})
