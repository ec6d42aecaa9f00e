"""P3 Lemma A.11 (with A.4–A.6): how far objective perturbation moves the reward estimate.

Statement (P3, appendix A.4).  For λ = C√(d·log(1/η)·log(1/δ))/(εn), with probability at least 1−η,

    ‖θ_MLE − θ̃_MLE‖ in Σ̃_D + λI = O( (d·log(1/η)·log(1/δ))^(1/4) / √(εn) ).

The dataset is arbitrary, so the checks use datasets whose label shares are exactly the model's, for
which θ_MLE is θ* (of least norm where nothing was compared); b, w and the covariance's noise G are
the only randomness.  All checks use λ of the appendix, except the control ``text_ridge``, which
takes λ ∝ 1/√(εn) as printed below eq. (3) and has exponent −1/4.

Measured: the exponents where the bound is attained, in directions that no pair compares
(``half_null``) and on a spectrum 4^(−k) (``scales``); the faster 1/n where the data cover all
directions (``even``).  A.4 to A.6 are proved, by intervals; (12) and the step before (14) are
computed at one instance.

What the printed text does not bear out, each in a check of its own, expected contradicted:
- ``any_optimizer_tol``: Algorithm 1 admits any β < 1/n.  At β = 1/(2n) the output noise has
  ν² ∝ β/(αε²) ∝ 1/ε, constant in n, and A.11's left side does not fall at all.  As ν² ∝ βn/ε, step
  (14) is of A.11's size for β ≤ O(1/n²): ``optimizer_tol`` is at β = 1/n², other checks at n^(−3).
- ``growth_printed`` (A.5): the two sides of the difference are exchanged, a misprint;
  f(θ) − f(θ̂) is right.
- ``ridge_convexity_printed`` (A.6): with c/2 for c/γ it fails for γ > 2; the proof has c/γ.
- ``ridge_step_printed`` (12): B for B²; fails for B > 2.
- ``noise_step_printed`` (13): γ in the numerator and a lost factor; the line above it has 1/γ.
- ``output_step_printed`` (before 14): the norm in a matrix is at most the root of its largest
  eigenvalue times ‖w‖; without the root it fails where 4L² + λ < 1.
The first changes an exponent, the others none.  Checks without ``_private`` use the printed noise,
which is not private at its stated budget (at δ = 1e-30 Lemma A.7 fails whether an item is replaced
or added); checks ``*_private`` release θ̃ and Σ̃ certified at (ε/2, δ/2) each for a replaced
record, δ = 1/n² (docs/explanations/private_rates.md).  What would
refute A.11: an exponent above the printed one at small β.
The contradicted checks need no control of their own: the corrected check beside each takes the
printed form as its control (``optimizer_tol`` does so for ``any_optimizer_tol``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.base.schema import Count, Positive
from repro.core.check import (
    Assumed,
    Check,
    Quantity,
    Theorem,
    at_both_ends,
    measured_alone,
    named,
    of_world,
)
from repro.core.claims import Frequency, Inequality, Slope
from repro.core.proofs import Claimed, Interval, iv, proof_of
from repro.p3.curator.comparison_losses import PairLoss
from repro.p3.curator.learning import (
    CentralLearning,
    CuratorNumbers,
    Releases,
    inputs_of_algorithm_1,
    learnt,
)
from repro.p3.curator.minimiser import minimise_in_ball
from repro.p3.curator.reward_and_covariance import draw_noise, norm_in, printed_perturbation

ONE_DELTA = math.log(1 / 1e-30)
"""log(1/δ) of a curator who ignores the one in force."""
QUADRATIC_CURVATURE = 10.0
"""γ > 2 of the quadratic on which Lemma A.6 as printed fails."""


# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactShares(CentralLearning):
    """Releases from a dataset whose label shares are their law's: only b, w, G are drawn."""

    def datasets(self, rng: np.random.Generator, replicates: int):
        loss = self.axis.expected_loss(self.labels)
        return loss, loss.covariance


@dataclass(frozen=True, eq=False, kw_only=True)
class StepInD:
    """A step of the proof that has neither n nor a privacy budget in it.

    Attributes:
        num_features: d.
        feature_norm, radius: L and B.
    """

    num_features: Count
    feature_norm: Positive
    radius: Positive


@dataclass(frozen=True, eq=False, kw_only=True)
class StepInN(CuratorNumbers):
    """A step at n labels.

    Attributes:
        num_features: d.
    """

    num_features: Count


# Algorithms: the release, right and wrong on purpose ---------------------------------------------


def error_of(
    data: Releases, noise_factor: float = 1.0, tol: float | None = None,
    of_text: bool = False, ridge_features: int | None = None,
) -> Tensor:  # fmt: skip
    """(R,) ‖θ_MLE − θ̃‖ in Σ̃ + λI; the keywords are what a wrong version gets wrong.

    Args:
        data: releases.
        noise_factor: on the scale of b.
        tol: β, n^(−power) unless given.
        of_text: λ of the main text in the norm.
        ridge_features: d in α and λ, the world's unless given.
    """
    world = data.world
    n_pairs, budget, d = world.n_pairs, world.budget, ridge_features or world.num_features
    beta = float(n_pairs) ** -world.optimizer_tol_power if tol is None else tol
    numbers = printed_perturbation(budget, n_pairs, d, beta)
    numbers = replace(numbers, noise_std=numbers.noise_std * noise_factor)
    truth = world.axis.learnable_theta
    error = world.estimate(data.fitted(numbers), truth) - truth
    ridge = budget.text_ridge if of_text else budget.confidence_ridge
    return norm_in(data.matrix(0.0), ridge(n_pairs, d), error)


def private_mle(data: Releases) -> Tensor:
    """Algorithm 1, in the norm with λ of the appendix."""
    return error_of(data)


def text_ridge(data: Releases) -> Tensor:
    """Wrong: the norm with λ of the main text."""
    return error_of(data, of_text=True)


def loose_solver(data: Releases) -> Tensor:
    """Wrong: a tolerance of 1/(2n), which Algorithm 1 admits."""
    return error_of(data, tol=0.5 / data.world.n_pairs)


def between_the_tolerances(data: Releases) -> Tensor:
    """Wrong: a tolerance of n^(−1.5), between 1/n² and the 1/n that Algorithm 1 admits."""
    return error_of(data, tol=float(data.world.n_pairs) ** -1.5)


def root_n_noise(data: Releases) -> Tensor:
    """Wrong: b is √n times too large."""
    return error_of(data, noise_factor=math.sqrt(data.world.n_pairs))


def noise_without_epsilon(data: Releases) -> Tensor:
    """Wrong for a sweep of ε: b has the scale of ε = 1."""
    return error_of(data, noise_factor=data.world.epsilon)


def budget_ignored(data: Releases) -> Tensor:
    """Wrong for a sweep of ε: all constants are those of ε = 1."""
    return error_of(data.believing(epsilon=1.0))


def delta_ignored(data: Releases) -> Tensor:
    """Wrong for a sweep of δ: all constants are those of one δ."""
    return error_of(data.believing(log_inverse_delta=ONE_DELTA))


def ridge_of_one_feature(data: Releases) -> Tensor:
    """Wrong for a sweep of d: α and λ of a single feature."""
    return error_of(data, ridge_features=1)


# The proof's steps in L and B, as claims that intervals decide -----------------------------------


def convexity(world: StepInD, reach: float) -> Claimed:
    """γ over the second derivative of one pair's loss, at every difference |x| ≤ 2LB (A.4).

    By Taylor's formula it is the ratio of the two sides for that pair, and the lemma's two sides
    are sums of those of the pairs, whatever their features and weights.

    Args:
        world: whose L and B.
        reach: |x| up to which γ is taken, over 2LB.
    """
    end = _largest(world)
    gamma = 1 / _inverse_slope(reach * end)
    return Claimed(((0.0, float(end.b)),), lambda x: gamma * _inverse_slope(x))


curvature = named("curvature", convexity, reach=1.0)
curvature_of_rewards = named(
    "curvature_of_rewards", convexity, "γ of differences up to LB, where they reach 2LB", reach=0.5
)


def growth(world: StepInD) -> Claimed:
    """(γ/2)·h² over f(θ) − f(θ̂) for one pair, h the difference that the step makes (A.5).

    By Taylor's formula the right side is g·h + ½σ′(x)·h², and g·h ≥ 0 where θ̂ is the minimum of a
    ball; with s = 2g/h ≥ 0 the ratio is γ/(σ′(x) + s).
    """
    end = _largest(world)
    gamma = 1 / _inverse_slope(end)
    box = ((0.0, float(end.b)), (0.0, 1e6))
    return Claimed(box, lambda x, s: gamma / (1 / _inverse_slope(x) + s))


def growth_printed(world: StepInD) -> Claimed:
    """Wrong: f(θ) + (γ/2)‖θ̂ − θ‖² over f(θ̂), the two sides exchanged; one pair of certain label.

    θ̂ lies on the ball, and a reward difference x short of it f is log(1 + e^(x − 2LB)).
    """
    end = _largest(world)
    gamma, least = 1 / _inverse_slope(end), iv.log(1 + iv.exp(-end))
    box = ((0.0, float(end.b)),)
    return Claimed(box, lambda x: (iv.log(1 + iv.exp(x - end)) + gamma / 2 * x**2) / least)


def convexity_by_ridge(world: StepInD, printed: bool) -> Claimed:
    """γ·vᵀ(M + κI)v over vᵀ(γM + cI)v for f = (γ/2)‖θ‖²_M (A.6); κ = c/γ, or c/2 as printed.

    With p the share of ‖v‖² in vᵀMv + ‖v‖² it is 1 + (γκ − c)·p/(γ(1−p) + cp).
    """
    gamma = iv.mpf(QUADRATIC_CURVATURE)

    def ratio(share: Interval, c: Interval) -> Interval:
        excess = c * (gamma / 2 - 1) if printed else iv.mpf(0)
        return 1 + excess * share / (gamma * (1 - share) + c * share)

    return Claimed(((0.0, 1.0), (0.1, 2.0)), ratio)


ridge_convexity = named("ridge_convexity", convexity_by_ridge, printed=False)
ridge_convexity_printed = named(
    "ridge_convexity_printed", convexity_by_ridge, "κ = c/2, as printed, not c/γ", printed=True
)


def _largest(world: StepInD) -> Interval:
    """2LB, the largest reward difference."""
    return 2 * iv.mpf(world.feature_norm) * iv.mpf(world.radius)


def _inverse_slope(x: Interval) -> Interval:
    """1/σ′."""
    grown = iv.exp(x)
    return 2 + grown + 1 / grown


# The proof's steps at n labels: the smaller side over the larger ----------------------------------


def moved_by_ridge(world: StepInN, power: int) -> Tensor:
    """(1,) ‖θ_MLE − θ'‖ in Σ + (α/γ)I over the right side of (12), √(2αB^power/γ).

    One rare pair whose labels all agree, so the MLE sits on the ball and the ridge moves it.

    Args:
        world: whose constants.
        power: of B, 1 as printed and 2 as it should be.
    """
    budget, n_pairs = world.budget, float(world.n_pairs)
    ridge, gamma = budget.ridge(n_pairs, 1), budget.curvature
    x = torch.full((1, 1), 2 * world.feature_norm, dtype=torch.float64)
    share = torch.full((1, 1), 1 / n_pairs, dtype=torch.float64)
    loss = PairLoss(x, share, share)
    moved = minimise_in_ball(loss, ridge, torch.zeros(1, 1, dtype=torch.float64), world.radius)
    left = (share * x**2 + ridge / gamma).sqrt() * (world.radius - moved)
    return left[:, 0] / math.sqrt(2 * ridge * world.radius**power / gamma)


ridge_step = named("ridge_step", moved_by_ridge, power=2)
ridge_step_printed = named(
    "ridge_step_printed", moved_by_ridge, "B in the place of B², as printed", power=1
)


def moved_by_noise(
    world: StepInN, rng: np.random.Generator, replicates: int, printed: bool
) -> Tensor:
    """(R,) 1 where ‖θ̂ − θ'‖ in Σ + (α/γ)I is above the right side of (13), else 0.

    No pair distinguishes anything (Σ = 0), so θ' = 0 and θ̂ = −b/(2αn), cut to the ball.
    Printed: (σ/n)√(2dγ·log(2/η)/α).  From the line above it: (σ/n)√(2d·log(2/η)/(γα)), which is of
    the right size: 1 also where a twentieth of it suffices.
    """
    budget, n_pairs, d = world.budget, float(world.n_pairs), world.num_features
    ridge, gamma = budget.ridge(n_pairs, d), budget.curvature
    b = budget.noise_std * (world.noise.multiple * draw_noise(rng, replicates, d).linear)
    moved = (b.norm(dim=-1) / (2 * ridge * n_pairs)).clamp(max=budget.radius)
    left = math.sqrt(ridge / gamma) * moved
    factor = gamma if printed else 1 / gamma
    logs = 2 * d * factor * math.log(2 / budget.failure_prob)
    right = budget.noise_std / n_pairs * math.sqrt(logs / ridge)
    low = 0.0 if printed else right / 20
    holds = (left <= right) & (left >= low)  # of a NaN nothing holds
    return (~holds).double()


noise_step = named("noise_step", moved_by_noise, printed=False)
noise_step_printed = named(
    "noise_step_printed", moved_by_noise, "γ above the line, as printed", printed=True
)


def moved_by_output(
    world: StepInN, rng: np.random.Generator, replicates: int, printed: bool
) -> Tensor:
    """(R,) ‖w‖ in Σ + λI over √(4L²+λ)‖w‖, or as printed before (14), without the root; d = 1."""
    w = torch.from_numpy(rng.standard_normal(replicates)).abs()
    ridge = world.budget.confidence_ridge(float(world.n_pairs), 1)
    largest = 4 * world.feature_norm**2 + ridge
    return math.sqrt(largest) * w / ((largest if printed else math.sqrt(largest)) * w)


output_step = named("output_step", moved_by_output, printed=False)
output_step_printed = named(
    "output_step_printed", moved_by_output, "4L² + λ without its root, as printed", printed=True
)


# The claims --------------------------------------------------------------------------------------

ERROR = learnt("‖θ_MLE − θ̃‖ in Σ̃ + λI")
PROVED = Quantity("left side / right side", proof_of, evidence="proved")
CLOSED = Quantity("left side / right side", of_world, evidence="computed")
CLOSED_DRAWN = Quantity("left side / right side", measured_alone, evidence="computed")
STEP_FAILS = Quantity("(13) fails [frequency]", measured_alone)
PRIVATE_RATES = ("own.private_rates", "p3.lem_a_11")
LEMMA, A_5, A_6 = ("p3.lem_a_11",), ("p3.lem_a_5",), ("p3.lem_a_6",)
EQ_12, EQ_13, EQ_14 = ("p3.eq_12",), ("p3.eq_13",), ("p3.eq_14",)
NO_FALL = {
    "labels": "the output noise does not fall with n, whatever the labels are",
    "algorithm": "the error does not fall with n, nor does that of −θ̃, which has as much noise",
}
NO_PAIRS = "a step on the noise alone: its dataset has no pair that tells anything"
NOTHING_LEARNT = dict.fromkeys(("labels", "estimate", "algorithm"), NO_PAIRS)


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Any, wrong: Any = (),
    settles: Any = LEMMA, **more: Any,
) -> Check:  # fmt: skip
    """A check of Lemma A.11, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, **more)  # fmt: skip


AS_PRINTED = [
    check("n_pairs", "n_pairs", Slope("where nothing is compared: error {rate}", -0.5), ERROR,
          private_mle, [text_ridge, loose_solver]),
    check("n_pairs_scales", "n_pairs", Slope("on a spectrum 4^(−k): error {rate}", -0.5), ERROR,
          private_mle, [root_n_noise, text_ridge]),
    check("n_pairs_benign", "n_pairs",
          Slope("benign directions: error {rate}, faster than A.11", -1), ERROR, private_mle,
          [root_n_noise, loose_solver]),
    check("epsilon", "epsilon", Slope("error {rate}", -0.5), ERROR, private_mle,
          [noise_without_epsilon, budget_ignored]),
    check("num_features", "num_features", Slope("error {rate}", 0.25, tolerance=0.1), ERROR,
          private_mle, [ridge_of_one_feature]),
    check("log_inverse_delta", "log_inverse_delta", Slope("error {rate}", 0.25, tolerance=0.1),
          ERROR, private_mle, [delta_ignored]),
    check("any_optimizer_tol", "n_pairs",
          Slope("A.11 at β = 1/(2n), which Algorithm 1 admits: error {rate}", -0.5, "at_most"),
          ERROR, loose_solver, expected="contradicted",
          why="the output noise has ν² ∝ β/(αε²), constant in n", blind=NO_FALL),
    check("optimizer_tol", "n_pairs", Slope("A.11 at β = 1/n²: error {rate}", -0.5), ERROR,
          private_mle, [between_the_tolerances, loose_solver]),
]  # fmt: skip
STEPS = [
    check("strong_convexity", "num_features",
          Inequality("Lemma A.4 with γ = 1/(2+e^(2LB)+e^(−2LB))"), PROVED, curvature,
          [curvature_of_rewards], ("p3.lem_a_4",)),
    check("growth_printed", "num_features",
          Inequality("Lemma A.5 as printed: f(θ̂) − f(θ) ≥ (γ/2)‖θ̂−θ‖²"), PROVED, growth_printed,
          settles=A_5, expected="contradicted",
          why="the two sides of the difference are exchanged"),
    check("growth", "num_features", Inequality("Lemma A.5, f(θ) − f(θ̂) ≥ (γ/2)‖θ̂−θ‖²"), PROVED,
          growth, [growth_printed], A_5),
    check("ridge_convexity_printed", "num_features", Inequality("Lemma A.6 as printed: M + (c/2)I"),
          PROVED, ridge_convexity_printed, settles=A_6, expected="contradicted",
          why="c/2 for c/γ fails for γ > 2"),
    check("ridge_convexity", "num_features",
          Inequality("Lemma A.6 with M + (c/γ)I, as its proof has it"), PROVED, ridge_convexity,
          [ridge_convexity_printed], A_6),
    check("ridge_step_printed", "n_pairs", Inequality("(12) as printed: ≤ √(2αB/γ)"), CLOSED,
          ridge_step_printed, settles=EQ_12, expected="contradicted",
          why="B for B² fails for B > 2"),
    check("ridge_step", "n_pairs", Inequality("(12) with B²: ≤ √(2αB²/γ)"), CLOSED, ridge_step,
          [ridge_step_printed], EQ_12),
    check("noise_step_printed", "n_pairs",
          Frequency("(13) as printed holds with probability ≥ 1−η"), STEP_FAILS,
          noise_step_printed, settles=EQ_13, expected="contradicted",
          why="γ stands in the numerator", blind=NOTHING_LEARNT),
    check("noise_step", "n_pairs",
          Frequency("(13) with γ in the denominator, within a factor 20: probability ≥ 1−η"),
          STEP_FAILS, noise_step, [noise_step_printed], EQ_13, blind=NOTHING_LEARNT),
    check("output_step_printed", "n_pairs",
          Inequality("before (14) as printed: ‖w‖ ≤ (4L²+λ)‖w‖₂"), CLOSED_DRAWN,
          output_step_printed, settles=EQ_14, expected="contradicted",
          why="without the root of the eigenvalue it fails where 4L² + λ < 1"),
    check("output_step", "n_pairs",
          Inequality("before (14) with the root: ‖w‖ ≤ √(4L²+λ)·‖w‖₂"), CLOSED_DRAWN, output_step,
          [output_step_printed], EQ_14),
]  # fmt: skip
PRIVATE = [
    check("n_pairs_private", "n_pairs",
          Slope("private, where nothing is compared: error {rate}", -0.5), ERROR, private_mle,
          [text_ridge, loose_solver], PRIVATE_RATES),
    check("n_pairs_scales_private", "n_pairs",
          Slope("private, on a spectrum 4^(−k): error {rate}", -0.5), ERROR, private_mle,
          [root_n_noise, text_ridge], PRIVATE_RATES),
    check("n_pairs_benign_private", "n_pairs",
          Slope("private, benign directions: error {rate}", -1, tolerance=0.1), ERROR, private_mle,
          [root_n_noise, loose_solver], PRIVATE_RATES),
    check("epsilon_private", "epsilon", Slope("private: error {rate}", -0.5), ERROR, private_mle,
          [noise_without_epsilon, budget_ignored], PRIVATE_RATES),
    check("num_features_private", "num_features",
          Slope("private: error {rate}", 0.25, tolerance=0.1), ERROR, private_mle,
          [ridge_of_one_feature], PRIVATE_RATES),
    check("log_inverse_delta_private", "log_inverse_delta",
          Slope("private: error {rate}", 0.25, tolerance=0.1), ERROR, private_mle,
          [delta_ignored], PRIVATE_RATES),
]  # fmt: skip


def in_the_class(world: CentralLearning) -> Iterator[Assumed]:
    """Assumption 2.1."""
    longest, norm = world.axis.length / 2, float(world.axis.theta.norm())
    holds = longest <= world.feature_norm and norm <= world.radius
    yield "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"


THEOREM = Theorem(
    title="P3 Lemma A.11: error of the objective-perturbed reward estimate",
    checks=[*AS_PRINTED, *STEPS, *PRIVATE],
    corrected={
        "any_optimizer_tol": "optimizer_tol",
        "growth_printed": "growth",
        "ridge_convexity_printed": "ridge_convexity",
        "ridge_step_printed": "ridge_step",
        "noise_step_printed": "noise_step",
        "output_step_printed": "output_step",
    },
    worlds={"exact_shares": ExactShares, "step_in_d": StepInD, "step_in_n": StepInN},
    assumes=at_both_ends(inputs_of_algorithm_1, in_the_class, of=CentralLearning),
)
