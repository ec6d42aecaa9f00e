"""P4's Appendix D, seed by seed: policies from one release of the labels, and what they reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.llm.direct_preference import optimised
from repro.llm.implicit_reward import dpo_reward_difference
from repro.llm.judges import length_controlled, wins
from repro.llm.losses import debiased_loss, log_loss
from repro.llm.objectives import Loss, Objective
from repro.llm.settings import Training
from repro.llm.study import Study, ranking_accuracy, run_key

LONGEST_OF = 4
"""Responses of the fine-tuned model from which the longer-is-better baseline takes the longest."""


def sign_flipped_loss(difference: Tensor, label: Tensor, epsilon: float) -> Tensor:
    """Wrong: the debiasing term with its sign turned round."""
    return debiased_loss(difference, -label, epsilon)


LOSSES: dict[str, Callable[[float], Loss]] = {
    "rdpo": lambda epsilon: partial(debiased_loss, epsilon=epsilon),
    "dpo": lambda epsilon: log_loss,
    "sign_flipped": lambda epsilon: partial(sign_flipped_loss, epsilon=epsilon),
}
"""P4's eq. 16, DPO on private labels as if they were clean, and a wrong version."""


@dataclass(frozen=True)
class Seed:
    """One seed: batches, draws and noise of its own.

    Attributes:
        study: what all seeds share.
        training: of the optimisation.
        order: seed of the batches; the same for all policies that are compared.
        draw: seed of the responses.
        folder: for checkpoints; None writes none.
    """

    study: Study
    training: Training
    order: int
    draw: int
    folder: Path | None

    @classmethod
    def of(
        cls, study: Study, rng: np.random.Generator, folder: Path | None,
        training: Training | None = None,
    ) -> Seed:  # fmt: skip
        """From the block's stream."""
        order, draw = (int(x) for x in rng.integers(2**62, size=2))
        return cls(study, training or study.procedure.preference, order, draw, folder)

    def policy(self, loss: str, epsilon: float, labels: Tensor) -> Any:
        """Trained from released labels (n,) with a loss of ``LOSSES`` at ε."""
        difference = partial(dpo_reward_difference, kl_weight=self.study.procedure.kl_weight)
        return self.trained(loss, Objective(difference, LOSSES[loss](epsilon)), epsilon, labels)

    def trained(self, name: str, objective: Objective, epsilon: float, labels: Tensor) -> Any:
        """Trained from released labels (n,); ``name`` and ε tell its checkpoint from others."""
        key = run_key(name, epsilon, self.order, self.training, self.study.data, labels.tolist())
        place = self.folder and self.folder / f"{name}-{key}"
        return optimised(self.study.reference, labels, objective, self.training, self.order, place)

    def responses(self, policy: Any) -> list[str]:
        """One response of a policy to each held-out prompt."""
        return [drawn[0] for drawn in self.study.respond(policy, self.draw)]

    @cached_property
    def opposing(self) -> list[str]:
        """One response of the fine-tuned model to each, from draws of their own."""
        drawn = self.study.respond(self.study.reference.model, self.draw + 1)
        return [one[0] for one in drawn]

    def longest(self) -> list[str]:
        """The longer-is-better baseline: the longest of some responses of the same model."""
        drawn = self.study.respond(self.study.reference.model, self.draw + 2, LONGEST_OF)
        return [max(some, key=len) for some in drawn]

    def win_rate(self, ours: list[str], controlled: bool = False) -> float:
        """Against the fine-tuned model, in both orders; or the same at equal length."""
        theirs = self.opposing
        won = wins(self.study.judge, self.study.prompts, ours, theirs)
        return length_controlled(won, ours, theirs) if controlled else float(won.mean())

    def accuracy(self, policy: Any) -> float:
        """Implicit ranking accuracy on held-out pairs."""
        first, second = self.study.log_ratios(policy)
        return ranking_accuracy(first - second, self.study.splits.held_out.labels)

    def margin(self, policy: Any) -> float:
        """Mean implicit reward difference in favour of the held-out label, in units of reward."""
        first, second = self.study.log_ratios(policy)
        signed = (first - second).double() * self.study.splits.held_out.labels
        return self.study.procedure.kl_weight * float(torch.mean(signed))
