"""P3 Theorem 4.4: private rewards and policies from rankings of K responses.

Statement (P3, section 4.2).  With the K-wise loss ℓ_{D_K} and covariance Σ_{D_K}, Algorithm 3 has
SubOpt(π̂) ≤ F·‖(Σ_D+λI)^(−1)(E φ(s, π*(s)) − v)‖ with probability ≥ 1−η, where F is eq. (3) and O(·)
hides factors of L, B and K.

Instances: the worlds of Lemma A.11 (``half_null``) and Theorem 4.2 (``scales``, ``trapped``) with
K responses at every state, features alternating in sign; n rankings are drawn as Plackett–Luce
choices and kept as counts per choice set and winner.  The budget carries the printed K-constants
(B.3: gradients 2K²L; B.5: noise of variance ∝ K⁶).

Measured: error norm and suboptimality gap in n and ε; how the printed constants grow with K (error
∝ K^(3/2) through λ ∝ K³) while sharp ones do not; that one ranking adds at most 2KL²/(K−1) to
n·Σ_K (at K = 10 that is 2.2L², where B.5's proof allows 4000L²).

What the printed text does not bear out, expected contradicted:
- ``gradient_printed`` (Claim B.1) weights x_jk by the winner's probability in the place of k's.
  At K = 2 its mean over labels vanishes at −θ*, not at θ*.
- ``hessian_printed`` (Claim B.2) weights x_kl·x_klᵀ by the winner's probability in the place of
  ½·p_k·p_l.
- ``curvature_printed`` (eq. 19) has γ_K = e^(−4LB)/2.  Where all responses but one share their
  features only the first choice tells anything, and for a small ball γ_K is too large by K/(K−1).
  Lemma B.4, which only asks for some γ_K > 0, holds with e^(−4LB)·(K−1)/(2K).
The corrected forms agree with autograd to rounding, and the printed forms are their controls.  What
would refute Theorem 4.4: exponents above −1/2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field, StrictBool
from torch import Tensor

from repro.base.schema import Positive, Whole
from repro.core.check import Assumed, Check, Quantity, Theorem, at_both_ends, named
from repro.core.claims import Inequality, Slope
from repro.core.proofs import Claimed, iv, proof_of
from repro.p3.curator.axis_world import AxisWorld
from repro.p3.curator.budget import KwiseBudget
from repro.p3.curator.certified_budget import PrivateKwiseBudget
from repro.p3.curator.choice_sets import ChoiceSetWorld
from repro.p3.curator.learners import (
    argmin_policy,
    greedy,
    greedy_into_the_trap,
    noise_without_epsilon,
    pessimistic,
    root_n_noise,
)
from repro.p3.curator.learning import CentralLearning, Releases, inputs_of_algorithm_1, learnt

AGREEMENT = 1e-10
"""Largest difference from autograd that rounding can explain."""
UNIT = (0.0, 1.0)
Ranked = Annotated[Whole, Field(ge=2, le=20)]
"""K: there are 2^K sets to choose from."""


# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedLearning(CentralLearning):
    """Learning from rankings of K responses with features that alternate in sign.

    Attributes:
        ranked_actions: K.
        sharp: whether the curator believes in the sharp K-constants.
    """

    ranked_actions: Ranked
    sharp: StrictBool = False

    @property
    def truth(self) -> ChoiceSetWorld:
        return _choice_sets(self.axis, self.ranked_actions)

    @property
    def budget(self) -> KwiseBudget:
        kind = PrivateKwiseBudget if self.private else KwiseBudget
        return kind(**self.budget_numbers, num_ranked=self.ranked_actions, sharp=self.sharp)


@lru_cache(maxsize=256)
def _choice_sets(axis: AxisWorld, num_ranked: int) -> ChoiceSetWorld:
    return ChoiceSetWorld(axis, num_ranked)


@dataclass(frozen=True, eq=False, kw_only=True)
class RandomRankings:
    """Rankings whose features and θ are random, or any within L and B.

    Attributes:
        ranked_actions: K.
        feature_norm: L.
        radius: B of the checks on eq. (19).
    """

    ranked_actions: Ranked
    feature_norm: Positive
    radius: Positive


@dataclass(frozen=True, eq=False)
class OneRanking:
    """R rankings, their responses ordered by them.

    Attributes:
        theta: (R, d) where derivatives are taken.
        features: (R, K, d) φ.
    """

    theta: Tensor
    features: Tensor

    @cached_property
    def derivatives(self) -> tuple[Tensor, Tensor]:
        """Gradient (R, d) and Hessian (R, d, d) by autograd."""
        return automatic_derivatives(self.theta, self.features)


# Claims B.1 and B.2 for one ranking: as printed, as corrected, and by autograd ------------------
#
# Responses are ordered by the ranking, the most preferred first; p_{k|j} is the probability of
# choosing k among those from place j on.


def ranking_loss(theta: Tensor, features: Tensor) -> Tensor:
    """(R,) loss of one ranking a row; θ (R, d), φ (R, K, d) in the order of the ranking."""
    reward = torch.einsum("rkd,rd->rk", features, theta)
    left = reward.flip(1).logcumsumexp(1).flip(1)
    return (left - reward).sum(1)


def automatic_derivatives(theta: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    """Gradient (R, d) and Hessian (R, d, d) of ``ranking_loss`` by autograd."""
    theta = theta.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(ranking_loss(theta, features).sum(), theta, create_graph=True)
    rows = [torch.autograd.grad(column.sum(), theta, retain_graph=True)[0] for column in gradient.T]
    return gradient.detach(), torch.stack(rows, dim=1)


def claimed_gradient(theta: Tensor, features: Tensor, printed: bool) -> Tensor:
    """(R, d) −Σ_j Σ_{k≥j} p·x_jk with p = p_{j|j} as printed in B.1, p_{k|j} as it should be."""
    probability, difference = _parts(theta, features)
    weight = _of_winner(probability) if printed else probability
    return -torch.einsum("rjk,rjkd->rd", weight, difference)


def claimed_hessian(theta: Tensor, features: Tensor, printed: bool) -> Tensor:
    """(R, d, d) Σ_j Σ_{k,l≥j} w·x_kl·x_klᵀ.

    w = p_{j|j} as printed in B.2, ½·p_{k|j}·p_{l|j} as it should be.
    """
    probability, difference = _parts(theta, features)
    left = torch.ones_like(probability[0]).triu()
    if printed:
        weight = torch.einsum("rj,jk,jl->rkl", _of_winner(probability)[:, :, -1], left, left)
    else:
        weight = torch.einsum("rjk,rjl->rkl", probability, probability) / 2
    return torch.einsum("rkl,rkld,rkle->rde", weight, difference, difference)


def _parts(theta: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    """p_{k|j} (R, J, K), zero for k < j, and x_jk (R, K, K, d)."""
    reward = torch.einsum("rkd,rd->rk", features, theta)
    size = reward.shape[1]
    gone = torch.ones(size, size, dtype=torch.bool).tril(-1)
    logits = reward[:, None, :].expand(-1, size, -1).masked_fill(gone, -torch.inf)
    return logits.softmax(-1), features[:, :, None] - features[:, None, :]


def _of_winner(probability: Tensor) -> Tensor:
    """p_{j|j} in every place k ≥ j."""
    winner = probability.diagonal(dim1=1, dim2=2)[:, :, None]
    return winner.expand_as(probability).triu()


# Algorithms: right, and wrong on purpose ---------------------------------------------------------


def error(data: Releases) -> Tensor:
    """‖θ* − θ̃‖ with λ of the appendix and the printed K-constants."""
    return data.distance(data.world.ridge)


def error_text_ridge(data: Releases) -> Tensor:
    """Wrong: λ of the main text."""
    return data.distance(data.world.text_ridge)


def error_without_epsilon(data: Releases) -> Tensor:
    """Wrong for a sweep of ε: all constants are those of ε = 1."""
    return error(data.believing(epsilon=1.0))


def error_sharp(data: Releases) -> Tensor:
    """‖θ* − θ̃‖ with the sharp K-constants."""
    return error(data.believing(sharp=True))


def gradient_of(data: OneRanking, printed: bool) -> Tensor:
    """Claim B.1."""
    return claimed_gradient(data.theta, data.features, printed)


def hessian_of(data: OneRanking, printed: bool) -> Tensor:
    """Claim B.2."""
    return claimed_hessian(data.theta, data.features, printed)


gradient = named("gradient", gradient_of, printed=False)
gradient_printed = named(
    "gradient_printed",
    gradient_of,
    "the probability p_{j|j} of the winner, as printed, not of k",
    printed=True,
)
hessian = named("hessian", hessian_of, printed=False)
hessian_printed = named(
    "hessian_printed",
    hessian_of,
    "the weight p_{j|j}, as printed, not half a product",
    printed=True,
)


# Claims that intervals decide; printed forms are refuted by one comparison, written out ----------


def curvature(world: RandomRankings) -> Claimed:
    """γ_K·vᵀΣ_K·v over vᵀ∇²ℓ·v with γ_K = e^(−4LB)·(K−1)/(2K), by the first choice alone.

    With x_k = vᵀφ_k the first choice adds ½·Σ_jk p_j·p_k·(x_j − x_k)² to the right, the others are
    not negative, and the left is e^(−4LB)/K²·½·Σ_jk (x_j − x_k)².  So it is enough that
    p_j·p_k ≥ e^(−4LB)/K²: with rewards a and b of the two responses and K·e^m the sum of all e^r,
    the ratio is exp(2m − a − b − 4LB), and a, b, m lie in [−LB, LB].
    """
    end = iv.mpf(world.feature_norm) * iv.mpf(world.radius)
    side = (-float(end.b), float(end.b))
    return Claimed((side, side, side), lambda a, b, m: iv.exp(2 * m - a - b - 4 * end))


def curvature_printed(world: RandomRankings) -> Claimed:
    """Wrong: γ_K = e^(−4LB)/2, as printed, where all responses but one have the same features.

    x is 1 for one response and −1 for the others: vᵀ∇²ℓ·v = 4·(K−1)/K², as only the choice among
    all tells anything, and vᵀΣ_K·v = 8/K.
    """
    count, end = world.ranked_actions, iv.mpf(world.feature_norm) * iv.mpf(world.radius)
    hessian, covariance = iv.mpf(4 * (count - 1)) / count**2, iv.mpf(8) / count
    return Claimed((UNIT,), lambda _: iv.exp(-4 * end) / 2 * covariance / hessian)


def two_k_over_k_minus_1(world: RandomRankings) -> Claimed:
    """2/(K−1)·Σ(x_k − x̄)² over 2KL²/(K−1): the mean of x² less x̄², both over L²."""
    return Claimed((UNIT, (-1.0, 1.0)), lambda square, mean: square - mean**2)


def limit_of_many(world: RandomRankings) -> Claimed:
    """Wrong: over 2L², with x = ±L by turns."""
    count = iv.mpf(world.ranked_actions)
    mean = iv.mpf(world.ranked_actions % 2) / count
    return Claimed((UNIT,), lambda _: (1 - mean**2) * count / (count - 1))


# Quantities --------------------------------------------------------------------------------------


def rankings(world: RandomRankings, rng: np.random.Generator, replicates: int) -> OneRanking:
    """Normal features and θ in three dimensions."""
    features = torch.from_numpy(rng.standard_normal((replicates, world.ranked_actions, 3)))
    return OneRanking(torch.from_numpy(rng.standard_normal((replicates, 3))), features)


def off_gradient(world: RandomRankings, algorithm, data: OneRanking, replicates: int):
    """(R,) largest difference of a formula from the gradient, over ``AGREEMENT``."""
    return (algorithm(data) - data.derivatives[0]).abs().amax(1).numpy() / AGREEMENT


def off_hessian(world: RandomRankings, algorithm, data: OneRanking, replicates: int):
    """(R,) the same of the Hessian."""
    return (algorithm(data) - data.derivatives[1]).abs().flatten(1).amax(1).numpy() / AGREEMENT


def off(of: Callable[..., np.ndarray]) -> Quantity:
    """A formula's difference from autograd."""
    return Quantity("|formula − autograd| / 1e-10", of, evidence="computed", drawn=rankings)


GAP = learnt("suboptimality [reward]")
ERROR = learnt("‖θ* − θ̃‖ in Σ̃_K + λI")
OFF_GRADIENT, OFF_HESSIAN = off(off_gradient), off(off_hessian)
PROVED = Quantity("left side / right side", proof_of, evidence="proved")


# The claims --------------------------------------------------------------------------------------

PRIVATE_RATES = ("own.private_rates", "p3.thm_4_4")
STATEMENT, CLAIM_1, CLAIM_2 = ("p3.thm_4_4",), ("p3.claim_b_1",), ("p3.claim_b_2",)


NO_GROWTH = {
    "labels": "at most a slope of 0 is claimed, and on fair coins θ̃ is near 0 at every K",
    "algorithm": "at most a slope of 0 is claimed, and −θ̃ is about 2‖θ*‖ from θ* at every K",
}


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Any, wrong: Any = (),
    settles: Any = STATEMENT, **more: Any,
) -> Check:  # fmt: skip
    """A check of Theorem 4.4, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, **more)  # fmt: skip


AS_PRINTED = [
    check("n_pairs_greedy", "n_pairs", Slope("greedy on θ̃: gap {rate}", -0.5), GAP, greedy,
          [root_n_noise, argmin_policy]),
    check("epsilon_greedy", "epsilon", Slope("greedy on θ̃: gap {rate}", -0.5), GAP, greedy,
          [noise_without_epsilon]),
    check("n_pairs", "n_pairs", Slope("Algorithm 3: gap {rate}", -0.5, "at_most"), GAP,
          pessimistic, [greedy_into_the_trap]),
    check("error", "n_pairs", Slope("error {rate}", -0.5), ERROR, error, [error_text_ridge]),
    check("error_epsilon", "epsilon", Slope("error {rate}", -0.5), ERROR, error,
          [error_without_epsilon]),
    check("ranked_actions", "ranked_actions",
          Slope("printed K-constants: error {rate}", 1.5, tolerance=0.1), ERROR, error,
          [named("error_sharp", error_sharp, "the sharp K-constants, not the printed ones")]),
    check("ranked_actions_sharp", "ranked_actions",
          Slope("sharp K-constants: error {rate}", 0, "at_most", tolerance=0.1), ERROR,
          error_sharp, [named("error", error, "the printed K-constants, not the sharp ones")],
          blind=NO_GROWTH),
]  # fmt: skip
FORMULAS = [
    check("covariance_term", "ranked_actions",
          Inequality("one ranking adds ≤ 2KL²/(K−1) to n·Σ_K"), PROVED, two_k_over_k_minus_1,
          [limit_of_many]),
    check("gradient_printed", "ranked_actions", Inequality("Claim B.1 as printed"), OFF_GRADIENT,
          gradient_printed, settles=CLAIM_1, expected="contradicted",
          why="x_jk is weighted by the winner's probability in the place of k's"),
    check("gradient", "ranked_actions", Inequality("Claim B.1 with the probability of k"),
          OFF_GRADIENT, gradient, [gradient_printed], CLAIM_1),
    check("hessian_printed", "ranked_actions", Inequality("Claim B.2 as printed"), OFF_HESSIAN,
          hessian_printed, settles=CLAIM_2, expected="contradicted",
          why="x_kl·x_klᵀ is weighted by the winner's probability, not by ½·p_k·p_l"),
    check("hessian", "ranked_actions", Inequality("Claim B.2 with ½·p_k·p_l"), OFF_HESSIAN,
          hessian, [hessian_printed], CLAIM_2),
    check("curvature_printed", "ranked_actions",
          Inequality("(19) as printed: ∇²ℓ ⪰ e^(−4LB)/2·Σ_K"), PROVED, curvature_printed,
          settles=("p3.eq_19",), expected="contradicted",
          why="γ_K is too large by K/(K−1) where only the first choice tells anything"),
    check("curvature", "ranked_actions", Inequality("(19) with e^(−4LB)·(K−1)/(2K)"), PROVED,
          curvature, [curvature_printed], ("p3.lem_b_4", "p3.eq_19")),
]  # fmt: skip
PRIVATE = [
    check("n_pairs_greedy_private", "n_pairs", Slope("private, greedy on θ̃: gap {rate}", -0.5),
          GAP, greedy, [root_n_noise, argmin_policy], PRIVATE_RATES),
    check("epsilon_greedy_private", "epsilon", Slope("private, greedy on θ̃: gap {rate}", -0.5),
          GAP, greedy, [noise_without_epsilon], PRIVATE_RATES),
    check("n_pairs_private", "n_pairs",
          Slope("private, Algorithm 3: gap {rate}", -0.5, "at_most"), GAP, pessimistic,
          [greedy_into_the_trap], PRIVATE_RATES),
    check("error_private", "n_pairs", Slope("private: error {rate}", -0.5), ERROR, error,
          [error_text_ridge], PRIVATE_RATES),
    check("error_epsilon_private", "epsilon", Slope("private: error {rate}", -0.5), ERROR, error,
          [error_without_epsilon], PRIVATE_RATES),
]  # fmt: skip


def in_the_class(world: RankedLearning) -> Iterator[Assumed]:
    """Assumption 2.1."""
    longest = float(world.truth.features.norm(dim=-1).max())
    norm = float(world.truth.theta.norm())
    holds = longest <= world.feature_norm and norm <= world.radius
    yield "‖φ‖ ≤ L and ‖θ*‖ ≤ B", holds, f"‖φ‖ = {longest:g}, ‖θ*‖ = {norm:.3g}"


THEOREM = Theorem(
    title="P3 Theorem 4.4: rankings of K responses under central differential privacy",
    checks=[*AS_PRINTED, *FORMULAS, *PRIVATE],
    corrected={
        "gradient_printed": "gradient",
        "hessian_printed": "hessian",
        "curvature_printed": "curvature",
    },
    worlds={"rankings": RankedLearning, "random": RandomRankings},
    assumes=at_both_ends(inputs_of_algorithm_1, in_the_class, of=RankedLearning),
)
