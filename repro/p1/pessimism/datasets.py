"""Datasets of private labels, the steps of P1's Algorithm 1 on them, and the gap that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.base.schema import Pairs, Positive, Probability
from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.p1.pessimism.bonus import bonus
from repro.p1.pessimism.class_fits import ClassFits
from repro.p1.pessimism.gap_constants import (
    bonus_gap,
    gap_constant,
    private_fisher_information,
    two_arm_bonus_gap,
    two_arm_gap_constant,
)
from repro.worlds.estimators.two_arm_mle import two_arm_mle
from repro.worlds.instances.assumptions import linear_concentrability, two_arm_concentrability
from repro.worlds.instances.build import World
from repro.worlds.instances.labelled import LabelledInstance, PrivateLabels
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.instances.two_arms import TwoArmWorld
from repro.worlds.policies.covering import log_covering_table
from repro.worlds.policies.gibbs import gibbs_suboptimality, sum_last
from repro.worlds.policies.regularisers import KL, Regulariser, regularised_suboptimality
from repro.worlds.policies.reward_class import BALL, RewardClass

LIMIT_DRAWS = 2000
"""Pairs of normal errors behind a limit: the share of a gap that is random comes out to 2 %."""
LIMIT_BATCH = 100
"""Divides LIMIT_DRAWS, so that all batches are alike."""


@dataclass(frozen=True, kw_only=True)
class OfflineLabels(PrivateLabels):
    """n private labels of a world with a known truth, and what Algorithm 1 is told.

    Attributes:
        n_pairs: n.
        failure_prob: δ of the bonus (eq. 10).
        net_radius: τ of the covering number there.
        scale: the constant c there, which the paper leaves free.
        pessimism: multiple of the bonus that is subtracted: 1 as printed, 0 none, −1 reversed.
        response: the channel that the learner believes in.
        regulariser: the divergence in the objective.
        reward_class: what a linear estimate is taken over.
    """

    n_pairs: Pairs
    failure_prob: Probability = 0.05
    net_radius: Positive = 1e-15
    scale: Positive = 0.1
    pessimism: float = 1.0
    response: LabelMixture = RANDOMIZED_RESPONSE
    regulariser: Regulariser = KL
    reward_class: RewardClass = BALL

    def draw(self, rng: np.random.Generator, replicates: int) -> Datasets:
        """R datasets of n labels, drawn as the stages say."""
        world: World = self.world  # type: ignore[attr-defined]  # subclasses say where from
        counts = draw_label_counts(
            rng, world.cell_prob, world.reward_diff, self.n_pairs, self.epsilon, replicates,
            self.labels, self.channel,
        )  # fmt: skip
        kind = LinearDatasets if isinstance(world, LinearWorld) else TwoArmDatasets
        return kind(self, world, counts, self.n_pairs, (rng,))  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class InstanceLabels(OfflineLabels, LabelledInstance):
    """Such labels of an instance, which a sweep may rebuild."""


@dataclass(frozen=True, kw_only=True)
class BuiltLabels(OfflineLabels):
    """Such labels of a world that is built already.

    Attributes:
        truth: the world.
    """

    truth: World

    @property
    def world(self) -> World:
        return self.truth


@dataclass(frozen=True, eq=False)
class Datasets:
    """R datasets of private labels, and Algorithm 1 step by step.

    Attributes:
        source: what they were drawn from, and what the learner is told.
        world: the truth.
        counts: (R, C) privatised labels.
        n_pairs: n, or (R, 1, 1) where datasets of several sizes are joined.
        rngs: streams for methods that draw more, each for an equal share of the datasets.
    """

    source: OfflineLabels
    world: Any
    counts: LabelCounts
    n_pairs: Any
    rngs: tuple[np.random.Generator, ...]

    @property
    def epsilon(self) -> float:
        """The budget that the labels were privatised with."""
        return self.source.epsilon

    def fit(self, epsilon: float) -> Tensor:
        """(R, ·) private MLE whose likelihood assumes ``epsilon`` (step 2)."""
        raise NotImplementedError

    def error(self, fitted: Tensor) -> Tensor:
        """Estimated minus true reward, by dataset."""
        raise NotImplementedError

    def bonus(self) -> Tensor:
        """Γ_n of eq. (10), to be subtracted from an error (step 3)."""
        raise NotImplementedError

    def gap(self, error: Tensor) -> Tensor:
        """(R,) suboptimality of the Gibbs policy of a reward with this error (step 4)."""
        raise NotImplementedError

    def predicted_gap(self) -> float:
        """Second-order prediction of the mean gap without a bonus."""
        raise NotImplementedError

    def predicted_cost_of_bonus(self) -> float:
        """The bonus's own share of the gap, to second order."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class LinearDatasets(Datasets):
    """Datasets of a linear world."""

    world: LinearWorld
    n_pairs: int | Tensor

    def fit(self, epsilon: float) -> Tensor:
        """(R, d) private MLE whose likelihood assumes ``epsilon`` (step 2)."""
        source = self.source
        fits = ClassFits(self.world, self.counts, epsilon, source.response)
        return source.estimate(source.reward_class.best(fits, self.world), self.world.theta)

    def error(self, theta: Tensor) -> Tensor:
        """(R, S, A) estimated minus true reward, up to a shift per state."""
        difference = theta - self.world.theta
        return (difference @ self.world.features.flatten(0, 1).T).reshape(
            -1, *self.world.reference.shape
        )

    def bonus(self) -> Tensor:
        """(S, A) or (R, S, A) Γ_n of eq. (10) with log N(τ) and B of the class (step 3)."""
        world, source = self.world, self.source
        return source.pessimism * bonus(
            linear_concentrability(world),
            reward_bound=source.reward_class.reward_bound(world),
            epsilon=source.epsilon,
            log_covering=source.reward_class.log_covering(world, source.net_radius),
            n_pairs=self.n_pairs,
            failure_prob=source.failure_prob,
            net_radius=source.net_radius,
            scale=source.scale,
        )

    def predicted_gap(self) -> float:
        """Second-order prediction of the mean gap without a bonus."""
        source = self.source
        constant = gap_constant(self.world, source.epsilon, source.response, source.regulariser)
        return float(constant / self.n_pairs)

    def predicted_cost_of_bonus(self) -> float:
        """The bonus's own share of the gap, to second order."""
        return bonus_gap(self.world, self.bonus(), self.source.regulariser)

    def limit_gap(self) -> float:
        """E[gap] with θ̂ exactly normal around the truth, whatever the size of the bonus.

        Errors come in pairs ±e, so that what is of first order in e cancels.
        """
        bonus = self.bonus()
        gaps = [
            self.gap(self.error(self.world.theta + sign * error) - bonus)
            for error in self._limit_errors()
            for sign in (1, -1)
        ]
        return float(torch.stack(gaps).mean())

    def limit_share_of_bonus(self) -> float:
        """E max over (s, a) of |r̄ − b − r*|/Γ_n with θ̂ exactly normal around the truth."""
        shares = [self.share_of_bonus(self.world.theta + error) for error in self._limit_errors()]
        return float(torch.stack(shares).mean())

    def share_of_bonus(self, theta: Tensor) -> Tensor:
        """(R,) max over (s, a) of |r̄ − b − r*|/Γ_n, b the state's shift: above 1, E(δ) fails."""
        return (self.centred_error(theta).abs() / self.bonus()).flatten(1).amax(dim=1)

    def centred_error(self, theta: Tensor) -> Tensor:
        """(R, S, A) r̄ − b − r*, b(s) its mean under π_ref."""
        error = self.error(theta)
        return error - sum_last(self.world.reference * error).unsqueeze(-1)

    def _limit_errors(self) -> tuple[Tensor, ...]:
        """Normal θ̂ − θ* with the inverse Fisher information, few at a time.

        With thousands of states a batch of all draws is mostly spent on fetching memory.
        """
        information_of_one = private_fisher_information(
            self.world, self.epsilon, self.source.response
        )
        information = information_of_one * self.n_pairs
        root = torch.linalg.cholesky(torch.linalg.inv(information))
        normal = np.random.Generator(np.random.Philox(key=7)).standard_normal(
            (LIMIT_DRAWS, len(root))
        )
        errors = torch.as_tensor(normal, dtype=root.dtype, device=root.device) @ root.T
        return errors.split(LIMIT_BATCH)

    def gap(self, error: Tensor) -> Tensor:
        """(R,) suboptimality of the Gibbs policy of a reward with this error (step 4)."""
        world = self.world
        if self.source.regulariser != KL:
            return regularised_suboptimality(
                self.source.regulariser, world.reference, world.reward, world.reward + error,
                world.state_prob, world.kl_weight,
            )  # fmt: skip
        return gibbs_suboptimality(
            world.optimal_policy, error / world.kl_weight, world.state_prob, world.kl_weight
        )


@dataclass(frozen=True, eq=False)
class TwoArmDatasets(Datasets):
    """Datasets of a world with two responses."""

    world: TwoArmWorld
    n_pairs: int

    def fit(self, epsilon: float) -> Tensor:
        """(R, S) estimated reward differences under a likelihood that assumes ``epsilon``."""
        response = self.source.response
        fitted = two_arm_mle(self.counts, epsilon, self.world.reward_bound, response)
        return self.source.estimate(fitted, self.world.reward_diff)

    def bonus(self, log_covering: float | None = None) -> Tensor:
        """(S,) Γ_n(first) − Γ_n(second) of eq. (10), log N(τ) of the table unless given."""
        world, source = self.world, self.source
        table = log_covering_table(len(world.state_prob), world.reward_bound, source.net_radius)
        both = bonus(
            two_arm_concentrability(world),
            reward_bound=world.reward_bound,
            epsilon=source.epsilon,
            log_covering=table if log_covering is None else log_covering,
            n_pairs=self.n_pairs,
            failure_prob=source.failure_prob,
            net_radius=source.net_radius,
            scale=source.scale,
        )
        return source.pessimism * (both[:, 0] - both[:, 1])

    def predicted_gap(self) -> float:
        """Second-order prediction of the mean gap without a bonus."""
        world, source = self.world, self.source
        constant = two_arm_gap_constant(world, source.epsilon, source.response, source.regulariser)
        return constant / self.n_pairs

    def predicted_cost_of_bonus(self) -> float:
        """The bonus's own share of the gap, to second order."""
        return two_arm_bonus_gap(self.world, self.bonus(), self.source.regulariser)

    def error(self, difference: Tensor) -> Tensor:
        """(R, S) estimated minus true reward difference."""
        return difference - self.world.reward_diff

    def gap(self, error: Tensor, kl_weight: float | None = None) -> Tensor:
        """(R,) suboptimality of the Gibbs policy of a reward with this error.

        ``kl_weight`` is the weight the policy is computed with; the true one unless given.
        """
        world, regulariser = self.world, self.source.regulariser
        reward = world.reward_diff + error
        if regulariser != KL:
            # the policy of r at another weight is that of a multiple of r at the own one
            fitted = reward * (world.kl_weight / (kl_weight or world.kl_weight))
            truth = torch.stack([world.reward_diff, torch.zeros_like(world.reward_diff)], dim=-1)
            fitted = torch.stack([fitted, torch.zeros_like(fitted)], dim=-1)
            return regularised_suboptimality(
                regulariser, world.policies, truth, fitted, world.state_prob, world.kl_weight
            )
        log_ratio = reward / (kl_weight or world.kl_weight) - world.reward_diff / world.kl_weight
        both = torch.stack([log_ratio, torch.zeros_like(log_ratio)], dim=-1)
        return gibbs_suboptimality(world.optimal_policy, both, world.state_prob, world.kl_weight)


class OneSidedDatasets(TwoArmDatasets):
    """Datasets of two responses whose gap is counted with a sign.

    To second order a gap is even in the bonus, so its size alone cannot tell caution from greed.
    """

    def gap(self, error: Tensor, kl_weight: float | None = None) -> Tensor:
        """(R,) the gap, negative where π̂ plays the rarer response more often than π* does."""
        world = self.world
        log_odds = torch.logit(world.reference) + (world.reward_diff + error) / world.kl_weight
        moved = (torch.sigmoid(log_odds) - world.optimal_policy[:, 0]) @ world.state_prob
        return -moved.sign() * super().gap(error, kl_weight)


def one_sided(world: OfflineLabels, rng: np.random.Generator, replicates: int) -> OneSidedDatasets:
    """R datasets of two responses, their gaps with a sign."""
    return OneSidedDatasets(**vars(world.draw(rng, replicates)))


def joined(drawn: Sequence[LinearDatasets]) -> LinearDatasets:
    """Datasets of several sizes from one world and budget as one batch, in order."""
    first = drawn[0]
    rows = [torch.full((len(p.counts.pairs), 1, 1), float(p.n_pairs)).double() for p in drawn]
    counts = LabelCounts(
        torch.cat([p.counts.pairs for p in drawn]), torch.cat([p.counts.wins for p in drawn])
    )
    sizes = torch.cat(rows).to(counts.pairs.device)
    rngs = tuple(rng for p in drawn for rng in p.rngs)
    return replace(first, counts=counts, n_pairs=sizes, rngs=rngs)
