"""Online Newton steps on the debiased logistic loss: an estimate in O(d²) a label, and its bounds.

With s = 2α−1 the debiased label is Ỹ = (1 + z/s)/2, of mean σ(Δ*), and ℓ̃(θ) = log(1 + e^Δ) − Ỹ·Δ
is convex, of the clean loss's mean.  After a block of labels

    V ← V + Σ w·x·xᵀ,    θ ← the point of the ball that is nearest to θ − V⁻¹·∇Σℓ̃(θ) in V's norm,

x the feature differences, w = σ′(B) or σ′ at the estimate.  Blocks of one label are the online
Newton step.  Proofs: docs/explanations/online_newton.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from scipy.linalg import solve_discrete_lyapunov
from scipy.special import hyp1f1
from torch import Tensor

from repro.base.notation import label_signal, privacy_cost
from repro.labels.preferences.block_draws import NumpyDraws, geometric_times
from repro.labels.preferences.label_information import inverse_slope
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Round, Runs
from repro.worlds.estimators.ball import descent_in_ball, nearest_in_ball
from repro.worlds.instances.linear import LinearWorld, feature_covariance
from repro.worlds.policies.covering import log_covering_ball
from repro.worlds.policies.gibbs import gibbs_policy

Matrix = Literal["least_slope", "own_slope", "frozen"]
"""What V adds for a label: σ′(B)·xxᵀ, σ′(xᵀθ)·xxᵀ at the estimate, or nothing."""


# The learner -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnlineNewton:
    """Makes online Newton steps over a world's ball {‖θ‖ ≤ radius}.

    Attributes:
        matrix: what V adds for a label.
        cautious: wrong: steps over the variance of a debiased label, c(ε)².
    """

    matrix: Matrix = "least_slope"
    cautious: bool = False

    def __call__(self, world: LinearWorld) -> NewtonSteps:
        return NewtonSteps(world, self)


@dataclass(frozen=True, eq=False)
class NewtonSteps:
    """Rewards ⟨φ, θ⟩ of a ball, fitted by online Newton steps."""

    world: LinearWorld
    how: OnlineNewton

    def log_size(self, net_radius: float) -> float:
        """log N of a net of the ball of parameters."""
        return log_covering_ball(self.world.features.shape[-1], self.world.radius, net_radius)

    def learner(self, runs: Runs) -> NewtonLearner:
        """A learner without data for every run, at θ = 0."""
        return NewtonLearner(self.world, self.how, runs)


class NewtonLearner:
    """θ and V of L runs; nothing grows with the labels."""

    def __init__(self, world: LinearWorld, how: OnlineNewton, runs: Runs) -> None:
        cells, size = world.feature_diff.shape
        options = {"dtype": torch.float64, "device": world.features.device}
        self._world, self._how, self._signal = world, how, runs.believed_signal
        self._least = 1 / inverse_slope(world.reward_bound)
        self._flat = world.features.flatten(0, 1)
        self._outer = (world.feature_diff[:, :, None] * world.feature_diff[:, None]).flatten(1)
        eye = torch.eye(size, **options)
        self.pairs = torch.zeros(len(runs), cells, **options)
        self.theta = torch.zeros(len(runs), size, **options)
        self.matrix = runs.ridge[:, None, None] * eye
        self._inverse: Tensor | None = eye / runs.ridge[:, None, None]

    @property
    def inverse(self) -> Tensor:
        """(L, d, d) V⁻¹: single labels keep it, blocks do not need it."""
        inverse = self._inverse
        if inverse is None:
            inverse = self._inverse = torch.linalg.inv_ex(self.matrix)[0]
        return inverse

    def observe(self, pairs: Tensor, label_sum: Tensor) -> None:
        """One step with a block of privatised labels, (L, C) counts and sums."""
        self.pairs = self.pairs + pairs
        win = torch.sigmoid(self.theta @ self._world.feature_diff.T)
        if self._how.matrix != "frozen":
            flat = torch.addmm(self.matrix.flatten(1), pairs * self._weight(win), self._outer)
            self.matrix = flat.reshape(self.matrix.shape)
            self._inverse = None
        debiased = (pairs + label_sum / self._signal[:, None]) / 2
        gradient = (pairs * win - debiased) @ self._world.feature_diff
        if self._how.cautious:
            gradient = gradient * self._signal[:, None].square()
        self.theta = descent_in_ball(self.theta, gradient, self.matrix, self._world.radius)

    def observe_one(self, x: Tensor, label: Tensor) -> None:
        """One step with a label ±1 (L,) of a pair with feature differences x (L, d): O(d²)."""
        win = torch.sigmoid((x * self.theta).sum(1))
        turned = (self.inverse @ x[:, :, None])[:, :, 0]
        if self._how.matrix != "frozen":
            weight = self._weight(win)
            share = weight / (1 + weight * (x * turned).sum(1))
            self.inverse.baddbmm_(turned[:, :, None], (-share[:, None] * turned)[:, None])
            self.matrix.baddbmm_(x[:, :, None], (weight[:, None] * x)[:, None])
            turned = turned * (share / weight)[:, None]
        step = (win - (1 + label / self._signal) / 2)[:, None] * turned
        step = step * self._signal[:, None].square() if self._how.cautious else step
        self.theta = nearest_in_ball(self.theta - step, self.matrix, self._world.radius)

    def reward(self) -> Tensor:
        """(L, S, A) reward of the estimate."""
        return (self.theta @ self._flat.T).reshape(-1, *self._world.reference.shape)

    def uncertainty(self, policy: Tensor) -> Tensor:
        """(L, S, A) √(φ̃ᵀV⁻¹φ̃), φ̃ centred under a policy (L, S, A)."""
        mean = torch.einsum("lsa,sad->lsd", policy, self._world.features)
        centred = (self._world.features - mean[:, :, None, :]).flatten(1, 2)
        squared = ((centred @ self.inverse) * centred).sum(-1)
        return squared.clamp(min=0).sqrt().reshape(policy.shape)

    def _weight(self, win: Tensor) -> Tensor:
        """w of every pair, given its win probability at the estimate."""
        if self._how.matrix == "own_slope":
            return win * (1 - win)
        return torch.full_like(win, self._least)


# One label a step --------------------------------------------------------------------------------

CHUNK = 256
"""Rounds whose random numbers are drawn together."""


def label_by_label(runs: Runs, times: Sequence[int], rng: np.random.Generator) -> Iterator[Round]:
    """Both responses from the Gibbs policy of the estimate, which steps after every label.

    Args:
        runs: of ``OnlineNewton``, without a bonus.
        times: 0 and then increasing numbers of labels, at which policies are shown.
        rng: the stream that all runs share.

    Yields:
        The policies at each of the times.
    """
    learner, linear, first = runs.learner(), runs.linear, runs.worlds[0]
    assert isinstance(learner, NewtonLearner)
    states, actions, _ = linear.features.shape
    win = torch.zeros(len(runs), states, actions, actions, dtype=torch.float64)
    win[:, :, *linear.cells] = runs.win_prob().expand(len(runs), -1).reshape(len(runs), states, -1)
    win[:, :, *reversed(linear.cells)] = 1 - win[:, :, *linear.cells]
    each, prior = torch.arange(len(runs)), linear.reference.log()
    reward = runs.reward.expand(len(runs), -1, -1)
    played, ends = runs.played_kl_weight[:, None], linear.state_prob.cumsum(0)
    for time, later in pairwise(times):
        yield runs.policies(learner, time, later - time)
        for start in range(time, later, CHUNK):
            drawn = torch.from_numpy(rng.random((min(CHUNK, later - start), 4, len(runs))))
            for of_state, of_first, of_second, of_label in drawn:
                state = torch.searchsorted(ends, of_state).clamp(max=states - 1)
                features = linear.features[state]
                fitted = (features @ learner.theta[:, :, None])[:, :, 0]
                shown = first.estimate(fitted, reward[each, state])
                policy = torch.softmax(prior[state] + shown / played, dim=1).cumsum(1)
                left, two = ((policy[:, :-1] < of[:, None]).sum(1) for of in (of_first, of_second))
                label = torch.where(of_label < win[each, state, left, two], 1.0, -1.0)
                learner.observe_one(features[each, left] - features[each, two], label)
    yield runs.policies(learner, times[-1], 0)


# What it costs -----------------------------------------------------------------------------------


def newton_rate(world: LinearWorld, epsilon: float, ratio: float, matrix: Matrix) -> float:
    """lim t·E[J(π*) − J(π_t)] of the Gibbs policies of online Newton steps, second order in θ − θ*.

    With H = E σ′(Δ*)xxᵀ, N = E Var(Ỹ)xxᵀ and K = lim V/t under π* × π*, and blocks that end at
    times of the given ratio, the covariance C of √t·(θ − θ*) solves

        C = ratio·(I − ηK⁻¹H)·C·(I − ηK⁻¹H)ᵀ + η·K⁻¹NK⁻¹,    η = 1 − 1/ratio.

    Args:
        world: the truth.
        epsilon: in (0, inf].
        ratio: > 1; towards 1 a block is one label.
        matrix: least_slope or own_slope.
    """
    policy = gibbs_policy(world.reference, world.reward, world.kl_weight)
    first, second = world.cells
    prob = (2 * policy[:, first] * policy[:, second] * world.state_prob[:, None]).flatten()
    win = torch.sigmoid(world.reward_diff)
    slope, signal = win * (1 - win), label_signal(epsilon)
    noise = (1 - (signal * (2 * win - 1)).square()) / (2 * signal) ** 2

    def mean(weight: Tensor) -> Tensor:
        x = world.feature_diff
        return torch.einsum("c,ci,cj->ij", prob * weight, x, x)

    least = torch.full_like(slope, 1 / inverse_slope(world.reward_bound))
    inverse = torch.linalg.inv(mean(slope if matrix == "own_slope" else least))
    share = 1 - 1 / ratio
    kept = math.sqrt(ratio) * (torch.eye(len(inverse)) - share * inverse @ mean(slope))
    added = share * inverse @ mean(noise) @ inverse
    spread = torch.from_numpy(solve_discrete_lyapunov(kept.numpy(), added.numpy()))
    covariance = feature_covariance(world, policy)
    return float(torch.trace(covariance @ spread)) / (2 * world.kl_weight)


def largest_share(world: OnlineRun, replicates: int) -> float:
    """The largest share of V that one block adds in any direction, b of Theorem 1, in some runs.

    Args:
        world: of ``OnlineNewton``.
        replicates: runs from a stream of their own.
    """
    runs = Runs([world], replicates)
    learner, win = runs.learner(), runs.win_prob()
    assert isinstance(learner, NewtonLearner)
    draws, largest = NumpyDraws(np.random.default_rng(0)), 0.0
    times = geometric_times(world.horizon, world.grid_ratio)
    with torch.inference_mode():
        for time, later in pairwise(times):
            before = learner.matrix
            pairs = draws.counts(later - time, runs.cell_prob(runs.policies(learner, time, 0)))
            learner.observe(pairs, 2 * draws.binomial(pairs, win) - pairs)
            kept = torch.linalg.eigvals(learner.inverse @ before).real
            largest = max(largest, 1 - float(kept.min()))
    return largest


def largest_difference(world: LinearWorld) -> float:
    """X, the largest ‖x‖ of a pair."""
    return float(world.feature_diff.norm(dim=1).max())


def log_growth(world: LinearWorld, ridge: float, horizon: int) -> float:
    """d·log(1 + T·X²/(V(B)·d·λ)), at least log det V_T/det V_0."""
    size = world.features.shape[-1]
    share = largest_difference(world) ** 2 / (inverse_slope(world.reward_bound) * size * ridge)
    return size * math.log1p(horizon * share)


def tilt(x: float) -> float:
    """ψ(x) = (eˣ − 1 − x)/x², ½ at 0.

    >>> round(tilt(1e-9), 6), round(tilt(1.0), 6)
    (0.5, 0.718282)
    """
    return float(hyp1f1(1, 3, x)) / 2


def regret_factor(world: LinearWorld) -> float:
    """(β/2)·ψ(2βB): a round's regret over the mean Δ² of a pair from π_t, at most."""
    beta = 1 / world.kl_weight
    return beta / 2 * tilt(2 * beta * world.reward_bound)


def mean_regret_bound(
    world: LinearWorld, epsilon: float, ridge: float, horizon: int, margin: float
) -> float:
    """Theorem 1: E Σ J(π*) − J(π_t) ≤ (β/2)·ψ(2βB)·(V/m)·(λ·R² + c(ε)²/4·V·d·log(…)).

    Args:
        world: whose class is the ball of radius R.
        epsilon: in (0, inf].
        ridge: λ.
        horizon: T.
        margin: m in (0, 1], one less V/4 times the largest share of V that a block adds.
    """
    spread = inverse_slope(world.reward_bound)
    noise = privacy_cost(epsilon) ** 2 / 4 * spread * log_growth(world, ridge, horizon)
    paid = spread / margin * (ridge * world.radius**2 + noise)
    return regret_factor(world) * paid
