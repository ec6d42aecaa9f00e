"""Noise that is private at its stated budget against the printed one, at L = B = 1.

Prints a Markdown table.  For θ̃ and Σ̃, each at (ε/2, δ/2) with δ = 1/n²: certified deviation over
printed deviation, and the bound of δ(ε/2) over δ/2 of the printed release (at most 1: private;
for Σ̃ the exact curve of the farthest neighbours).

    python tools/private_rates.py
"""

from __future__ import annotations

import math
from itertools import product

from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.curator.budget import CentralBudget, KwiseBudget
from repro.p3.curator.certified_budget import (
    Certified,
    PrivateBudget,
    PrivateKwiseBudget,
)
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound

FEATURES, FAILURE, SCALE, RANKED = 16, 0.05, 24.0, 4
EPSILONS, SIZES = (1.0, 0.001), (10**5, 10**7, 10**9)


def line(kind: str, printed: CentralBudget, private: Certified, n_pairs: int) -> str:
    """One row of the table."""
    epsilon, delta = printed.epsilon / 2, 1 / n_pairs**2 / 2
    ridge = 2 * n_pairs * printed.ridge(n_pairs, FEATURES)
    theta = hockey_stick_bound(private.records, printed.noise_std, ridge, epsilon) / delta
    shift = private.largest_change / (n_pairs * printed.covariance_std(n_pairs))
    sigma = float(gaussian_delta(shift, epsilon)) / delta
    spread = private.covariance_std(n_pairs) / printed.covariance_std(n_pairs)
    ratio = private.noise_std / printed.noise_std
    return (
        f"| {kind} | {printed.epsilon:g} | {n_pairs:.0e} | {ratio:.2f} | {spread:.2f} | "
        f"{math.sqrt(spread):.2f} | {theta:.1e} | {sigma:.1e} |"
    )


def main() -> None:
    """The table."""
    print(
        "| records | ε | n | b, private / printed | Σ̃, private / printed | √ of it | printed θ̃: "
        "bound of δ(ε/2)/(δ/2) | printed Σ̃: δ(ε/2)/(δ/2) |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for epsilon, n_pairs in product(EPSILONS, SIZES):
        numbers = (epsilon, 2 * math.log(n_pairs), FAILURE, 1.0, 1.0, SCALE)
        print(line("pairs", CentralBudget(*numbers), PrivateBudget(*numbers), n_pairs))
    for epsilon, n_pairs in product(EPSILONS, SIZES):
        numbers = (epsilon, 2 * math.log(n_pairs), FAILURE, 1.0, 1.0, SCALE, RANKED)
        print(line("K = 4", KwiseBudget(*numbers), PrivateKwiseBudget(*numbers), n_pairs))


if __name__ == "__main__":
    main()
