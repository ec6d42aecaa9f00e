"""Policies from one release of the labels, seed by seed, and what they reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from repro.llm.experiments.judges import length_controlled, longer_wins, wins
from repro.llm.experiments.study import Study, ranking_accuracy
from repro.llm.training.direct_preference import optimised
from repro.llm.training.objectives import objective
from repro.llm.training.settings import Training
from repro.llm.training.trainers import run_key
from repro.study.blocks import Block, BlockStore
from repro.study.parallel import machine
from repro.study.sources import MEASURING, code_fingerprint

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
        longer: win rate by length: how often its response is the longer one; NaN of first steps.
    """

    win_rate: float
    at_equal_length: float
    accuracy: float
    margin: float
    longer: float


@dataclass(frozen=True, eq=False)
class Seed:
    """One seed: coins, batches and draws of its own; the same for all that is compared.

    Attributes:
        coins: (n,) uniform: the coins of one release; the same ones may serve several channels.
        order: seed of the batches.
        draw: seed of the responses.
    """

    coins: Tensor
    order: int
    draw: int

    @classmethod
    def of(cls, n_pairs: int, rng: np.random.Generator) -> Self:
        """From the block's stream."""
        coins = torch.from_numpy(rng.random(n_pairs))
        return cls(coins, *(int(x) for x in rng.integers(2**62, size=2)))


@dataclass(frozen=True, eq=False)
class SimulatedRelease:
    """What a learner has of one seed.

    Attributes:
        study: what all seeds share.
        seed: of its batches and draws.
        epsilon: that the learner believes in.
        labels: (n,) released, in {−1, 1}.
        first_steps: in the place of the procedure's; a policy of those is not asked for answers.
    """

    study: Study
    seed: Seed
    epsilon: float
    labels: Tensor
    first_steps: Training | None = None

    @property
    def kl_weight(self) -> float:
        """β of the policies."""
        return self.study.procedure.kl_weight

    @property
    def flipped(self) -> Self:
        """The same with every label read as its opposite."""
        return replace(self, labels=-self.labels)

    @property
    def taken_as_clean(self) -> Self:
        """The same to a learner who takes private labels as clean."""
        return replace(self, epsilon=math.inf)

    def at_first_steps(self, rate: float) -> Self:
        """The same for plain steps so small that the policy stays near the reference."""
        # max_grad_norm None: no gradient is shortened
        plain = {"learning_rate": rate, "max_grad_norm": None, "batch_size": FIRST_BATCH}
        steps = self.study.procedure.preference.model_copy(update={"optimizer": "sgd", **plain})
        return replace(self, first_steps=steps)

    def reached(self, loss: str) -> Reached:
        """What the policy reaches; read, where an earlier check of the run has trained it.

        Args:
            loss: an objective of ``repro.llm.training.objectives``.

        Raises:
            Diverged: its steps blow up.
        """
        study, epsilon, order = self.study, self.epsilon, self.seed.order
        steps = self.first_steps or study.procedure.preference
        labels = self.labels[: len(self.labels) // FIRST_SHARE if self.first_steps else None]
        words = loss, epsilon, self.kl_weight, order, steps, study.data
        key = run_key(*words, labels.tolist())

        def found() -> tuple[float, ...]:
            bound = getattr(study.procedure, "reward_bound", math.nan)
            policy = optimised(
                study.reference.part(len(labels)), labels,
                objective(loss, epsilon, self.kl_weight, bound), steps, order,
                study.folder and study.folder / f"{loss}-{key}",
            )  # fmt: skip
            if self.first_steps is not None:
                return *NOTHING, *self.ranking(policy), math.nan
            ours = self.responses(policy)
            return *self.win_rates(ours), *self.ranking(policy), self.longer(ours)

        return Reached(*self._once(found, key, len(Reached._fields)).tolist())

    def longest(self) -> Reached:
        """What the longer-is-better baseline reaches, the longest of some responses; no ranking."""

        def found() -> tuple[float, ...]:
            ours, theirs = self.longest_responses()
            return *self.win_rates(ours, theirs), *NOTHING, self.longer(ours, theirs)

        return Reached(*self._once(found, "longest", len(Reached._fields)).tolist())

    def _once(self, measure: Callable[[], Sequence[float]], name: str, size: int) -> np.ndarray:
        """(size,) numbers that are measured, or that an earlier check of the run has kept."""
        code = code_fingerprint(__name__, MEASURING), machine(), self.study.identity, self.seed.draw
        block = Block(0, 0, run_key(code, name))
        kept = self.study.folder and BlockStore(self.study.folder / "reached")
        numbers = kept.read(block, (size,)) if kept else None
        if numbers is None:
            numbers = np.array(measure())
            if kept:
                kept.write(block, numbers)
        return numbers

    def responses(self, policy: Any) -> list[str]:
        """Some responses of a policy to each held-out prompt, one after the other."""
        return list(chain(*self.study.respond(policy, self.seed.draw, ANSWERS)))

    @property
    def opposing(self) -> list[str]:
        """As many of the fine-tuned model to each, from draws of their own."""
        return _opposing(self.study, self.seed.draw + 1)

    def longest_responses(self) -> tuple[list[str], list[str]]:
        """The longest of some responses of the fine-tuned model to each prompt, and its opponents.

        Two groups are drawn: the longest of each is compared with all of the other, as one
        opponent alone would be most of the noise.
        """
        drawn = self.study.respond(self.study.reference.model, self.seed.draw + 2, 2 * LONGEST_OF)
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

    def longer(self, ours: list[str], theirs: list[str] | None = None) -> float:
        """Win rate against the fine-tuned model by a judge that prefers the longer response."""
        return float(longer_wins(ours, self.opposing if theirs is None else theirs).mean())

    def ranking(self, policy: Any) -> tuple[float, float]:
        """Accuracy and margin on held-out pairs."""
        first, second = self.study.log_ratios(policy)
        labels = self.study.splits.held_out.labels
        signed = (first - second).double() * labels
        margin = self.kl_weight * float(torch.mean(signed))
        return ranking_accuracy(first - second, labels), margin


@lru_cache(maxsize=64)
def _opposing(study: Study, draw: int) -> list[str]:
    """Drawn once for all policies of a seed."""
    return list(chain(*study.respond(study.reference.model, draw, ANSWERS)))


# Algorithms that several theorems share ----------------------------------------------------------


def dpo(release: SimulatedRelease) -> Reached:
    """Wrong where labels are private: DPO takes every label as it is."""
    return release.reached("dpo")


def longer_is_better(release: SimulatedRelease) -> Reached:
    """Wrong: no learning; the longest of a few responses of the fine-tuned model."""
    return release.longest()
