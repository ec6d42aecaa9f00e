"""Rankings of K responses by Plackett–Luce, released by randomized response over all K! of them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from repro.core.check import privacy_mistake
from repro.labels.preferences.label_law import Estimate, as_fitted
from repro.worlds.policies.gibbs import gibbs_policy, gibbs_suboptimality

STEPS = 25
SHIFT = 0.1
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class RankingWorld:
    """One state with K responses.

    Attributes:
        reward: (K,) true rewards, up to a shift.
        reference: (K,) π_ref.
        kl_weight: weight of KL in the objective.
    """

    reward: Tensor
    reference: Tensor
    kl_weight: float

    @cached_property
    def rankings(self) -> Tensor:
        """(K!, K) all rankings, best first."""
        return torch.tensor(list(itertools.permutations(range(len(self.reward)))))

    def ranking_prob(self, reward: Tensor) -> Tensor:
        """(..., K!) Plackett–Luce: each place goes to one of those left, by its exponential."""
        ordered = reward[..., self.rankings]
        left = ordered.flip(-1).logcumsumexp(-1).flip(-1)
        return (ordered - left).sum(-1).exp()

    def slopes(self, reward: Tensor) -> Tensor:
        """(..., K!, K) derivative of the log probability of each ranking in each reward."""
        ordered = reward[..., self.rankings]
        left = ordered.flip(-1).logcumsumexp(-1).flip(-1)
        # the response in place j is still there at places 1..j
        chosen = torch.cumsum((-left).exp(), -1) * ordered.exp()
        return torch.zeros_like(chosen).scatter(-1, self.rankings.expand(chosen.shape), 1 - chosen)

    def information(self, reward: Tensor, epsilon: float) -> Tensor:
        """(..., K, K) Fisher information of one report; a shift of all rewards has none."""
        prob = self.ranking_prob(reward)
        signal = ranking_signal(epsilon, prob.shape[-1])
        steps = self.slopes(reward) * prob.unsqueeze(-1)
        weight = signal**2 / ranking_response(prob, epsilon)
        return torch.einsum("...n,...ni,...nj->...ij", weight, steps, steps)

    def gap_constant(self, epsilon: float) -> float:
        """lim n·E[gap] of the MLE: tr(Cov_π*·I⁺)/(2·kl_weight)."""
        policy = gibbs_policy(self.reference, self.reward, self.kl_weight)
        covariance = torch.diag(policy) - torch.outer(policy, policy)
        inverse = torch.linalg.pinv(self.information(self.reward, epsilon), hermitian=True)
        return float((covariance @ inverse).trace() / (2 * self.kl_weight))


def ranking_signal(epsilon: float, num_rankings: int) -> float:
    """Weight (e^ε−1)/(e^ε+N−1) of the true law in that of a report."""
    return -math.expm1(-epsilon) / (1 + (num_rankings - 1) * math.exp(-epsilon))


def ranking_response(prob: Tensor, epsilon: float) -> Tensor:
    """(..., N) law of a report that keeps the ranking with e^ε/(e^ε+N−1), else is any other one."""
    signal = ranking_signal(epsilon, prob.shape[-1])
    return signal * prob + (1 - signal) / prob.shape[-1]


@dataclass(frozen=True, eq=False)
class RankingProblem:
    """R datasets of n reported rankings.

    Attributes:
        world: the truth.
        counts: (R, K!) reports.
        epsilon: budget that the learner believes in.
        estimate: (fitted, truth) → what the estimator returns.
    """

    world: RankingWorld
    counts: Tensor
    epsilon: float
    estimate: Estimate = as_fitted

    def fit(self, epsilon: float) -> Tensor:
        """(R, K) rewards that maximise the likelihood of the reports, by Fisher scoring from 0."""
        world = self.world
        reward = self.counts.new_zeros(len(self.counts), len(world.reward))
        pairs = self.counts.sum(-1, keepdim=True)
        signal = ranking_signal(epsilon, self.counts.shape[-1])
        for _ in range(STEPS):
            prob = world.ranking_prob(reward)
            steps = signal * world.slopes(reward) * prob.unsqueeze(-1)
            score = (self.counts / ranking_response(prob, epsilon)).unsqueeze(-2) @ steps
            # the likelihood does not see a shift of all rewards: any curvature along it will do
            information = pairs.unsqueeze(-1) * (world.information(reward, epsilon) + SHIFT)
            step, _ = torch.linalg.solve_ex(information, score.squeeze(-2))  # singular: no number
            reward = reward + step.clamp(-1, 1)
            if float(step.abs().max()) < TOLERANCE:
                break
        return self.estimate(reward, world.reward)

    def gap(self, reward: Tensor) -> Tensor:
        """(R,) suboptimality of the Gibbs policy of a reward."""
        world = self.world
        best = gibbs_policy(world.reference, world.reward, world.kl_weight)[None]
        error = (reward - world.reward) / world.kl_weight
        weight = torch.ones(1, dtype=best.dtype)
        return gibbs_suboptimality(best, error[:, None], weight, world.kl_weight)


def draw_rankings(rng: np.random.Generator, prob: Tensor, n_pairs: int, replicates: int) -> Tensor:
    """(R, N) counts of n draws from a law (N,)."""
    law = prob.numpy() / prob.numpy().sum()
    return torch.from_numpy(rng.multinomial(n_pairs, law, size=replicates).astype(float))


def ranking_mle(problem: RankingProblem) -> Tensor:
    """(R,) gap of the private MLE."""
    return problem.gap(problem.fit(problem.epsilon))


@privacy_mistake
def rankings_overstated(problem: RankingProblem) -> Tensor:
    """Wrong: the budget believed 20 % higher."""
    return problem.gap(problem.fit(1.2 * problem.epsilon))


def half_of_the_rankings(problem: RankingProblem) -> Tensor:
    """Wrong by a factor 2 in n: every other report is left out."""
    # a binomial half of counts this large is their half and normal noise of variance count/4
    noise = torch.sqrt(problem.counts) / 2 * _signs(problem.counts)
    halved = RankingProblem(
        problem.world, problem.counts / 2 + noise, problem.epsilon, problem.estimate
    )
    return halved.gap(halved.fit(problem.epsilon))


def _signs(counts: Tensor) -> Tensor:
    """±1 by the parity of counts, coins that no stream has to be kept for."""
    return 1 - 2 * torch.remainder(counts, 2)
