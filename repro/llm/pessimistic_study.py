"""P1's pipeline, seed by seed: a private reward model, pessimism, and a reweighted policy.

The paper optimises by PPO, which is gone from the stable trainer libraries; here the policy is
π ∝ π_ref·exp((r − Γ)/kl_weight) itself, by exact reweighting of K responses of the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.llm.encoding import encode
from repro.llm.gibbs_reweighting import gibbs_weights
from repro.llm.judges import length_controlled, wins
from repro.llm.losses import log_loss, mixture_loss
from repro.llm.objectives import Loss
from repro.llm.pessimism import FeatureBonus, feature_bonus
from repro.llm.reward_model import FeatureMap, RewardModel, fitted_reward
from repro.llm.settings import PessimisticProcedure
from repro.llm.study import SCORING_BATCH, Study, ranking_accuracy, run_key


def label_flipped_loss(difference: Tensor, label: Tensor, epsilon: float) -> Tensor:
    """Wrong: every label read as its opposite."""
    return mixture_loss(difference, -label, epsilon)


REWARD_LOSSES: dict[str, Callable[[float], Loss]] = {
    "ppkl": lambda epsilon: partial(mixture_loss, epsilon=epsilon),
    "no_debias": lambda epsilon: log_loss,
    "label_flipped": lambda epsilon: partial(label_flipped_loss, epsilon=epsilon),
}
"""P1's eq. 9, private labels taken as clean, and a wrong version."""


@dataclass(frozen=True)
class Drawn:
    """K responses of the reference to each of P prompts, and K it is compared with.

    Attributes:
        prompts: (P,) texts.
        ours, theirs: (P, K) responses.
        won: (P, K) share of ``theirs`` that each of ``ours`` beats, in both orders.
    """

    prompts: tuple[str, ...]
    ours: list[list[str]]
    theirs: list[list[str]]
    won: np.ndarray


@dataclass(frozen=True)
class PessimisticSeed:
    """One seed of P1's pipeline on a study whose procedure is pessimistic."""

    study: Study
    features: FeatureMap
    procedure: PessimisticProcedure
    order: int
    draw: int
    folder: Path | None

    @classmethod
    def of(
        cls, study: Study, features: FeatureMap, procedure: PessimisticProcedure,
        rng: np.random.Generator, folder: Path | None,
    ) -> PessimisticSeed:  # fmt: skip
        """From the block's stream."""
        order, draw = (int(x) for x in rng.integers(2**62, size=2))
        return cls(study, features, procedure, order, draw, folder)

    def reward(self, loss: str, epsilon: float, labels: Tensor) -> RewardModel:
        """Trained from released labels (n,) with a loss of ``REWARD_LOSSES`` at ε."""
        key = run_key(loss, epsilon, self.order, self.procedure, self.study.data, labels.tolist())
        return fitted_reward(
            self.study.reference, self.features, labels, REWARD_LOSSES[loss](epsilon),
            self.procedure.reward, self.order, self.folder and self.folder / f"reward-{key}",
        )  # fmt: skip

    def accuracy(self, model: RewardModel) -> float:
        """Ranking accuracy on held-out pairs, honest of its name."""
        return ranking_accuracy(self._held_out(model), self.study.splits.held_out.labels)

    def margin(self, model: RewardModel) -> float:
        """Mean reward difference in favour of the held-out label."""
        signed = self._held_out(model).double() * self.study.splits.held_out.labels
        return float(signed.mean())

    def _held_out(self, model: RewardModel) -> Tensor:
        pairs = self.study.held_out
        first, second = (
            model.of_features(model.features(tokens)) for tokens in (pairs.first, pairs.second)
        )
        return first - second

    @cached_property
    def drawn(self) -> Drawn:
        """Responses of the reference and the judge's word on them."""
        count = self.procedure.samples
        rows = self.study.respond(self.study.reference.model, self.draw, 2 * count)
        prompts = self.study.prompts
        ours, theirs = [row[:count] for row in rows], [row[count:] for row in rows]
        flat = [
            (prompt, a, b)
            for prompt, left, right in zip(prompts, ours, theirs, strict=True)
            for a in left
            for b in right
        ]
        won = wins(self.study.judge, *map(list, zip(*flat, strict=True)))
        return Drawn(prompts, ours, theirs, won.reshape(len(prompts), count, count).mean(2))

    def weights(self, model: RewardModel, bonus: FeatureBonus) -> np.ndarray:
        """(P, K) weights of the pessimistic policy on the responses drawn."""
        count = self.procedure.samples
        prompts = [prompt for prompt in self.drawn.prompts for _ in range(count)]
        texts = [text for row in self.drawn.ours for text in row]
        tokens = encode(self.study.backbone.tokenizer, prompts, texts, self.study.data)
        features = model.features(tokens)
        worth = model.of_features(features).double() - bonus(features)
        return gibbs_weights(worth.reshape(-1, count), self.procedure.kl_weight).numpy()

    def longest(self) -> np.ndarray:
        """(P, K) all weight on the longest response: the trivial policy."""
        lengths = np.array([[len(text) for text in row] for row in self.drawn.ours])
        return np.eye(self.procedure.samples)[lengths.argmax(1)]

    def win_rate(self, weights: np.ndarray) -> float:
        """Mean chance of a response of the policy to beat one of the reference."""
        return float((weights * self.drawn.won).sum(1).mean())

    def controlled(self, weights: np.ndarray) -> float:
        """The same at equal length."""
        drawn = self.drawn
        ours, theirs = (
            [text for row in rows for text in row] for rows in (drawn.ours, drawn.theirs)
        )
        prompts = [prompt for prompt in drawn.prompts for _ in range(self.procedure.samples)]
        won = wins(self.study.judge, prompts, ours, theirs)
        return length_controlled(won, ours, theirs, weights.ravel())


def bonus_at(
    features: FeatureMap, procedure: PessimisticProcedure, epsilon: float, pessimistic: bool
) -> FeatureBonus:
    """Γ of the pairs at ε: the coefficient times c(ε); without pessimism 0 everywhere."""
    own = procedure.reward
    coefficient = own.coefficient * privacy_cost(epsilon) if pessimistic else 0.0
    return feature_bonus(features.first, features.second, own.ridge, coefficient)


def bonus_size(features: FeatureMap, some: Tensor, ridge: float, shrinks: bool = True) -> float:
    """Mean Γ at coefficient 1 of all responses, from some of the pairs.

    Args:
        features: of all pairs.
        some: (m,) indices of the pairs that Γ is made of.
        ridge: as in ``feature_bonus``.
        shrinks: False is wrong: the covariance in the place of the sum, so that more pairs bring
            no more certainty.
    """
    scale = 1.0 if shrinks else len(some) ** -0.5
    bonus = feature_bonus(features.first[some] * scale, features.second[some] * scale, ridge, 1.0)
    seen = torch.cat([features.first, features.second]).double()
    return float(FeatureBonus(bonus.factor, seen.mean(0), 1.0)(seen).mean())


def feature_map(study: Study, pooling: str) -> FeatureMap:
    """Features of the fine-tuned model on the pairs to train on."""
    batch = min(SCORING_BATCH, 8 * study.procedure.preference.batch_size)
    reference = study.reference
    return FeatureMap.of(reference.model, reference.pairs, pooling, batch, study.device)
