"""How far the certified noise for rankings is above what neighbours prove to be needed.

For rankings of K responses in the plane a local search, from fixed starts, looks for two rankings
whose gradients at one θ of the ball are D* apart.  As n → ∞ others pin θ̂ there, the release is a
Gaussian shift D*/σ, and no σ below D*/μ is private, μ being the largest (ε, δ)-private shift.
Prints a Markdown table of D*, of the D that the theorem uses, and of σ·μ/D* as certified for d = 2,
3 and every d ≥ 2(K − 1): noise too small by more than this factor is caught in the limit.

    python tools/ranking_gap.py
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import minimize

from repro.labels.privacy.gaussian import exact_shift
from repro.p3.objective_perturbation.calibration import corrected
from repro.p3.objective_perturbation.gradients import Records, pairs
from repro.p3.objective_perturbation.ranking_distance import joint_rankings
from repro.p3.objective_perturbation.records import RankedFeatures

EPSILON, DELTAS, STARTS = 0.5, (1e-3, 1e-6, 1e-12), 25
BOUNDS, RANKED = (0.5, 1.0, 3.0, 5.0), (2, 3, 4)


def gradient(angles: np.ndarray, radius: float) -> np.ndarray:
    """(2,) of a ranking whose features lie at these angles, best first, at θ = radius·e₁."""
    features = tuple((float(np.cos(one)), float(np.sin(one))) for one in angles)
    return RankedFeatures(features).derivatives(np.array([radius, 0.0]))[0]


def farthest(ranked: int, radius: float, starts: int = STARTS) -> float:
    """D*: the largest distance found; a lower bound of the true one."""
    rng = np.random.default_rng(0)

    def distance(angles: np.ndarray) -> float:
        one, other = angles[:ranked], angles[ranked:]
        return float(np.linalg.norm(gradient(one, radius) - gradient(other, radius)))

    begun = rng.uniform(-np.pi, np.pi, (starts, 2 * ranked))
    return max(-minimize(lambda at: -distance(at), one, method="BFGS").fun for one in begun)


def certified(ranked: int, bound: float, dimension: int) -> Records:
    """What one record can do, by the theorem."""
    return pairs(bound, dimension) if ranked == 2 else joint_rankings(ranked, bound, dimension)


def main() -> None:
    """The table."""
    print("| LB | K | D* | D | δ | σ·μ/D*, d = 2 | d = 3 | all d |")
    print("|---|---|---|---|---|---|---|---|")
    for bound, ranked in product(BOUNDS, RANKED):
        found = farthest(ranked, bound)
        records = [certified(ranked, bound, d) for d in (2, 3, max(3, 2 * (ranked - 1)))]
        for delta in DELTAS:
            shift = exact_shift(EPSILON, delta) / found
            ratios = [corrected(EPSILON, delta, one).sigma * shift for one in records]
            print(
                f"| {bound:g} | {ranked} | {found:.2f} | {records[0].distance:.2f} | {delta:.0e} | "
                + " | ".join(f"{one:.2f}" for one in ratios)
                + " |"
            )


if __name__ == "__main__":
    main()
