"""P3 Lemmas A.3, B.3, C.3 (derivatives) and A.8, A.9 (the noisy covariance).

Statements (P3, appendix).  A.3: ‖∇ℓ‖ ≤ 2L and ‖∇²ℓ‖ ≤ 4L².  B.3: 2K²L and 4K³L² for rankings.
C.3: 2HL and 4H²L² for trajectories.  A.8: with probability ≥ 1−η,

    ‖z‖² in Σ̃+λI  <  (1 + O(√(log(1/δ)·log(1/η))/(ε²n²λ))) · ‖z‖² in Σ+λI.

A.9: for λ ≥ C√(d·log(1/η)·log(1/δ))/(εn), ‖(Σ̃+λI)^(−1/2)z‖ ≤ ‖(Σ+λI/2)^(−1/2)z‖.

The norms are proved, by intervals; the sharp values are 2L, L²; 2(K−1)L, at most (K−1)L²; 2HL and
H²L², so the printed constants hold with room, and constants 10 % below these are refuted by one
comparison (control ``sharp_ten_percent``).  A.8 is measured on what Algorithm 2 releases
where Σ vanishes, its worst case: the excess is |N(0, σ²)|/λ, its mean √(2/π)·σ/λ, a number
that the checks claim along n and ε.

What the printed text does not bear out, expected contradicted:
- ``excess_printed``: σ/λ is 8L²√log(1/δ)/(εnλ), so the excess falls like 1/n at fixed λ; the lemma
  prints 1/(ε²n²λ), though σ² and not σ has those powers.  With λ of the appendix the true excess
  does not fall at all (``excess_appendix_ridge``, a constant below 1 for C large enough), with λ of
  the main text it falls like (εn)^(−1/2) (``excess_text_ridge``).  A.11 and 4.2 survive: they only
  need a constant.
Where Σ vanishes Σ̃+λI is definite, and A.9's λ/2 covers, with the λ of the appendix and not with an
eighth of it: both sides are in the checks, so that a release without noise fails them.
- ``eta_near_one_printed``: for every η in (0, 1) no C is enough.  Where Σ vanishes Σ̃+λI is definite
  only if its diagonal is positive, with probability Φ(λ/σ)^d.  At 1−η = (3/4)^d that asks for
  λ ≥ 0.67·σ, and √(d·log(1/η)) goes to 0 as d grows.  The proof has √d + √log(1/η).  That is at
  most a constant times √(d·(1 + log(1/η))) (``eta_near_one``), or √(d·log(1/η)) where η ≤ ½.
A.9 is read with the symmetric part of G; for the non-symmetric matrix as printed (Σ̃+λI)^(−1/2) has
no meaning.  ``symmetric_gain``: the symmetric part has 1/√2 of the operator norm, at the same
privacy.  ``ridge_scale`` C of the config is the one all P3 experiments use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from scipy.special import ndtri
from torch import Tensor

from repro.base.schema import Count, Positive, Probability
from repro.core.check import Algorithm, Check, Quantity, Theorem, at_both_ends, named, of_world
from repro.core.claims import Claim, Frequency, Inequality, Ratio, Slope
from repro.core.proofs import proof_of
from repro.labels.privacy.central_noise import GAUSSIAN, NO_NOISE, CentralNoise
from repro.p3.curator import derivative_bounds as derivatives
from repro.p3.curator.budget import CentralBudget
from repro.p3.curator.derivative_bounds import (
    PAIR_BOUND,
    features_for_differences,
    printed,
    sharp_ten_percent,
)
from repro.p3.curator.learning import CuratorNumbers, inputs_of_algorithm_1
from repro.p3.curator.reward_and_covariance import (
    covariance_noise,
    private_covariance,
    symmetric_part,
)

MEAN_OF_HALF_NORMAL = math.sqrt(2 / math.pi)
"""E|N(0, 1)|."""
ROOM = 8
"""A.9 and a definite Σ̃+λI hold with λ, and would not hold with λ/8: how tight C is."""

# Algorithm 2's noise -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CovarianceNoise:
    """Algorithm 2's noise in d dimensions, with standard entries.

    Attributes:
        num_features: d.
        noise: what G really is.
    """

    num_features: Count
    noise: CentralNoise = GAUSSIAN
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "noise": {"gaussian": GAUSSIAN, "no_noise": NO_NOISE}
    }

    def drawn(self, rng: np.random.Generator, replicates: int) -> Tensor:
        """(R, d, d) G."""
        return self.noise.multiple * covariance_noise(rng, replicates, self.num_features)


@dataclass(frozen=True, eq=False, kw_only=True)
class NoCovariance(CovarianceNoise, CuratorNumbers):
    """Algorithm 2 where Σ vanishes, the worst case of Lemma A.8.

    Attributes:
        fixed_ridge: λ of the checks that hold it fixed.
    """

    fixed_ridge: Positive

    def released(
        self, rng: np.random.Generator, replicates: int, budget: CentralBudget | None = None
    ) -> Tensor:
        """(R, d, d) Σ̃ of a curator who believes in a budget, the world's own unless given."""
        noise = self.drawn(rng, replicates)
        std = (budget or self.budget).covariance_std(self.n_pairs)
        return private_covariance(torch.zeros_like(noise), noise, std)

    def excess(self, released: Tensor, rng: np.random.Generator, ridge: float) -> np.ndarray:
        """(R,) |‖z‖² in Σ̃+λI over ‖z‖² in Σ+λI, minus 1| for random z (Lemma A.8)."""
        z = torch.from_numpy(rng.standard_normal(released.shape[:2]))
        form = torch.einsum("ri,rij,rj->r", z, released, z)
        return (form / (ridge * z.square().sum(-1))).abs().numpy()

    @property
    def std(self) -> float:
        """σ of G as printed: 8L²·√log(1/δ)/(εn); not from what the curator reads."""
        given = self.log_inverse_delta
        log_inverse_delta = 2 * math.log(self.n_pairs) if given is None else given
        return (
            8 * self.feature_norm**2 * math.sqrt(log_inverse_delta) / (self.epsilon * self.n_pairs)
        )


@dataclass(frozen=True, kw_only=True)
class NoiseAndRidge(CovarianceNoise):
    """The least eigenvalue of G against λ, both over σ and so free of n, ε and δ.

    Attributes:
        failure_prob: η.
        ridge_scale: C of Lemma A.9, in the units L².
    """

    failure_prob: Probability
    ridge_scale: Positive

    @property
    def ridge(self) -> float:
        """λ/σ of the appendix."""
        return self.ridge_scale * math.sqrt(self.num_features * math.log(1 / self.failure_prob)) / 8


@dataclass(frozen=True, kw_only=True)
class EtaNearOne:
    """Lemma A.9 at η = 1 − p^d, where Σ vanishes.

    Attributes:
        num_features: d.
        entry_prob: p, above ½.
    """

    num_features: Count
    entry_prob: Probability

    @property
    def least_constant(self) -> float:
        """No smaller C makes Σ̃+λI definite with probability 1−η: its diagonal has to be positive.

        The d entries of the diagonal are independent N(λ, σ²): Φ(λ/σ)^d ≥ p^d asks for λ/σ ≥ z_p.
        """
        failure_prob = 1 - self.entry_prob**self.num_features
        unit = NoiseAndRidge(num_features=self.num_features, failure_prob=failure_prob,
                             ridge_scale=1.0)  # fmt: skip
        return float(ndtri(self.entry_prob)) / unit.ridge


# What A.8 claims of the excess -------------------------------------------------------------------


def by_algebra(world: NoCovariance) -> float:
    """√(2/π)·σ/λ at the fixed λ."""
    return MEAN_OF_HALF_NORMAL * world.std / world.fixed_ridge


def at_appendix_ridge(world: NoCovariance) -> float:
    """E|N(0, σ²)|/λ = √(2/π)·8/(C·√(d·log(1/η))), λ ∝ 1/(εn)."""
    return _claimed(world, 1.0)


def at_text_ridge(world: NoCovariance) -> float:
    """The same times 1/√(εn), λ ∝ 1/√(εn)."""
    return _claimed(world, 0.5)


def _claimed(world: NoCovariance, power: float) -> float:
    """E|N(0, σ²)|/λ for λ ∝ (εn)^(−power)."""
    scale = world.ridge_scale * math.sqrt(world.num_features * math.log(1 / world.failure_prob))
    return MEAN_OF_HALF_NORMAL * 8 / scale * (world.epsilon * world.n_pairs) ** (power - 1)


def entries(world: NoCovariance) -> float:
    """σ²·d(d+1)/2: diagonal entries have variance σ², the others σ²/2."""
    d = world.num_features
    return world.std**2 * d * (d + 1) / 2


# Algorithms: right, and wrong on purpose ---------------------------------------------------------


def fixed(world: NoCovariance, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The excess at a fixed λ."""
    return world.excess(world.released(rng, replicates), rng, world.fixed_ridge)


def noise_of_twice_the_labels(world: NoCovariance, rng: np.random.Generator, replicates: int):
    """Wrong: G of a curator who counts every label twice."""
    return fixed(replace(world, n_pairs=2 * world.n_pairs), rng, replicates)


def noise_without_epsilon(world: NoCovariance, rng: np.random.Generator, replicates: int):
    """Wrong for a sweep of ε: G has the scale of ε = 1."""
    return fixed(replace(world, epsilon=1.0), rng, replicates)


def appendix_ridge(world: NoCovariance, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The excess at λ of the appendix."""
    ridge = world.budget.confidence_ridge(world.n_pairs, world.num_features)
    return world.excess(world.released(rng, replicates), rng, ridge)


def text_ridge(world: NoCovariance, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The excess at λ of the main text."""
    ridge = world.budget.text_ridge(world.n_pairs, world.num_features)
    return world.excess(world.released(rng, replicates), rng, ridge)


def squared_entries(world: NoCovariance, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """‖Σ̃ − Σ‖²_F."""
    return world.released(rng, replicates).square().sum((1, 2)).numpy()


def twice_the_log(world: NoCovariance, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: log(1/δ²) for log(1/δ)."""
    budget = replace(world.budget, log_inverse_delta=2 * world.budget.log_inverse_delta)
    return world.released(rng, replicates, budget).square().sum((1, 2)).numpy()


def multiple_of_ridge(world: NoiseAndRidge, multiple: float) -> float:
    """The least eigenvalue of G that is allowed, as a multiple of λ below 0."""
    return -multiple * world.ridge


# A.9 fails below −λ/2, and Σ̃+λI is indefinite below −λ; wrong are a quarter and a fifth of λ.
UNCOVERED = named("uncovered", multiple_of_ridge, multiple=1 / 2)
UNCOVERED_SMALL_RIDGE = named(
    "uncovered_small_ridge",
    multiple_of_ridge,
    "an eigenvalue of −λ/8 is allowed, not −λ/2",
    multiple=1 / 8,
)
INDEFINITE = named("indefinite", multiple_of_ridge, multiple=1.0)
INDEFINITE_SMALL_RIDGE = named(
    "indefinite_small_ridge",
    multiple_of_ridge,
    "an eigenvalue of −λ/5 is allowed, not −λ",
    multiple=1 / 5,
)


def covered_with_the_one(world: NoiseAndRidge) -> float:
    """−λ/2 with 1 + log(1/η) for log(1/η) in λ."""
    log = math.log(1 / world.failure_prob)
    return multiple_of_ridge(world, math.sqrt((1 + log) / log) / 2)


def least_constant_as_printed(world: EtaNearOne) -> float:
    """The least C that Lemma A.9 needs, or less."""
    return world.least_constant


@dataclass(frozen=True, eq=False)
class NoiseNorms:
    """Operator norms of drawn noise, each (R,): of G, of its symmetric part, of a diagonal G."""

    whole: np.ndarray
    symmetric: np.ndarray
    diagonal: np.ndarray


def operator_norm(drawn: NoiseNorms) -> np.ndarray:
    """‖G‖ with standard entries."""
    return drawn.whole


def diagonal_noise(drawn: NoiseNorms) -> np.ndarray:
    """Wrong for a sweep of d: noise on the diagonal alone."""
    return drawn.diagonal


def gain(drawn: NoiseNorms) -> np.ndarray:
    """What the symmetric part gains."""
    return _over_root_two(drawn.whole, drawn.symmetric)


def gain_of_diagonal(drawn: NoiseNorms) -> np.ndarray:
    """Wrong: a diagonal matrix is its own symmetric part."""
    return _over_root_two(drawn.diagonal, drawn.diagonal)


def _over_root_two(norm: np.ndarray, other: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # 0/0 where the noise is taken away: no number
        return norm / (math.sqrt(2) * other)


# Quantities --------------------------------------------------------------------------------------


def on_one_seed(
    world: NoCovariance, algorithm: Algorithm, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) what an algorithm finds on a stream of its own, whose seed the block's stream gives."""
    return algorithm(world, np.random.default_rng(int(rng.integers(2**63))), replicates)


def least_eigenvalue(world: CovarianceNoise, rng: np.random.Generator, replicates: int) -> Tensor:
    """(R,) of (G + Gᵀ)/2; A.9 holds where it is ≥ −λ/(2σ), whatever Σ."""
    noise = symmetric_part(covariance_noise(rng, replicates, world.num_features))
    return world.noise.multiple * torch.linalg.eigvalsh(noise)[:, 0]


def fails(world: NoiseAndRidge, allowed: Algorithm, least: Tensor, replicates: int) -> np.ndarray:
    """(R,) 1 where the least eigenvalue lies below what is allowed, or above −λ/8."""
    holds = (allowed(world) <= least) & (least <= -world.ridge / ROOM)  # of a NaN nothing holds
    return (~holds).double().numpy()


def norms(world: CovarianceNoise, rng: np.random.Generator, replicates: int) -> NoiseNorms:
    """Norms of G, of its symmetric part, and of another G that is diagonal."""
    multiple = world.noise.multiple
    noise = covariance_noise(rng, replicates, world.num_features)
    whole, symmetric = (
        torch.linalg.matrix_norm(matrix, ord=2).numpy() for matrix in (noise, symmetric_part(noise))
    )
    diagonal = np.abs(rng.standard_normal((replicates, world.num_features))).max(-1)
    return NoiseNorms(multiple * whole, multiple * symmetric, multiple * diagonal)


def of_norms(
    world: CovarianceNoise, algorithm: Algorithm, drawn: NoiseNorms, replicates: int
) -> np.ndarray:
    """(R,) what an algorithm makes of the norms."""
    return algorithm(drawn)


OVER_BOUND = Quantity("largest norm / printed bound", proof_of, evidence="proved")
EXCESS = Quantity("relative excess of ‖z‖²", on_one_seed, alike=True)
OVER_CLAIMED = replace(EXCESS, words="relative excess of ‖z‖² / claimed")
OVER_ALGEBRA = replace(OVER_CLAIMED, over=by_algebra)
OVER_APPENDIX = replace(OVER_CLAIMED, over=at_appendix_ridge)
OVER_TEXT = replace(OVER_CLAIMED, over=at_text_ridge)
ENTRIES = replace(EXCESS, words="‖Σ̃ − Σ‖²_F / claimed", over=entries)
FAILS = Quantity("fails [frequency]", fails, drawn=least_eigenvalue)
NORM = Quantity("operator norm of the noise", of_norms, drawn=norms)
LEAST_CONSTANT = Quantity("least C of Lemma A.9, or less", of_world, evidence="computed")
GAIN = Quantity("‖G‖ / (√2·‖(G+Gᵀ)/2‖)", of_norms, drawn=norms)

# The claims --------------------------------------------------------------------------------------

NOISE_ALONE = {
    "labels": "about Algorithm 2's noise, which no data enter",
    "estimate": "about Algorithm 2's noise, which no data enter",
    "algorithm": "Algorithm 2's noise has the law of its opposite",
}
A_8: Any = {"settles": ["p3.lem_a_8"]}
A_9: Any = {"settles": ["p3.lem_a_9"]}


def bound(name: str, axis: str, words: str, settles: str, wrong: Algorithm = PAIR_BOUND) -> Check:
    """A check that a norm is at most what is printed."""
    return Check(name=name, axis=axis, claim=Inequality(words), quantity=OVER_BOUND, right=printed,
                 wrong=[wrong, sharp_ten_percent], at="size", settles=[settles])  # fmt: skip


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm] = (), **more: Any,
) -> Check:  # fmt: skip
    """A check of Algorithm 2's noise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 blind=NOISE_ALONE, **more)  # fmt: skip


DERIVATIVES = [
    bound("gradient_pairs", "num_features", "A.3: ‖∇ℓ‖ ≤ 2L", "p3.lem_a_3",
          features_for_differences),
    bound("hessian_pairs", "num_features", "A.3: ‖∇²ℓ‖ ≤ 4L²", "p3.lem_a_3",
          features_for_differences),
    bound("gradient_rankings", "ranked_actions", "B.3: ‖∇ℓ‖ ≤ 2K²L", "p3.lem_b_3"),
    bound("hessian_rankings", "ranked_actions", "B.3: ‖∇²ℓ‖ ≤ 4K³L²", "p3.lem_b_3"),
    bound("gradient_trajectories", "steps", "C.3: ‖∇ℓ‖ ≤ 2HL", "p3.lem_c_3"),
    bound("hessian_trajectories", "steps", "C.3: ‖∇²ℓ‖ ≤ 4H²L²", "p3.lem_c_3"),
]  # fmt: skip
ALGEBRA = "A.8 by its algebra: mean excess = √(2/π)·8L²√log(1/δ)/(εnλ)"
EXCESSES = [
    check("excess_printed", "n_pairs",
          Slope("A.8 as printed, O(1/(ε²n²λ)): excess {rate} at fixed λ", -2, "at_most"), EXCESS,
          fixed, **A_8, expected="contradicted",
          why="σ and not σ² stands over λ, so the excess falls like 1/n"),
    check("excess", "n_pairs", Ratio(f"{ALGEBRA}, along n"), OVER_ALGEBRA,
          named("fixed_over_algebra", fixed), [noise_of_twice_the_labels], **A_8),
    check("excess_epsilon", "epsilon", Ratio(f"{ALGEBRA}, along ε"), OVER_ALGEBRA,
          named("fixed_over_algebra", fixed), [noise_without_epsilon], **A_8),
    check("excess_appendix_ridge", "n_pairs",
          Ratio("A.8 at λ ∝ 1/(εn): mean excess = √(2/π)·8/(C√(d·log(1/η))), free of n"),
          OVER_APPENDIX, appendix_ridge,
          [named("text_ridge", text_ridge, "λ of the main text")], **A_8),
    check("excess_text_ridge", "n_pairs",
          Ratio("A.8 at λ ∝ 1/√(εn): mean excess ∝ 1/√(εn), the same constant"), OVER_TEXT,
          text_ridge,
          [named("appendix_ridge", appendix_ridge, "λ of the appendix")], **A_8),
]  # fmt: skip
NOISES = [
    check("ridge_covers", "num_features",
          Frequency("A.9: Σ̃+λI ⪰ Σ+λI/2, not Σ+λI·7/8, with probability ≥ 1−η"), FAILS, UNCOVERED,
          [UNCOVERED_SMALL_RIDGE], **A_9),
    check("indefinite", "num_features",
          Frequency("Σ̃+λI is positive definite, Σ̃+λI/8 is not, with probability ≥ 1−η"), FAILS,
          INDEFINITE, [INDEFINITE_SMALL_RIDGE], **A_9),
    Check(name="eta_near_one_printed", axis="num_features",
          claim=Slope("A.9 as printed, η = 1 − (3/4)^d: the least C {rate}", 0, "at_most"),
          quantity=LEAST_CONSTANT, right=least_constant_as_printed, expected="contradicted",
          why="η near 1 is allowed, where log(1/η) is near 0", **A_9),
    check("eta_near_one", "num_features",
          Frequency("A.9 with 1 + log(1/η) in λ, η = .9: Σ̃+λI ⪰ Σ+λI/2 with probability ≥ 1−η"),
          FAILS, covered_with_the_one, [named("as_printed", multiple_of_ridge,
          "log(1/η) in λ, as printed", multiple=1 / 2)], **A_9),
    check("norm_n_pairs", "n_pairs",
          Ratio("‖Σ̃ − Σ‖²_F = σ²·d(d+1)/2 on average, σ = 8L²√log(1/δ)/(εn)"), ENTRIES,
          squared_entries, [twice_the_log], **A_9),
    check("norm_num_features", "num_features", Slope("‖G‖ {rate}", 0.5, tolerance=0.1), NORM,
          operator_norm, [diagonal_noise], **A_9),
    check("symmetric_gain", "num_features",
          Ratio("the symmetric part has 1/√2 of the operator norm"), GAIN, gain,
          [gain_of_diagonal], **A_9),
]  # fmt: skip


THEOREM = Theorem(
    title="P3 Lemmas A.3, A.8, A.9, B.3, C.3: derivatives and the noisy covariance",
    checks=[*DERIVATIVES, *EXCESSES, *NOISES],
    corrected={
        "excess_printed": "excess",
        "eta_near_one_printed": "eta_near_one",
    },
    worlds={
        "pair_gradient": derivatives.PairGradient,
        "pair_hessian": derivatives.PairHessian,
        "ranking_gradient": derivatives.RankingGradient,
        "ranking_hessian": derivatives.RankingHessian,
        "trajectory_gradient": derivatives.TrajectoryGradient,
        "trajectory_hessian": derivatives.TrajectoryHessian,
        "no_covariance": NoCovariance,
        "ridge": NoiseAndRidge,
        "eta_near_one": EtaNearOne,
        "noise": CovarianceNoise,
    },
    assumes=at_both_ends(inputs_of_algorithm_1, of=NoCovariance),
)
