"""P3's Lemmas A.8 and A.9: what Algorithm 2's noise does to the covariance, as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import covariance_noise, private_covariance
from repro.families.central.bounds_covariance import least_eigenvalue, operator_norms
from repro.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.study.case import Case
from repro.study.row import Evidence, Measure, Method, Values, method


@dataclass(frozen=True, eq=False, kw_only=True)
class SpreadCase(Case):
    """Algorithm 2's noise in d dimensions.

    Attributes:
        num_features: d.
        noise: what G really is.
    """

    num_features: int
    noise: CentralNoise = GAUSSIAN


@dataclass(frozen=True, eq=False, kw_only=True)
class ExcessCase(SpreadCase):
    """Algorithm 2 where Σ vanishes, the worst case of Lemma A.8.

    Attributes:
        budget: the curator's constants.
        fixed_ridge: λ of the rows that hold it fixed.
    """

    budget: CentralBudget
    fixed_ridge: float

    def released(self, rng: np.random.Generator, replicates: int, budget: CentralBudget) -> Tensor:
        """(R, d, d) Σ̃ of a curator who believes in a budget."""
        noise = self.noise.multiple * covariance_noise(rng, replicates, self.num_features)
        return private_covariance(0 * noise, noise, budget.covariance_std(self.n_pairs))

    def excess(self, released: Tensor, rng: np.random.Generator, ridge: float) -> Tensor:
        """(R,) |‖z‖² in Σ̃+λI over ‖z‖² in Σ+λI, minus 1| for random z (Lemma A.8)."""
        z = torch.from_numpy(rng.standard_normal(released.shape[:2]))
        form = torch.einsum("ri,rij,rj->r", z, released, z)
        return (form / (ridge * z.square().sum(-1))).abs()

    @property
    def std(self) -> float:
        """σ of G as printed: 8L²·√log(1/δ)/(εn)."""
        budget = self.budget
        top = 8 * budget.feature_norm**2 * math.sqrt(budget.log_inverse_delta)
        return top / (budget.epsilon * self.n_pairs)

    @property
    def appendix_ridge(self) -> float:
        """λ of the appendix."""
        return self.budget.confidence_ridge(self.n_pairs, self.num_features)

    @property
    def text_ridge(self) -> float:
        """λ of the main text."""
        return self.budget.text_ridge(self.n_pairs, self.num_features)

    def claimed(self, power: float) -> float:
        """E|N(0, σ²)|/λ = √(2/π)·8/(C·√(d·log(1/η)))·(εn)^(power − 1), λ ∝ (εn)^(−power)."""
        logs = self.num_features * math.log(1 / self.budget.failure_prob)
        scale = self.budget.ridge_scale * math.sqrt(logs)
        grown = (self.budget.epsilon * self.n_pairs) ** (power - 1)
        return MEAN_OF_HALF_NORMAL * 8 / scale * grown


MEAN_OF_HALF_NORMAL = math.sqrt(2 / math.pi)
"""E|N(0, 1)|."""


def _excess(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Values:
    seed = int(rng.integers(2**63))
    drawn = {m.name: m.run(case, np.random.default_rng(seed), replicates) for m in case.methods}
    return {name: found.numpy() for name, found in drawn.items()}


EXCESS = Measure("relative excess of ‖z‖²", _excess, Evidence.MEASURED)
OVER_CLAIMED = Measure("relative excess of ‖z‖² / claimed", _excess, Evidence.MEASURED)
ENTRIES = Measure("‖Σ̃ − Σ‖²_F / claimed", _excess, Evidence.MEASURED)


@method
def fixed(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """The excess at a fixed λ."""
    return case.excess(case.released(rng, replicates, case.budget), rng, case.fixed_ridge)


@method
def fixed_over_algebra(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """The same over √(2/π)·σ/λ."""
    return fixed.run(case, rng, replicates) / _algebra(case)


@method
def noise_of_twice_the_labels(
    case: ExcessCase, rng: np.random.Generator, replicates: int
) -> Tensor:
    """Wrong: G of a curator who counts every label twice."""
    found = fixed.run(replace(case, n_pairs=2 * case.n_pairs), rng, replicates)
    return found / _algebra(case)


@method
def noise_without_epsilon(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """Wrong for a sweep of ε: G has the scale of ε = 1."""
    budget = replace(case.budget, epsilon=1.0)
    released = case.released(rng, replicates, budget)
    return case.excess(released, rng, case.fixed_ridge) / _algebra(case)


def _algebra(case: ExcessCase) -> float:
    return MEAN_OF_HALF_NORMAL * case.std / case.fixed_ridge


def _at(ridge: Callable[[ExcessCase], float], power: float) -> Any:
    def run(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Tensor:
        released = case.released(rng, replicates, case.budget)
        return case.excess(released, rng, ridge(case)) / case.claimed(power)

    return run


appendix_ridge = Method("appendix_ridge", _at(lambda case: case.appendix_ridge, 1.0))
"""The excess at λ of the appendix, over what is claimed at λ ∝ 1/(εn)."""
text_ridge = Method("text_ridge", _at(lambda case: case.text_ridge, 0.5))
"""The excess at λ of the main text, over what is claimed at λ ∝ 1/√(εn)."""
text_for_appendix = Method("text_ridge", _at(lambda case: case.text_ridge, 1.0))
"""Wrong: λ of the main text where that of the appendix is meant."""
appendix_for_text = Method("appendix_ridge", _at(lambda case: case.appendix_ridge, 0.5))
"""Wrong: λ of the appendix where that of the main text is meant."""


@method
def squared_entries(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """‖Σ̃ − Σ‖²_F over σ²·d(d+1)/2: diagonal entries have variance σ², the others σ²/2."""
    return _squared(case, case.budget, rng, replicates)


@method
def twice_the_log(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Tensor:
    """Wrong: log(1/δ²) for log(1/δ)."""
    twice = replace(case.budget, log_inverse_delta=2 * case.budget.log_inverse_delta)
    return _squared(case, twice, rng, replicates)


def _squared(case: ExcessCase, budget: CentralBudget, rng, replicates: int) -> Tensor:
    d, released = case.num_features, case.released(rng, replicates, budget)
    return released.square().sum((1, 2)) / (case.std**2 * d * (d + 1) / 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class EigenvalueCase(SpreadCase):
    """The least eigenvalue of G against λ, both over σ and so free of n, ε and δ.

    Attributes:
        ridge: λ/σ.
    """

    ridge: float


ROOM = 8
"""A.9 and a definite Σ̃+λI hold with λ, and would not hold with λ/8: how tight C is."""


def _failures(case: EigenvalueCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) 1 where the least eigenvalue lies below what is allowed, or above −λ/8."""
    least = case.noise.multiple * least_eigenvalue(rng, replicates, case.num_features)
    idle = least > -case.ridge / ROOM
    return {m.name: ((least < m.run(case)) | idle).double().numpy() for m in case.methods}


FAILS = Measure("fails [frequency]", _failures, Evidence.MEASURED)


@method
def uncovered(case: EigenvalueCase) -> float:
    """A.9 fails below −λ/2."""
    return -case.ridge / 2


@method
def uncovered_small_ridge(case: EigenvalueCase) -> float:
    """Wrong: a quarter of λ."""
    return -case.ridge / 8


@method
def indefinite(case: EigenvalueCase) -> float:
    """Σ̃+λI is indefinite below −λ."""
    return -case.ridge


@method
def indefinite_small_ridge(case: EigenvalueCase) -> float:
    """Wrong: a fifth of λ."""
    return -case.ridge / 5


@dataclass(frozen=True, eq=False)
class Spread:
    """Norms of drawn noise, each (R,): of G, of its symmetric part, of a diagonal G."""

    whole: Tensor
    symmetric: Tensor
    diagonal: Tensor


def _norms(case: SpreadCase, rng: np.random.Generator, replicates: int) -> Values:
    d, multiple = case.num_features, case.noise.multiple
    whole, symmetric = operator_norms(rng, replicates, d)
    diagonal = torch.from_numpy(rng.standard_normal((replicates, d))).abs().amax(-1)
    drawn = Spread(multiple * whole, multiple * symmetric, multiple * diagonal)
    return {m.name: m.run(case, drawn).numpy() for m in case.methods}


NORM = Measure("operator norm of the noise", _norms, Evidence.MEASURED)
GAIN = Measure("‖G‖ / (√2·‖(G+Gᵀ)/2‖)", _norms, Evidence.MEASURED)


@method
def operator_norm(case: SpreadCase, drawn: Spread) -> Tensor:
    """‖G‖ with standard entries."""
    return drawn.whole


@method
def diagonal_noise(case: SpreadCase, drawn: Spread) -> Tensor:
    """Wrong for a sweep of d: noise on the diagonal alone."""
    return drawn.diagonal


@method
def gain(case: SpreadCase, drawn: Spread) -> Tensor:
    """What the symmetric part gains."""
    return drawn.whole / (math.sqrt(2) * drawn.symmetric)


@method
def gain_of_diagonal(case: SpreadCase, drawn: Spread) -> Tensor:
    """Wrong: a diagonal matrix is its own symmetric part."""
    return drawn.diagonal / (math.sqrt(2) * drawn.diagonal)
