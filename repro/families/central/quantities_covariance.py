"""P3's Lemmas A.8 and A.9: what Algorithm 2's noise does to the covariance, as numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.bounds_covariance import (
    least_eigenvalue,
    operator_norms,
    relative_excess,
)
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
    """Where Σ vanishes, the worst case of Lemma A.8.

    Attributes:
        budget: the curator's constants.
        fixed_ridge: λ of the rows that hold it fixed.
    """

    budget: CentralBudget
    fixed_ridge: float

    @property
    def std(self) -> float:
        """σ of G."""
        return self.budget.covariance_std(self.n_pairs)


def _excess(case: ExcessCase, rng: np.random.Generator, replicates: int) -> Values:
    unit = case.noise.multiple * relative_excess(rng, replicates, case.num_features, 1.0, 1.0)
    return {m.name: m.run(case, unit).numpy() for m in case.methods}


EXCESS = Measure("relative excess of ‖z‖²", _excess, Evidence.EXACT)


@method
def fixed(case: ExcessCase, unit: Tensor) -> Tensor:
    """The excess at a fixed λ."""
    return unit * case.std / case.fixed_ridge


def _root_n_excess(case: ExcessCase, unit: Tensor) -> Tensor:
    return unit * case.std * math.sqrt(case.n_pairs) / case.fixed_ridge


root_n_excess = Method("root_n_noise", _root_n_excess)
"""Wrong: G is √n times too large."""


@method
def noise_without_epsilon(case: ExcessCase, unit: Tensor) -> Tensor:
    """Wrong for a sweep of ε: G has the scale of ε = 1."""
    return unit * case.std * case.budget.epsilon / case.fixed_ridge


@method
def appendix_ridge(case: ExcessCase, unit: Tensor) -> Tensor:
    """The excess at λ of the appendix."""
    return unit * case.std / case.budget.confidence_ridge(case.n_pairs, case.num_features)


@method
def text_ridge(case: ExcessCase, unit: Tensor) -> Tensor:
    """The excess at λ of the main text."""
    return unit * case.std / case.budget.text_ridge(case.n_pairs, case.num_features)


@dataclass(frozen=True, eq=False, kw_only=True)
class EigenvalueCase(SpreadCase):
    """The least eigenvalue of G against λ, both over σ and so free of n, ε and δ.

    Attributes:
        ridge: λ/σ.
    """

    ridge: float


def _failures(case: EigenvalueCase, rng: np.random.Generator, replicates: int) -> Values:
    least = case.noise.multiple * least_eigenvalue(rng, replicates, case.num_features)
    return {m.name: (least < m.run(case)).double().numpy() for m in case.methods}


FAILS = Measure("fails [frequency]", _failures, Evidence.SEARCHED)


@method
def uncovered(case: EigenvalueCase) -> float:
    """A.9 fails below −λ/2."""
    return -case.ridge / 2


@method
def uncovered_small_ridge(case: EigenvalueCase) -> float:
    """Wrong: an eighth of λ."""
    return -case.ridge / 16


@method
def indefinite(case: EigenvalueCase) -> float:
    """Σ̃+λI is indefinite below −λ."""
    return -case.ridge


@method
def indefinite_without_ridge(case: EigenvalueCase) -> float:
    """Wrong: Σ̃ alone."""
    return 0.0


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


NORM = Measure("operator norm of the noise", _norms, Evidence.EXACT)
GAIN = Measure("‖G‖ / (√2·‖(G+Gᵀ)/2‖)", _norms, Evidence.EXACT)


@method
def operator_norm(case: SpreadCase, drawn: Spread) -> Tensor:
    """‖G‖ with entries ∝ 1/n."""
    return drawn.whole / case.n_pairs


root_n_norm = Method("root_n_noise", lambda case, drawn: drawn.whole / math.sqrt(case.n_pairs))
"""Wrong: entries ∝ 1/√n."""


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
