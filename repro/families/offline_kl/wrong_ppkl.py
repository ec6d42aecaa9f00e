"""Algorithm 1 and deliberately wrong versions of it, by name.

Each takes a problem and returns one number per dataset.  The wrong ones are the controls: a
verdict that they pass is no verdict.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

import torch
from torch import Tensor

from repro.estimators.mixture_mle import mixture_mle
from repro.families.offline_kl.algorithms_counts import randomize_counts
from repro.families.offline_kl.algorithms_ppkl import LinearProblem, TwoArmProblem
from repro.policies.covering import log_covering_table
from repro.preferences.label_counts import LabelCounts
from repro.study.row import method, privacy_mistake

AnyProblem = TypeVar("AnyProblem", bound=LinearProblem | TwoArmProblem)
EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""


@method
def ppkl(problem: LinearProblem | TwoArmProblem) -> Tensor:
    """Algorithm 1 as printed: private MLE, bonus of eq. (10), Gibbs policy."""
    return problem.gap(problem.error(problem.fit(problem.epsilon)) - problem.bonus())


@method
def private_mle(problem: LinearProblem | TwoArmProblem) -> Tensor:
    """Algorithm 1 with the constant c of its bonus at 0."""
    return problem.gap(problem.error(problem.fit(problem.epsilon)))


@privacy_mistake
def naive_likelihood(problem: LinearProblem | TwoArmProblem) -> Tensor:
    """Wrong: the clean Bradley–Terry likelihood on privatised labels (no debiasing)."""
    return problem.gap(problem.error(problem.fit(math.inf)))


@privacy_mistake
def epsilon_overstated(problem: LinearProblem | TwoArmProblem) -> Tensor:
    """Wrong: the likelihood assumes a budget 20 % too high."""
    return problem.gap(problem.error(problem.fit(EPSILON_OVERSTATED * problem.epsilon)))


@method
def hidden_randomizer(problem: TwoArmProblem) -> Tensor:
    """Wrong for a claim without privacy: labels were privatised at ε = 1, and it is accounted."""
    return problem.gap(problem.error(_randomized_again(problem).fit(1.0)))


@method
def unaccounted_randomizer(problem: LinearProblem | TwoArmProblem) -> Tensor:
    """Wrong: labels pass through one more randomized response that the likelihood ignores."""
    return problem.gap(problem.error(_randomized_again(problem).fit(problem.epsilon)))


@method
def frozen_features(problem: LinearProblem) -> Tensor:
    """Wrong for a sweep of d: only the first two features are ever estimated."""
    world = problem.world
    theta = torch.zeros(
        problem.counts.wins.shape[0],
        world.features.shape[-1],
        dtype=world.theta.dtype,
        device=world.theta.device,
    )
    theta[:, :2] = mixture_mle(
        problem.counts, world.feature_diff[:, :2], problem.epsilon, world.radius
    )
    return problem.gap(problem.error(theta))


@method
def without_bonus(problem: LinearProblem) -> Tensor:
    """Wrong where coverage is thin: no pessimism."""
    return private_mle.run(problem)


@method
def inverted_kl_weight(problem: TwoArmProblem) -> Tensor:
    """Wrong: P1's β read as the weight of KL, not as its inverse."""
    world = problem.world
    return problem.gap(problem.error(problem.fit(problem.epsilon)), kl_weight=1 / world.kl_weight)


@method
def uniform_reference(problem: TwoArmProblem) -> Tensor:
    """Wrong: the policy starts from the uniform distribution, not from π_ref."""
    world = problem.world
    shift = world.kl_weight * torch.logit(world.reference)
    return problem.gap(problem.error(problem.fit(problem.epsilon)) - shift)


@method
def bonus_of_one_state(problem: TwoArmProblem) -> Tensor:
    """Wrong for a sweep of S: log N(τ) of a single state, whatever their number."""
    one = log_covering_table(1, problem.world.reward_bound, problem.constants.net_radius)
    return problem.gap(
        problem.error(problem.fit(problem.epsilon)) - problem.bonus(log_covering=one)
    )


@method
def inverted_kl_weight_with_bonus(problem: TwoArmProblem) -> Tensor:
    """Wrong: Algorithm 1 with P1's β read as the weight of KL, not as its inverse."""
    error = problem.error(problem.fit(problem.epsilon)) - problem.bonus()
    return problem.gap(error, kl_weight=1 / problem.world.kl_weight)


@method
def bonus_without_coverage(problem: TwoArmProblem) -> Tensor:
    """Wrong for a sweep of coverage: Γ_n without the density ratio of the rarer response."""
    rarer = torch.minimum(problem.world.reference, 1 - problem.world.reference)
    return problem.gap(problem.error(problem.fit(problem.epsilon)) - problem.bonus() * rarer.sqrt())


@method
def event_fails(problem: LinearProblem) -> Tensor:
    """1 where |r̄ − b − r*| ≤ Γ_n fails for some (s, a): event E(δ) in the proof of Thm 4.2."""
    return _outside(problem, problem.bonus())


@method
def event_fails_at_half(problem: LinearProblem) -> Tensor:
    """1 where the same event with half of Γ_n fails."""
    return _outside(problem, problem.bonus() / 2)


@method
def event_fails_at_quarter(problem: LinearProblem) -> Tensor:
    """Wrong: half of a bonus that covers."""
    return _outside(problem, problem.bonus() / 4)


@method
def event_fails_without_root(problem: LinearProblem) -> Tensor:
    """Wrong: the same event with Γ_n² in the place of Γ_n."""
    return _outside(problem, problem.bonus().square())


@method
def share_of_bonus(problem: LinearProblem) -> Tensor:
    """max over (s, a) of |r̄ − b − r*|/Γ_n of the private MLE."""
    return problem.share_of_bonus(problem.fit(problem.epsilon))


@method
def share_of_half_bonus(problem: LinearProblem) -> Tensor:
    """Wrong: the same with half of Γ_n."""
    return 2 * share_of_bonus.run(problem)


def _randomized_again(problem: AnyProblem) -> AnyProblem:
    """The problem after one more randomized response at ε = 1, each stream for its share."""
    shares = len(problem.rngs)
    pairs, wins = problem.counts.pairs.chunk(shares), problem.counts.wins.chunk(shares)
    noisy = [
        randomize_counts(rng, LabelCounts(m, k), 1.0)
        for rng, m, k in zip(problem.rngs, pairs, wins, strict=True)
    ]
    counts = LabelCounts(problem.counts.pairs, torch.cat([part.wins for part in noisy]))
    return replace(problem, counts=counts)


def _outside(problem: LinearProblem, bonus: Tensor) -> Tensor:
    """(R,) 1.0 where the centred reward error exceeds a bonus (S, A) somewhere."""
    error = problem.centred_error(problem.fit(problem.epsilon))
    return (error.abs() > bonus).flatten(1).any(dim=1).to(error.dtype)
