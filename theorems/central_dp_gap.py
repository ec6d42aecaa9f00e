"""P3 Theorem 4.2: suboptimality gap of pessimistic policies from a private reward and covariance.

Statement (P3, section 4.1).  With F = O(√(d/n) + (d·log(1/η)·log(1/δ))^(1/4)/√(εn)), eq. (3), the
output of Algorithm 3 has, with probability at least 1−η,

    SubOpt(π̂) ≤ F · ‖(Σ_D + λI)^(−1)·(E[φ(s, π*(s))] − v)‖₂.

The proof (appendix A.5) has (Σ_D + λI)^(−1/2) in the place of the inverse, and λ ∝ 1/(εn), while
the text below eq. (3) prints λ ∝ 1/√(εn).  Checks use the proof's forms unless their name says
otherwise.

Instances: ``scales``, data mass ∝ 4^(−k) and test mass ∝ 2^(−k), on which greedy choices from θ̃
attain (εn)^(−1/2); ``trapped``, the same with a state whose worse response was never compared, on
which greedy choices fail at every n and pessimistic ones must not; ``hardest``, S = d states with
the costliest reward difference, fixed by a closed form, for √d.  δ is the same at every n.

What the printed text does not bear out, expected contradicted:
- ``confidence_text_ridge``: with the main text's λ the distance ‖θ*−θ̃‖ in Σ̃+λI falls like
  (εn)^(−1/4), so θ* leaves the confidence set (2) for every constant of O(·) as n grows.
- ``reference_lemma_printed``: Zhu et al.'s Lemma 3.1 quoted with λ outside the root; the ratio of
  the two sides grows without limit as ε falls.  √(d/n + λB²) is right.
Theorem 4.2 prints the inverse where its proof has the root.  That bound is larger (by at most
√(4L²+λ), which O(·) hides), so it holds; section 4.1 reads 1/√n off it where the coefficient is
bounded by a constant, and there it falls like that (``bound_printed``).  On ``scales``, where the
coefficient grows as λ falls, only the proof's form falls like the gap (``bound``, whose control is
the printed form); the paper excludes that reading.
``optimizer_tol`` takes β = 1/n².  Algorithm 1 admits β = 1/(2n), where the output noise does
not fall with n, whatever C of the ridge: in one state with two responses, L = B = 1 and θ* = .9,
the worse response is taken, and 1.8 is lost, in 12 to 18 % of draws at every n from 1e4 to 1e8,
while the bound falls like 1/√n.  A bound that holds with probability 1−η is at least the expected
gap less η times the largest gap; over the bound that grows like √n (``optimizer_tol_printed``,
expected contradicted).  Two responses are K = 2 of Theorem 4.4, and one step is H = 1 of Theorem
5.2.
``argmin_policy`` settles the appendix's "π* = argmin": it is the argmax that is meant.

Checks without ``_private`` in their name use the printed noise, which is not private at its stated
budget (at this δ Lemma A.7 fails whether an item is replaced or added, and A.10 where one is
replaced, d ≥ 2: docs/explanations/printed_privacy.md).  Checks ``*_private`` release θ̃ and Σ̃
certified at (ε/2, δ/2) each for a replaced record with δ = 1/n²: the rates survive, up to
(log n)^(1/4) (docs/explanations/private_rates.md).  That there is noise at all is noticed by
``epsilon_greedy_private`` and ``noise_private``; in the other checks labels alone have the same
rate.

Checks ``floor*`` stand beside the theorem from below (own.central_floor, proved in
docs/explanations/central_dp_floor.md): among worlds of concentrability C, with the power −1/2 of
the proof, no choice that is (ε, δ)-private under replacement has a worst expected gap below
0.65·C/√(εn) (LB = 1, ε from .001 to 1, δ = 1/n²), and the sign of a noisy sum attains that within
1.2 (``floor_attained``, which holds it to both).  So 1/√(εn) is necessary in terms of that C, by a
direction that about 1/ε of the n pairs are about; where all are about one direction the private
price is 1/(εn) (``covered``).  The coefficient C as printed, with the power −1, grows like √(εn) on
these worlds.  In terms of it √d·C/(εn) is necessary, by d states along axes that all have data
(``axes``, ``axes_attained``), and on worlds along axes no more is.  In terms of the proof's C the
factor d^(1/4) of F is necessary as well, by d rare states (``dimension``), and log(1/δ) is not on
worlds along axes: signs of noisy sums attain it at δ = 0.  Elsewhere both are open.

What would refute Theorem 4.2: a pessimistic exponent above −1/2, or gaps above the bound more often
than η.  Contradicted checks take their corrected neighbour's control.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from scipy.special import ndtr
from torch import Tensor

from repro.base.schema import Count, Pairs, Positive
from repro.core.check import Assumed, Check, Quantity, Theorem, at_both_ends, of_world
from repro.core.claims import Frequency, Inequality, Ratio, Slope
from repro.labels.preferences.label_law import (
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    on_arrays,
)
from repro.labels.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.p3.curator.axis_world import HARDEST, AxisWorld
from repro.p3.curator.floor import floor, margins, wrong_signs
from repro.p3.curator.learners import (
    argmin_policy,
    greedy,
    greedy_into_the_trap,
    noise_without_epsilon,
    pessimistic,
    root_n_noise,
)
from repro.p3.curator.learning import (
    NOT_PRIVATE,
    CentralEpsilon,
    CentralLearning,
    Releases,
    inputs_of_algorithm_1,
    learnt,
)
from repro.p3.curator.reward_and_covariance import norm_in

NO_RIDGE = 1e-12
"""Far below sampling errors; of all maximisers of the likelihood it takes the one of least norm."""
ATTAINED = 1.2
"""Factor within which the private sign attains the floor for ε ≤ 1."""
NOT_VACUOUS, BOUND_NOT_VACUOUS = 20.0, 100.0
"""Factors within which the distance ‖θ*−θ̃‖ attains F, and the gap its bound, so that who is told
θ* is noticed."""


# The worlds: ``CentralLearning`` on pairs, and one state below which no private choice comes -----


@dataclass(frozen=True, eq=False, kw_only=True)
class FloorState:
    """States with two responses of features ±L·e_k each, and whatever tells nothing about them.

    Attributes:
        epsilon: ε.
        n_pairs: n; δ = 1/n².
        feature_norm, radius: L and B.
        met: ``rare``, one state with 1/(εn) of the pairs, met so often that its concentrability
            is 1; ``always``, one state and no other; ``evenly``, d states as often, of which all
            pairs are; ``seldom``, the same, of which √d/(εnLB) of the pairs are each.
        num_features: d, where there are d states; of no meaning elsewhere.
        labels: what labels are drawn from.
        noise: what the curator really adds.
        estimate: (sign, true sign) → the sign that is chosen by.
    """

    epsilon: CentralEpsilon
    n_pairs: Pairs
    feature_norm: Positive
    radius: Positive
    met: Literal["rare", "always", "evenly", "seldom"]
    num_features: Count = 1
    labels: LabelLaw = bradley_terry
    noise: CentralNoise = GAUSSIAN
    estimate: Estimate = as_fitted
    words: ClassVar[Any] = CentralLearning.words

    @property
    def mass(self) -> float:
        """q, share of the n pairs at a state."""
        d, rare = self.num_features, 1 / (self.epsilon * self.n_pairs)
        seldom = rare * math.sqrt(d) / (self.feature_norm * self.radius)
        shares = {"rare": rare, "always": 1.0, "evenly": 1 / d, "seldom": min(seldom, 1 / d)}
        return min(shares[self.met], 1.0)

    @property
    def test(self) -> float:
        """ρ, how often the state is met; of all states together where they are met evenly."""
        return min((self.epsilon * self.n_pairs) ** -0.5, 1.0) if self.met == "rare" else 1.0

    @property
    def reward_bound(self) -> float:
        """Largest L|θ_k| that all states can have at once."""
        states = self.num_features if self.met in ("evenly", "seldom") else 1
        return self.feature_norm * self.radius / math.sqrt(states)

    def coefficient(self, power: float) -> float:
        """‖Σ^(−power)(Eφ(s, π*(s)) − v)‖ of d states met as often, v the reference's features.

        Σ = 4L²q on their axes, without λ, which makes it smaller.
        """
        features = 2 * self.feature_norm / math.sqrt(self.num_features)
        return features * (4 * self.feature_norm**2 * self.mass) ** -power

    def more_labels(self, other: FloorState) -> float:
        """Errors depend on ε·n."""
        return self.epsilon / other.epsilon

    def worst_gap(self, scale: float) -> float:
        """Largest E gap over s of the sign of T/2 + Laplace noise, T the sum of labels at a state.

        States have noise of their own: a replaced record moves all T/2 together by at most 1.

        Args:
            scale: of the noise, in units of what is really added; 0 for none.
        """
        real = scale * self.noise.multiple
        wrong = wrong_signs(self.mass, self.n_pairs, self.reward_bound, self.labels, real)
        # What is chosen where the sign is right, and where it is wrong; θ₁ > 0.
        right, other = on_arrays(self.estimate, np.array([1.0, -1.0]), np.array(1.0)) < 0
        fails = (1 - wrong) * right + wrong * other
        return float((2 * self.test * margins(self.reward_bound) * fails).max())


# The bounds --------------------------------------------------------------------------------------


def bound(world: CentralLearning) -> float:
    """F times the concentrability of π*, with the root of the inverse, as the proof has it."""
    return _bound(world, power=0.5)


def bound_printed(world: CentralLearning) -> float:
    """Wrong: F times the concentrability with the inverse, as printed."""
    return _bound(world, power=1.0)


def bound_of_another_ridge(world: CentralLearning) -> float:
    """Wrong: the printed bound over λ alone, as though no direction were covered."""
    return _bound(world, power=1.0) / world.ridge


def _bound(world: CentralLearning, power: float) -> float:
    axis = world.axis
    features = (axis.theta > 0) * axis.length * axis.test_prob
    error = world.budget.error_bound(world.n_pairs, axis.num_features, 1.0)
    return error * coverage(axis, world.ridge, features, power)


def coverage(axis: AxisWorld, ridge: float, features: Tensor, power: float) -> float:
    """‖(Σ + ridge·I)^(−power)·features‖₂; Σ = length²·diag(data mass)."""
    spectrum = axis.length**2 * axis.data_prob + ridge
    return float((features * spectrum**-power).norm())


def lemma(world: CentralLearning) -> float:
    """Zhu et al.'s bound with λ inside the root."""
    sampling = world.num_features / world.n_pairs
    return math.sqrt(sampling + world.ridge * world.radius**2)


def lemma_printed(world: CentralLearning) -> float:
    """Wrong: λ outside the root, as Zhu et al.'s bound is quoted."""
    return math.sqrt(world.num_features / world.n_pairs) + world.ridge


def private_floor(world: FloorState) -> float:
    """Our floor at the worst s."""
    given = (world.n_pairs, world.epsilon, float(world.n_pairs) ** -2)
    each = (floor(world.mass, world.test, float(s), *given) for s in margins(world.reward_bound))
    return max(each)


# Algorithms: right, and wrong on purpose ---------------------------------------------------------


def labels_per_state(data: Releases) -> Tensor:
    """Wrong for a sweep of d: n labels at every state, not n in all."""
    world = data.world
    # The curator's δ stays that of n labels.
    kept = world.budget.log_inverse_delta
    n_pairs = world.n_pairs * world.num_features
    more = replace(world, n_pairs=n_pairs, log_inverse_delta=kept)
    return greedy(more.draw(data.rng, len(data.spread)))


def pessimistic_fails(data: Releases) -> Tensor:
    """1 where Algorithm 3 exceeds the bound, or is far below it."""
    return _off_the_bound(data.world, pessimistic(data))


def greedy_fails(data: Releases) -> Tensor:
    """Wrong: the bound held against greedy choices."""
    return _off_the_bound(data.world, greedy_into_the_trap(data))


def _off_the_bound(world: CentralLearning, gap: Tensor) -> Tensor:
    """(R,) 1 where a gap exceeds the bound, or 1/100 of the bound exceeds the gap."""
    most = _largest_gap(world)
    holds = (gap <= most) & (gap >= most / BOUND_NOT_VACUOUS)  # of a NaN nothing holds
    return (~holds).double()


def _largest_gap(world: CentralLearning) -> float:
    """2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ of the best policy."""
    best = world.axis.policies.optimal_features
    return 2 * world.error_bound * coverage(world.axis, world.ridge / 2, best, 0.5)


def exceeds(data: Releases) -> Tensor:
    """1 where the gap of Algorithm 3 exceeds the bound."""
    holds = pessimistic(data) <= _largest_gap(data.world)  # of a NaN it does not hold
    return (~holds).double()


def exceeds_at_half_over_n(data: Releases) -> Tensor:
    """Wrong: the same at a tolerance of 1/(2n), which Algorithm 1 admits."""
    return (_gap_at_half_over_n(data) > _largest_gap(data.world)).double()


def excess_at_half_over_n(data: Releases) -> Tensor:
    """(R,) the gap at β = 1/(2n) less η times the largest gap, over the bound.

    Its mean is at most 1 where the bound holds with probability 1−η.
    """
    world = data.world
    most = float(world.axis.greedy_gap(-world.truth.theta[None])[0])
    return (_gap_at_half_over_n(data) - world.failure_prob * most) / _largest_gap(world)


def _gap_at_half_over_n(data: Releases) -> Tensor:
    """(R,) gap of Algorithm 3 at β = 1/(2n); where (2) is empty nothing is lost."""
    power = 1 + math.log(2) / math.log(data.world.n_pairs)
    return pessimistic(data.believing(optimizer_tol_power=power)).nan_to_num(0.0)


def misses(data: Releases) -> Tensor:
    """1 where θ* lies outside the confidence set (2), or in one of a twentieth of its radius."""
    return _off(data.distance(data.world.ridge), data.world.error_bound)


def misses_without_private_term(data: Releases) -> Tensor:
    """Wrong: F without its private term."""
    world = data.world
    sampling = world.error_scale * math.sqrt(world.num_features / world.n_pairs)
    return _off(data.distance(world.ridge), sampling)


def _off(distance: Tensor, radius: float) -> Tensor:
    holds = (distance <= radius) & (distance >= radius / NOT_VACUOUS)
    return (~holds).double()


def distance(data: Releases) -> Tensor:
    """‖θ* − θ̃‖ over F with λ of the appendix."""
    return data.distance(data.world.ridge) / data.world.error_bound


def distance_text_ridge(data: Releases) -> Tensor:
    """Wrong: ‖θ* − θ̃‖ over F with λ of the main text."""
    return data.distance(data.world.text_ridge) / data.world.error_bound


def squared_error(data: Releases) -> Tensor:
    """(R,) ‖θ̃ − θ*‖²."""
    return (data.theta() - data.world.truth.theta).square().sum(-1)


def squared_error_of_half_noise(data: Releases) -> Tensor:
    """Wrong: half of the noise on the gradient."""
    return (data.theta(0.5) - data.world.truth.theta).square().sum(-1)


def private_sign(world: FloorState) -> float:
    """The sign of T/2 + Lap(1/ε): ε-private, as one record changes T/2 by at most 1."""
    return world.worst_gap(1 / world.epsilon)


def sign_without_privacy(world: FloorState) -> float:
    """Wrong: the sign of T without noise, which is not private."""
    return world.worst_gap(0.0)


def twice_the_noise(world: FloorState) -> float:
    """Wrong where the floor is to be attained: noise that is twice as large."""
    return world.worst_gap(2 / world.epsilon)


def one_state_of_all(world: FloorState) -> float:
    """Wrong for a sweep of d: as though every pair were about every state."""
    return private_sign(replace(world, num_features=1))


def root_n_noise_on_the_sum(world: FloorState) -> float:
    """Wrong: noise that is √n times too large."""
    return world.worst_gap(math.sqrt(world.n_pairs) / world.epsilon)


# Quantities --------------------------------------------------------------------------------------


def mle_error(world: CentralLearning, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) ‖θ_MLE − θ*‖ in Σ+λI; θ_MLE has no noise and the least norm."""
    data, truth = world.draw(rng, replicates), world.truth.theta
    zero = torch.zeros(replicates, len(truth), dtype=truth.dtype)
    fitted = data.loss.minimiser(NO_RIDGE, zero, world.radius)
    return norm_in(data.covariance, world.ridge, world.estimate(fitted, truth) - truth).numpy()


def costliest_gap(world: CentralLearning) -> float:
    """E gap of greedy choices where labels alone err: max over t of t·Φ(−t/s), s = 2·√(d/n).

    s is the standard error of a reward difference at a state that n/d pairs are about.
    """
    standard_error = 2 * math.sqrt(world.num_features / world.n_pairs)
    return HARDEST * standard_error * float(ndtr(-HARDEST))


def linearised_error(world: CentralLearning) -> float:
    """E ‖θ̃ − θ*‖² to first order: labels and noise on the summed gradient, over its slope."""
    axis, n_pairs = world.axis, float(world.n_pairs)
    win, length = axis.win_prob, axis.length
    slope = n_pairs * axis.data_prob * length**2 * win * (1 - win)
    ridge = 2 * n_pairs * world.perturbation.ridge * axis.theta
    moved = world.perturbation.noise_std**2 + slope + ridge**2
    return float((moved / (slope + 2 * n_pairs * world.perturbation.ridge).square()).sum())


def error_over_lemma(world: CentralLearning, algorithm, error: np.ndarray, replicates: int):
    """The error over each quoted bound."""
    return error / algorithm(world)


def floor_over_gap(world: FloorState, algorithm, rng: Any, replicates: int) -> float:
    """The floor over a choice's worst gap: above 1 refutes one of them."""
    return private_floor(world) / max(algorithm(world), 1e-300)


def with_the_inverse(world: FloorState) -> float:
    """The coefficient as printed."""
    return world.coefficient(1.0)


def rate_with_the_root(world: FloorState) -> float:
    """√LB·d^(1/4)·C/√(εn), C the coefficient of the proof."""
    bound = world.feature_norm * world.radius
    root = math.sqrt(bound / (world.epsilon * world.n_pairs))
    return root * world.num_features**0.25 * world.coefficient(0.5)


def off_the_floor(world: FloorState, algorithm, rng: Any, replicates: int) -> float:
    """A choice's worst gap over 1.2 floors, or the floor over it: at most 1 between the two."""
    gap, least = algorithm(world), private_floor(world)
    return max(gap / (ATTAINED * least), least / max(gap, 1e-300))


GAP = learnt("suboptimality [reward]")
OVER_COSTLIEST = replace(GAP, words="suboptimality / .34·√(d/n)", over=costliest_gap)
OVER_LINEARISED = replace(learnt("‖θ̃ − θ*‖² / its mean to first order"), over=linearised_error)
DISTANCE = learnt("‖θ* − θ̃‖ / F")
OUTSIDE = learnt("θ* outside (2), or in a twentieth of it [frequency]")
OFF = learnt("gap above the bound, or below a hundredth of it [frequency]")
ABOVE = learnt("gap above the bound [frequency]")
EXCESS = learnt("(E gap − η·largest gap) / bound")
BOUND = Quantity("F·‖(Σ+λI)^(−1/2)(Eφ−v)‖", of_world, evidence="computed")
PRINTED_BOUND = Quantity("F·‖(Σ+λI)^(−1)(Eφ−v)‖", of_world, evidence="computed")
WORST = Quantity("worst expected gap", of_world, evidence="exact")
OVER_GAP = Quantity("our floor / worst expected gap", floor_over_gap, evidence="exact")
OVER_PRINTED = Quantity(
    "worst expected gap / printed coefficient", of_world, evidence="exact", over=with_the_inverse
)
OVER_PROOF = Quantity(
    "worst expected gap / (√LB·d^(1/4)·C/√(εn))",
    of_world,
    evidence="exact",
    over=rate_with_the_root,
)
OFF_FLOOR = Quantity(
    "worst expected gap / 1.2 floors, or floor / gap", off_the_floor, evidence="exact"
)
LEMMA = Quantity("‖θ_MLE−θ*‖ / √(d/n+λB²)", error_over_lemma, drawn=mle_error)
PRINTED_LEMMA = Quantity("‖θ_MLE−θ*‖ / (√(d/n)+λ)", error_over_lemma, drawn=mle_error)


# The claims --------------------------------------------------------------------------------------

GREEDY_PRINTED = Slope(f"{NOT_PRIVATE}; greedy on θ̃: gap {{rate}}", -0.5)
PRINTED = Slope(f"{NOT_PRIVATE}; Algorithm 3: gap {{rate}}", -0.5, "at_most")
OF_TABLES = Ratio("largest gap on a table of d states: .34·√(d/n)")
FLOOR = ("own.central_floor", "p3.thm_4_2")
NOISE_LEADS = ["epsilon"]
"""A rate of the private gap shows where noise, not labels, leads: at ε = 0.001."""
NOT_TOO_LOOSE = ["epsilon"]
"""The bound is at most 100 gaps at ε = 1; at ε = 0.3 it holds, and can be looser."""
ALONG_AXES = ("own.floor_along_axes", "p3.thm_4_2")
PRIVATE_RATES = ("own.private_rates", "p3.thm_4_2")
STATEMENT, EQ_3, ZHU = ("p3.thm_4_2",), ("p3.eq_3",), ("p3.app_a_zhu",)
BELOW_ALL = dict.fromkeys(("labels", "algorithm"), "no private choice, good or bad, is below it")


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Any, wrong: Any = (),
    settles: Any = STATEMENT, **more: Any,
) -> Check:  # fmt: skip
    """A check of Theorem 4.2, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, **more)  # fmt: skip


FARTHER = {
    "labels": "on fair coins θ̃ is near 0, so that √λ·‖θ*‖ alone makes distance / F grow",
    "algorithm": "−θ̃ is farther from θ* than θ̃ is, for which distance / F grows already",
}
OUTPUT_NOISE = {
    "labels": "on fair coins the output noise takes the worse response more often",
    "algorithm": "−θ̃ takes the worse response more often than θ̃ does",
}
AS_PRINTED = [
    check("n_pairs_greedy", "n_pairs", GREEDY_PRINTED, GAP, greedy, [root_n_noise, argmin_policy]),
    check("epsilon_greedy", "epsilon", GREEDY_PRINTED, GAP, greedy, [noise_without_epsilon]),
    check("n_pairs", "n_pairs", PRINTED, GAP, pessimistic, [greedy_into_the_trap]),
    check("epsilon", "epsilon", PRINTED, GAP, pessimistic, [greedy_into_the_trap]),
    check("num_features", "num_features", OF_TABLES, OVER_COSTLIEST, greedy,
          [labels_per_state, argmin_policy]),
    check("theorem_bound", "n_pairs",
          Frequency("gap ≤ 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ ≤ 100 gaps with probability ≥ 1−η"), OFF,
          pessimistic_fails, [greedy_fails]),
    check("optimizer_tol", "n_pairs",
          Frequency("β = 1/n², d = 1: gap ≤ 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖, probability ≥ 1−η"),
          ABOVE, exceeds, [exceeds_at_half_over_n],
          blind={"estimate": "who is told θ* loses nothing, as the bound allows"}),
    check("optimizer_tol_printed", "n_pairs",
          Slope("β = 1/(2n), as allowed: (E gap − η·largest gap) / bound {rate}", 0, "at_most"),
          EXCESS, excess_at_half_over_n, settles=("p3.thm_4_2", "p3.thm_4_4", "p3.thm_5_2"),
          expected="contradicted", blind=OUTPUT_NOISE,
          why="the output noise has ν² ∝ β/(αε²), constant in n, and takes the worse response"),
    check("confidence_covers", "n_pairs",
          Frequency("θ* in the confidence set, not in 1/20 of it, with probability ≥ 1−η"),
          OUTSIDE, misses,
          [misses_without_private_term]),
    check("confidence", "n_pairs", Slope("λ of the appendix: distance / F {rate}", 0, "at_most"),
          DISTANCE, distance, [distance_text_ridge], EQ_3),
    check("confidence_text_ridge", "n_pairs",
          Slope("λ of the main text: distance / F {rate}", 0, "at_most"), DISTANCE,
          distance_text_ridge, settles=EQ_3, expected="contradicted",
          why="with λ ∝ 1/√(εn) the distance falls like (εn)^(−1/4) only", blind=FARTHER),
    check("bound", "n_pairs", Slope("the proof's bound falls like the gap, {rate}", -0.5), BOUND,
          bound, [bound_printed]),
    check("bound_printed", "n_pairs",
          Slope("the printed bound where its coefficient is bounded falls {rate}", -0.5),
          PRINTED_BOUND, bound_printed, [bound_of_another_ridge], ("p3.sec_4_1",)),
    check("reference_lemma", "epsilon", Slope("λ inside the root, attained: the ratio {rate}", 0),
          LEMMA, lemma, [lemma_printed], ZHU),
    check("reference_lemma_printed", "epsilon",
          Slope("λ outside, as printed: the ratio {rate}", 0, "at_least"), PRINTED_LEMMA,
          lemma_printed, settles=ZHU, expected="contradicted",
          why="λ for √λ: the ratio grows without limit as ε falls"),
]  # fmt: skip
FROM_BELOW = [
    check("floor", "epsilon", Inequality("our floor is at most a private choice's worst gap"),
          OVER_GAP, private_sign, [sign_without_privacy], FLOOR, blind=BELOW_ALL),
    check("floor_attained", "epsilon",
          Inequality("the private sign is between our floor and 1.2 of it"), OFF_FLOOR,
          private_sign, [twice_the_noise, sign_without_privacy], FLOOR),
    check("axes", "num_features",
          Slope("worst gap of d states met evenly over the printed coefficient {rate}", 0.5),
          OVER_PRINTED, private_sign, [root_n_noise_on_the_sum, one_state_of_all], ALONG_AXES,
          keeps=NOISE_LEADS),
    check("dimension", "num_features",
          Ratio("worst gap of d rare states: e^(−1/2)·√LB·d^(1/4)·C/√(εn)", math.exp(-0.5)),
          OVER_PROOF, private_sign, [one_state_of_all, twice_the_noise, sign_without_privacy],
          ALONG_AXES, keeps=NOISE_LEADS),
    check("dimension_attained", "num_features",
          Inequality("private signs of d rare states are between our floor and 1.2 of it"),
          OFF_FLOOR, private_sign, [twice_the_noise, sign_without_privacy], ALONG_AXES,
          keeps=NOISE_LEADS),
    check("axes_attained", "num_features",
          Inequality("private signs of d states are between our floor and 1.2 of it"), OFF_FLOOR,
          private_sign, [twice_the_noise, sign_without_privacy], ALONG_AXES, keeps=NOISE_LEADS),
    check("covered", "n_pairs",
          Slope("worst gap of a state that all pairs are about {rate}", -1), WORST, private_sign,
          [root_n_noise_on_the_sum], FLOOR, keeps=NOISE_LEADS),
]  # fmt: skip
PRIVATE = [
    check("n_pairs_greedy_private", "n_pairs", Slope("private, greedy on θ̃: gap {rate}", -0.5),
          GAP, greedy, [root_n_noise, argmin_policy], PRIVATE_RATES),
    check("epsilon_greedy_private", "epsilon", Slope("private, greedy on θ̃: gap {rate}", -0.5),
          GAP, greedy, [noise_without_epsilon], PRIVATE_RATES),
    check("n_pairs_private", "n_pairs",
          Slope("private, Algorithm 3: gap {rate}", -0.5, "at_most"), GAP, pessimistic,
          [greedy_into_the_trap], PRIVATE_RATES),
    check("epsilon_private", "epsilon",
          Slope("private, Algorithm 3: gap {rate}", -0.5, "at_most"), GAP, pessimistic,
          [greedy_into_the_trap], PRIVATE_RATES),
    check("noise_private", "n_pairs",
          Ratio("private: E ‖θ̃ − θ*‖² is that of labels and four times as much noise"),
          OVER_LINEARISED, squared_error, [squared_error_of_half_noise], PRIVATE_RATES),
    check("num_features_private", "num_features",
          Ratio("private, largest gap on a table of d states: .34·√(d/n)"),
          OVER_COSTLIEST, greedy, [labels_per_state, argmin_policy], PRIVATE_RATES),
    check("theorem_bound_private", "n_pairs",
          Frequency(
              "private: gap ≤ 2F·‖(Σ+λI/2)^(−1/2)(Eφ−v)‖ ≤ 100 gaps with probability ≥ 1−η"
          ), OFF,
          pessimistic_fails, [greedy_fails], PRIVATE_RATES, keeps=NOT_TOO_LOOSE),
    check("confidence_covers_private", "n_pairs",
          Frequency("private: θ* in the confidence set, not in 1/20 of it, with probability ≥ 1−η"),
          OUTSIDE, misses,
          [misses_without_private_term], PRIVATE_RATES),
    check("confidence_private", "n_pairs",
          Slope("private, λ of the appendix: distance / F {rate}", 0, "at_most"), DISTANCE,
          distance, [distance_text_ridge], PRIVATE_RATES),
]  # fmt: skip


def in_the_class(world: CentralLearning) -> Iterator[Assumed]:
    """Assumption 2.1; features are as long as they may be."""
    norm = float(world.truth.theta.norm())
    yield "‖θ*‖ ≤ B", norm <= world.radius, f"‖θ*‖ = {norm:.3g}"


THEOREM = Theorem(
    title="P3 Theorem 4.2: suboptimality gap under central differential privacy",
    checks=[*AS_PRINTED, *FROM_BELOW, *PRIVATE],
    corrected={
        "optimizer_tol_printed": "optimizer_tol",
        "confidence_text_ridge": "confidence",
        "reference_lemma_printed": "reference_lemma",
    },
    worlds={"pairs": CentralLearning, "one_state": FloorState},
    assumes=at_both_ends(inputs_of_algorithm_1, in_the_class, of=CentralLearning),
)
