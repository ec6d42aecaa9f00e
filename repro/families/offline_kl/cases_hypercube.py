"""Learning on the hypercube of P1's Theorem 4.5, at the tilt that is worst for the learner."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated

import numpy as np
import torch
from pydantic import Field

from repro.base.schema import Model, Share, Whole
from repro.families.offline_kl.algorithms_hypercube import HypercubeLabels
from repro.families.offline_kl.quantities_hypercube import gap
from repro.families.offline_kl.worlds_hypercube import HypercubePrior, draw_counts
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.label_cases import LabelCase
from repro.study.row import Method

LARGEST = 0.98
"""Largest tilt of the ladder as a share of B/2; the proof needs a < B/2."""

PILOTS = ((1 / 8, 8), (1.0, 1))
"""Share of the pilot, and how many rungs go on from it."""


class Ladder(Model):
    """Tilts a over which the supremum is taken.

    Attributes:
        smallest: least tilt as a share of B/2.
        rungs: number of tilts, in geometric steps up to B/2.
        pilot: simulated states per rung when the maximiser is looked for.
    """

    smallest: Share
    rungs: Annotated[Whole, Field(ge=3, le=1000)]
    pilot: Annotated[Whole, Field(ge=1, le=10**6)]

    def tilts(self, reward_bound: float) -> np.ndarray:
        """(rungs,) tilts, increasing, below B/2."""
        return reward_bound / 2 * np.geomspace(self.smallest, LARGEST, self.rungs)


@dataclass(frozen=True, eq=False, kw_only=True)
class HypercubeCase(LabelCase):
    """One grid point of the sup over a, stage by stage; methods are estimators of log odds.

    Attributes:
        world: the hypercube; its tilt is replaced by those of the ladder.
        ladder: tilts to choose from.
        bonus: multiple of the bonus: 1 as defined, 0 none, −1 reversed.
        estimate: (fitted, truth) → log odds that the estimator returns.
    """

    world: HypercubePrior
    ladder: Ladder
    bonus: float = 1.0
    estimate: Estimate = as_fitted

    def at(self, rung: int) -> HypercubePrior:
        """The hypercube at one tilt of the ladder."""
        return replace(self.world, tilt=float(self.ladder.tilts(self.world.reward_bound)[rung]))


def risk(
    case: HypercubeCase, estimator: Method, rung: int, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps of an estimator on datasets of random corners, at one tilt."""
    prior = case.at(rung)
    drawn = draw_counts(prior, rng, case.n_pairs, replicates, case.labels, case.channel)
    signs, pairs, wins = drawn
    fitted = estimator.run(HypercubeLabels(prior, pairs, wins, case.bonus))
    truth = torch.from_numpy(signs * prior.log_odds)
    return gap(prior, case.estimate(torch.from_numpy(fitted), truth).numpy(), signs)


@lru_cache(maxsize=1024)
def worst_rung(case: HypercubeCase, estimator: Method) -> int:
    """Index of the tilt with the largest risk, from a pilot with a stream of its own.

    All rungs are tried on a part of the pilot, those that come out largest on the whole of it.
    The rung is fixed before the measurement, which therefore is not biased upwards as the
    largest of many noisy means would be.
    """
    rungs = np.arange(case.ladder.rungs)
    for share, kept in PILOTS:
        replicates = math.ceil(share * case.ladder.pilot / case.world.num_states)
        risks = [
            risk(case, estimator, int(rung), np.random.default_rng(0), replicates).mean()
            for rung in rungs
        ]
        rungs = rungs[np.sort(np.argsort(risks)[-kept:])]
    return int(rungs[0])


def worst_risk(
    case: HypercubeCase, estimator: Method, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps at the estimator's worst tilt."""
    return risk(case, estimator, worst_rung(case, estimator), rng, replicates)
