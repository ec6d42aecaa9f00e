"""The certified objective perturbation, and 1/1.25 of its noise, against a search for neighbours.

Prints CSV: dimension, reward_bound, dp_delta, n_pairs, log10 of δ(ε)/δ as certified, and with
1/1.25 of the noise.  The first must stay below 0, the second should lie above.

    python tools/objective_perturbation_grid.py 2 > grid.csv
"""

from __future__ import annotations

import math
import sys
from itertools import product

from repro.families.central.bounds_gradients import pairs
from repro.families.central.mechanisms_calibration import Calibration, corrected
from repro.families.central.quantities_divergence import FINE, worst_log_delta
from repro.families.central.searches_neighbours import World, most_telling

EPSILON, SHORT, STEPS = 0.5, 1.25, 150
BOUNDS, DELTAS = (0.5, 1.0, 2.0, 3.0, 5.0), (1e-3, 1e-6, 1e-9, 1e-12)
SIZES = (1_000, 100_000, 1_000_000)


def log_ratio(world: World, made: Calibration, delta: float, steps: int) -> float:
    """log10 of the largest δ(ε)/δ found."""
    found = most_telling(world, made, EPSILON, steps)
    return (worst_log_delta(found.one, found.other, EPSILON, FINE) - math.log(delta)) / math.log(10)


def main(dimension: int) -> None:
    """The grid at one dimension; a local search only where the guesses do not suffice."""
    print("dimension,reward_bound,dp_delta,n_pairs,certified,noise_over_1_25")
    for bound, delta, size in product(BOUNDS, DELTAS, SIZES):
        made, world = (
            corrected(EPSILON, delta, pairs(bound, dimension)),
            World(size, bound, dimension),
        )
        held = log_ratio(world, made, delta, 0)
        short = log_ratio(world, made.weakened(SHORT), delta, 0)
        if short <= 0:
            short = log_ratio(world, made.weakened(SHORT), delta, STEPS)
        print(f"{dimension},{bound},{delta:g},{size},{held:.3f},{short:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
