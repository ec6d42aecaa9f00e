"""Algorithm 1 of P1 (private pessimistic KL-regularised RLHF), run on counts, with its gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.families.offline_kl.algorithms_bonus import bonus
from repro.families.offline_kl.algorithms_counts import two_arm_mle
from repro.families.offline_kl.algorithms_reward_class import ClassFits
from repro.families.offline_kl.quantities_gap import (
    bonus_gap,
    gap_constant,
    private_fisher_information,
    two_arm_bonus_gap,
    two_arm_gap_constant,
)
from repro.instances.assumptions import linear_concentrability, two_arm_concentrability
from repro.instances.linear import LinearWorld
from repro.instances.two_arms import TwoArmWorld
from repro.policies.covering import log_covering_table
from repro.policies.gibbs import gibbs_suboptimality, sum_last
from repro.policies.regularisers import KL, Regulariser, regularised_suboptimality
from repro.policies.reward_class import BALL, RewardClass
from repro.preferences.label_counts import LabelCounts, draw_label_counts
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)
from repro.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture

LIMIT_DRAWS = 2000
"""Pairs of normal errors behind a limit: the share of a gap that is random comes out to 2 %."""
LIMIT_BATCH = 100
"""Divides LIMIT_DRAWS, so that all batches are alike."""


@dataclass(frozen=True)
class BonusConstants:
    """What eq. (10) leaves free.

    Attributes:
        failure_prob: δ.
        net_radius: τ of the covering number.
        scale: the constant c.
    """

    failure_prob: float
    net_radius: float
    scale: float


@dataclass(frozen=True, eq=False)
class Datasets:
    """Datasets of one size drawn from a world, and what Algorithm 1 is run with.

    Attributes:
        world: the truth.
        counts: (R, C) privatised labels.
        n_pairs: n, or (R, 1, 1) where datasets of several sizes are joined.
        epsilon: the budget the labels were privatised with.
        constants: of the bonus.
        rngs: streams for methods that draw more, each for an equal share of the datasets.
        bonus_multiple: of the bonus that the method subtracts: 1 as printed.
        estimate: (fitted, truth) → what the estimator returns.
        response: the channel that the learner believes in.
        regulariser: the divergence in the objective.
        reward_class: what the estimate is taken over.
    """

    world: Any
    counts: LabelCounts
    n_pairs: Any
    epsilon: float
    constants: BonusConstants
    rngs: tuple[np.random.Generator, ...]
    bonus_multiple: float = 1.0
    estimate: Estimate = as_fitted
    response: LabelMixture = RANDOMIZED_RESPONSE
    regulariser: Regulariser = KL
    reward_class: RewardClass = BALL


@dataclass(frozen=True, eq=False)
class LinearProblem(Datasets):
    """Datasets drawn from a linear world."""

    world: LinearWorld
    n_pairs: int | Tensor

    def fit(self, epsilon: float) -> Tensor:
        """(R, d) private MLE whose likelihood assumes ``epsilon`` (step 2)."""
        fits = ClassFits(self.world, self.counts, epsilon, self.response)
        return self.estimate(self.reward_class.best(fits, self.world), self.world.theta)

    def error(self, theta: Tensor) -> Tensor:
        """(R, S, A) estimated minus true reward, up to a shift per state."""
        difference = theta - self.world.theta
        return (difference @ self.world.features.flatten(0, 1).T).reshape(
            -1, *self.world.reference.shape
        )

    def bonus(self) -> Tensor:
        """(S, A) or (R, S, A) Γ_n of eq. (10) with log N(τ) and B of the class (step 3)."""
        world, c = self.world, self.constants
        return self.bonus_multiple * bonus(
            linear_concentrability(world),
            reward_bound=self.reward_class.reward_bound(world),
            epsilon=self.epsilon,
            log_covering=self.reward_class.log_covering(world, c.net_radius),
            n_pairs=self.n_pairs,
            failure_prob=c.failure_prob,
            net_radius=c.net_radius,
            scale=c.scale,
        )

    def predicted_gap(self, with_bonus: bool) -> float:
        """Second-order prediction of the mean gap, with or without the bonus's share."""
        share = bonus_gap(self.world, self.bonus(), self.regulariser) if with_bonus else 0.0
        constant = gap_constant(self.world, self.epsilon, self.response, self.regulariser)
        return float(constant / self.n_pairs) + share

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
        one = private_fisher_information(self.world, self.epsilon, self.response)
        information = one * self.n_pairs
        root = torch.linalg.cholesky(torch.linalg.inv(information))
        normal = np.random.Generator(np.random.Philox(key=7)).standard_normal(
            (LIMIT_DRAWS, len(root))
        )
        errors = torch.as_tensor(normal, dtype=root.dtype, device=root.device) @ root.T
        return errors.split(LIMIT_BATCH)

    def gap(self, error: Tensor) -> Tensor:
        """(R,) suboptimality of the Gibbs policy of a reward with this error (step 4)."""
        world = self.world
        if self.regulariser != KL:
            return regularised_suboptimality(
                self.regulariser, world.reference, world.reward, world.reward + error,
                world.state_prob, world.kl_weight,
            )  # fmt: skip
        return gibbs_suboptimality(
            world.optimal_policy, error / world.kl_weight, world.state_prob, world.kl_weight
        )


@dataclass(frozen=True, eq=False)
class TwoArmProblem(Datasets):
    """Datasets drawn from a two-response world."""

    world: TwoArmWorld
    n_pairs: int

    def fit(self, epsilon: float) -> Tensor:
        """(R, S) estimated reward differences under a likelihood that assumes ``epsilon``."""
        fitted = two_arm_mle(self.counts, epsilon, self.world.reward_bound, self.response)
        return self.estimate(fitted, self.world.reward_diff)

    def bonus(self, log_covering: float | None = None) -> Tensor:
        """(S,) Γ_n(first) − Γ_n(second) of eq. (10), log N(τ) of the table unless given."""
        world, c = self.world, self.constants
        table = log_covering_table(len(world.state_prob), world.reward_bound, c.net_radius)
        both = bonus(
            two_arm_concentrability(world),
            reward_bound=world.reward_bound,
            epsilon=self.epsilon,
            log_covering=table if log_covering is None else log_covering,
            n_pairs=self.n_pairs,
            failure_prob=c.failure_prob,
            net_radius=c.net_radius,
            scale=c.scale,
        )
        return self.bonus_multiple * (both[:, 0] - both[:, 1])

    def predicted_gap(self, with_bonus: bool) -> float:
        """Second-order prediction of the mean gap, with or without the bonus's share."""
        share = two_arm_bonus_gap(self.world, self.bonus(), self.regulariser) if with_bonus else 0
        constant = two_arm_gap_constant(self.world, self.epsilon, self.response, self.regulariser)
        return constant / self.n_pairs + share

    def error(self, difference: Tensor) -> Tensor:
        """(R, S) estimated minus true reward difference."""
        return difference - self.world.reward_diff

    def gap(self, error: Tensor, kl_weight: float | None = None) -> Tensor:
        """(R,) suboptimality of the Gibbs policy of a reward with this error.

        ``kl_weight`` is the weight the policy is computed with; the true one unless given.
        """
        world = self.world
        reward = world.reward_diff + error
        if self.regulariser != KL:
            # the policy of r at another weight is that of a multiple of r at the own one
            fitted = reward * (world.kl_weight / (kl_weight or world.kl_weight))
            truth = torch.stack([world.reward_diff, torch.zeros_like(world.reward_diff)], dim=-1)
            fitted = torch.stack([fitted, torch.zeros_like(fitted)], dim=-1)
            return regularised_suboptimality(
                self.regulariser, world.policies, truth, fitted, world.state_prob, world.kl_weight
            )
        log_ratio = reward / (kl_weight or world.kl_weight) - world.reward_diff / world.kl_weight
        both = torch.stack([log_ratio, torch.zeros_like(log_ratio)], dim=-1)
        return gibbs_suboptimality(world.optimal_policy, both, world.state_prob, world.kl_weight)


class OneSidedProblem(TwoArmProblem):
    """A two-response problem whose gap is counted with a sign.

    To second order a gap is even in the bonus, so its size alone cannot tell caution from greed.
    """

    def gap(self, error: Tensor, kl_weight: float | None = None) -> Tensor:
        """(R,) the gap, negative where π̂ plays the rarer response more often than π* does."""
        world = self.world
        log_odds = torch.logit(world.reference) + (world.reward_diff + error) / world.kl_weight
        moved = (torch.sigmoid(log_odds) - world.optimal_policy[:, 0]) @ world.state_prob
        return -moved.sign() * super().gap(error, kl_weight)


Problem = LinearProblem | TwoArmProblem


def draw_problem(
    world: LinearWorld | TwoArmWorld,
    n_pairs: int,
    epsilon: float,
    constants: BonusConstants,
    rng: np.random.Generator,
    replicates: int,
    labels: LabelLaw = bradley_terry,
    channel: Channel = randomized_response,
) -> Problem:
    """Draw privatised datasets from a world.

    Args:
        world: the truth.
        n_pairs: n, labels per dataset.
        epsilon: privacy budget in (0, inf].
        constants: of the bonus.
        rng: the block's stream.
        replicates: R, number of datasets.
        labels: what labels are drawn from.
        channel: who randomizes them.
    """
    counts = draw_label_counts(
        rng, world.cell_prob, world.reward_diff, n_pairs, epsilon, replicates, labels, channel
    )
    if isinstance(world, LinearWorld):
        return LinearProblem(world, counts, n_pairs, epsilon, constants, (rng,))
    return TwoArmProblem(world, counts, n_pairs, epsilon, constants, (rng,))


def joined(problems: Sequence[LinearProblem]) -> LinearProblem:
    """Datasets of several sizes from one world and budget as one batch, in order."""
    first = problems[0]
    rows = [torch.full((len(p.counts.pairs), 1, 1), float(p.n_pairs)).double() for p in problems]
    counts = LabelCounts(
        torch.cat([p.counts.pairs for p in problems]), torch.cat([p.counts.wins for p in problems])
    )
    sizes = torch.cat(rows).to(counts.pairs.device)
    rngs = tuple(rng for p in problems for rng in p.rngs)
    return replace(first, counts=counts, n_pairs=sizes, rngs=rngs)
