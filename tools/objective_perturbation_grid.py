"""The certified objective perturbation, and 1/1.25 of its noise, against a search for neighbours.

Prints CSV: dimension, reward_bound, dp_delta, n_pairs, log10 of δ(ε)/δ as certified, and with
1/1.25 of the noise.  The first must stay below 0, the second should lie above.

    python tools/objective_perturbation_grid.py 2 > grid.csv      # pairs, d = 2
    python tools/objective_perturbation_grid.py 2 3 > grid.csv    # rankings of K = 3
    python tools/objective_perturbation_grid.py 2 2 2 > grid.csv  # trajectories of 2 steps
"""

from __future__ import annotations

import math
import sys
from itertools import product

from repro.p3.objective_perturbation.calibration import Calibration, corrected
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.gradients import pairs
from repro.p3.objective_perturbation.neighbour_search import World, most_telling
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.planar_divergence import COARSE, FINE
from repro.p3.objective_perturbation.ranking_distance import joint_rankings
from repro.p3.objective_perturbation.ranking_search import mirrored_ranking
from tools.rankings_on_line import ranking_on_line

EPSILON, SHORT, STEPS = 0.5, 1.25, 150
BOUNDS, DELTAS = (0.5, 1.0, 2.0, 3.0, 5.0), (1e-3, 1e-6, 1e-9, 1e-12)
NEAR = 0.02
"""Difference of logarithms below which the fine rule integrates (the coarse one's tolerance is a
twentieth of it)."""
SIZES = (1_000, 100_000, 1_000_000)


def found(ranked: int, world: World, made: Calibration, steps: int) -> OnBallNeighbours:
    """What the search finds for pairs (K = 2) or rankings."""
    if ranked == 2:
        return most_telling(world, made, EPSILON, steps)
    if world.dimension == 1:
        return ranking_on_line(ranked, world, made, EPSILON)
    return mirrored_ranking(ranked, world, made, EPSILON, steps)


def log_ratio(ranked: int, world: World, made: Calibration, delta: float, steps: int) -> float:
    """log10 of the largest δ(ε)/δ found; by the fine rule where the coarse one is near 0."""
    pair, wanted = found(ranked, world, made, steps), math.log(delta)
    log = worst_log_delta(pair.one, pair.other, EPSILON, COARSE)
    if abs(log - wanted) < NEAR:
        log = worst_log_delta(pair.one, pair.other, EPSILON, FINE)
    return (log - wanted) / math.log(10)


def main(dimension: int, ranked: int = 2, horizon: int = 1) -> None:
    """The grid at one dimension; a local search only where the guesses do not suffice."""
    print("dimension,reward_bound,dp_delta,n_pairs,certified,noise_over_1_25")
    for bound in (horizon * one for one in BOUNDS):
        records = (
            pairs(bound, dimension) if ranked == 2 else joint_rankings(ranked, bound, dimension)
        )
        for delta, size in product(DELTAS, SIZES):
            made, world = corrected(EPSILON, delta, records), World(size, bound, dimension)
            held = log_ratio(ranked, world, made, delta, 0)
            short = log_ratio(ranked, world, made.weakened(SHORT), delta, 0)
            if short <= 0:
                short = log_ratio(ranked, world, made.weakened(SHORT), delta, STEPS)
            print(f"{dimension},{bound},{delta:g},{size},{held:.3f},{short:.3f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
