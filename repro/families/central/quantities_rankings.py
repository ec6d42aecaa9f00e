"""Both sides of P3's claims on random rankings: B.1, B.2, eq. (19), and the terms of Σ_K."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.families.central.bounds_rankings import automatic_derivatives
from repro.study.case import Case
from repro.study.row import Evidence, Measure, Values

AGREEMENT = 1e-10
"""Largest difference from autograd that rounding can explain."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingCase(Case):
    """Random rankings.

    Attributes:
        num_ranked: K.
        feature_norm: L.
        radius: B of the rows on eq. (19).
    """

    num_ranked: int
    feature_norm: float
    radius: float


def off_autograd(derivative: Callable[[Tensor, Tensor], Tensor]) -> Measure:
    """Largest difference of a formula from a derivative by autograd, over ``AGREEMENT``.

    Methods are formulas of θ (R, d) and φ (R, K, d).
    """

    def of(case: RankingCase, rng: np.random.Generator, replicates: int) -> Values:
        features = torch.from_numpy(rng.standard_normal((replicates, case.num_ranked, 3)))
        theta = torch.from_numpy(rng.standard_normal((replicates, 3)))
        exact = derivative(theta, features)
        off = {m.name: (m.run(theta, features) - exact).abs() for m in case.methods}
        return {name: one.flatten(1).amax(1).numpy() / AGREEMENT for name, one in off.items()}

    return Measure("|formula − autograd| / 1e-10", of, Evidence.COMPUTED)


OFF_GRADIENT = off_autograd(lambda theta, features: automatic_derivatives(theta, features)[0])
OFF_HESSIAN = off_autograd(lambda theta, features: automatic_derivatives(theta, features)[1])
