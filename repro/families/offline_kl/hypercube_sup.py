"""sup over the tilt a of an estimator's risk on the hypercube (P1, Theorem 4.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from repro.families.offline_kl.algorithms_hypercube import ESTIMATORS
from repro.families.offline_kl.quantities_hypercube import gap
from repro.families.offline_kl.worlds_hypercube import HypercubePrior, draw_counts

LARGEST = 0.98
"""Largest tilt of the ladder as a share of B/2; the proof needs a < B/2."""


@dataclass(frozen=True)
class Ladder:
    """Tilts a over which the supremum is taken.

    Attributes:
        smallest: least tilt as a share of B/2.
        rungs: number of tilts, in geometric steps up to B/2.
        pilot: simulated states per rung when the maximiser is looked for.
    """

    smallest: float
    rungs: int
    pilot: int

    def tilts(self, reward_bound: float) -> np.ndarray:
        """(rungs,) tilts, increasing, below B/2."""
        return reward_bound / 2 * np.geomspace(self.smallest, LARGEST, self.rungs)


def worst_rung(prior: HypercubePrior, n_pairs: int, method: str, ladder: Ladder) -> int:
    """Index of the tilt with the largest risk, from a pilot with a stream of its own.

    The rung is fixed before the measurement, which therefore is not biased upwards as the
    largest of many noisy means would be.

    Args:
        prior: the hypercube; its tilt is ignored.
        n_pairs: n.
        method: name of an estimator.
        ladder: tilts to choose from.
    """
    replicates = math.ceil(ladder.pilot / prior.num_states)
    risks = [
        risk(
            replace(prior, tilt=float(tilt)), n_pairs, method, np.random.default_rng(0), replicates
        )
        for tilt in ladder.tilts(prior.reward_bound)
    ]
    return int(np.argmax([r.mean() for r in risks]))


def risk(
    prior: HypercubePrior, n_pairs: int, method: str, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps of an estimator on datasets of random corners."""
    signs, pairs, wins = draw_counts(prior, rng, n_pairs, replicates)
    return gap(prior, ESTIMATORS[method](prior, pairs, wins), signs)
