"""P3's Lemmas A.3, B.3 and C.3: norms of a loss's derivatives over their bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from repro.families.central.bounds_covariance import pair_norms, ranking_norms
from repro.study.case import Case
from repro.study.row import Evidence, Measure, Method, Values


@dataclass(frozen=True)
class Norm:
    """The norm of one derivative for one kind of comparison; sizes are d, K or H.

    Attributes:
        largest: (rng, R, size, L) → (R,) norms that approach the largest possible one.
        printed: (size, L) → the bound as printed.
        sharp: (size, L) → the largest value.
        forgetful: (size, L) → the bound with a factor forgotten.
    """

    largest: Callable[[np.random.Generator, int, float, float], Tensor]
    printed: Callable[[float, float], float]
    sharp: Callable[[float, float], float]
    forgetful: Callable[[float, float], float]


GRADIENT_OF_PAIRS = Norm(
    lambda rng, replicates, d, norm: pair_norms(rng, replicates, int(d), 2 * 1.0 * norm)[0],
    printed=lambda d, norm: 2 * norm,
    sharp=lambda d, norm: 2 * norm,
    forgetful=lambda d, norm: norm,
)
HESSIAN_OF_PAIRS = Norm(
    lambda rng, replicates, d, norm: pair_norms(rng, replicates, int(d), 2 * 1.0 * norm)[1],
    printed=lambda d, norm: 4 * norm**2,
    sharp=lambda d, norm: norm**2,
    forgetful=lambda d, norm: norm**2 / 4,
)
GRADIENT_OF_RANKINGS = Norm(
    lambda rng, replicates, k, norm: ranking_norms(rng, replicates, int(k), norm)[0],
    printed=lambda k, norm: 2 * k**2 * norm,
    sharp=lambda k, norm: 2 * (k - 1) * norm,
    forgetful=lambda k, norm: 2 * norm,
)
HESSIAN_OF_RANKINGS = Norm(
    lambda rng, replicates, k, norm: ranking_norms(rng, replicates, int(k), norm)[1],
    printed=lambda k, norm: 4 * k**3 * norm**2,
    sharp=lambda k, norm: (k - 1) * norm**2,
    forgetful=lambda k, norm: norm**2,
)
GRADIENT_OF_TRAJECTORIES = Norm(
    lambda rng, replicates, steps, norm: pair_norms(rng, replicates, 2, 2 * steps * norm)[0],
    printed=lambda steps, norm: 2 * steps * norm,
    sharp=lambda steps, norm: 2 * steps * norm,
    forgetful=lambda steps, norm: 2 * norm,
)
HESSIAN_OF_TRAJECTORIES = Norm(
    lambda rng, replicates, steps, norm: pair_norms(rng, replicates, 2, 2 * steps * norm)[1],
    printed=lambda steps, norm: 4 * steps**2 * norm**2,
    sharp=lambda steps, norm: steps**2 * norm**2,
    forgetful=lambda steps, norm: norm**2,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class NormCase(Case):
    """The norm of one derivative at one size.

    Attributes:
        norm: which.
        size: d, K or H.
        feature_norm: L.
    """

    norm: Norm
    size: float
    feature_norm: float


def _over_bounds(case: NormCase, rng: np.random.Generator, replicates: int) -> Values:
    found = case.norm.largest(rng, replicates, case.size, case.feature_norm)
    bounds = {m.name: m.run(case.norm)(case.size, case.feature_norm) for m in case.methods}
    return {name: (found / bound).numpy() for name, bound in bounds.items()}


OVER_BOUND = Measure("largest norm / printed bound", _over_bounds, Evidence.SEARCHED)

printed_norm = Method("printed", lambda norm: norm.printed)
features_for_differences = Method("features_for_differences", lambda norm: norm.forgetful)
"""Wrong: L in the place of 2L."""
pair_bound = Method("pair_bound", lambda norm: norm.forgetful)
"""Wrong: the sharp bound of a pair, without K or H."""
sharp_ten_percent = Method(
    "sharp_ten_percent",
    lambda norm: lambda size, feature_norm: 0.9 * norm.sharp(size, feature_norm),
)
"""Wrong: 10 % below the largest value."""
