"""The two rankings on a line that tell most, where others and the noise that tells most hold θ̂.

On a line the noise that tells most points outwards and carries θ̂ with it; where that is not far
enough, others pull: K responses at even steps, the best outermost.  All other records are ties.
The two versions of the last record are those whose gradients are farthest apart there.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from repro.p3.objective_perturbation.ball import OnBall
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.gradients import LONGEST
from repro.p3.objective_perturbation.neighbour_search import World
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.planar_divergence import COARSE
from repro.p3.objective_perturbation.ranking_search import evenly_ranked
from repro.p3.objective_perturbation.records import RankedFeatures

LEVELS = {3: 21, 4: 13}
"""By K: values in [−1, 1] that the features of the last record are tried at."""
PLACES = np.linspace(0.0, 1.0, 9)
"""Where θ̂ is held, over B."""
LEANS = (0.0, 1.0)
"""How much of the noise that tells most the common records reckon with."""
LENGTHS = np.linspace(0.05, 1.0, 39) * LONGEST


def ranking_on_line(
    ranked: int, world: World, made: Calibration, epsilon: float
) -> OnBallNeighbours:
    """The best of a few datasets of rankings on [−B, B].

    Args:
        ranked: K of all records, 3 or 4.
        world: n and B; d = 1.
        made: noise and ridge.
        epsilon: of δ(ε).
    """
    tried = (
        _datasets(ranked, world, made, epsilon, float(place * world.radius), lean)
        for place, lean in product(PLACES, LEANS)
    )
    return max(tried, key=lambda two: worst_log_delta(two.one, two.other, epsilon, COARSE))


def _datasets(
    ranked: int, world: World, made: Calibration, epsilon: float, size: float, lean: float
) -> OnBallNeighbours:
    """Two datasets that are held near θ = −``size`` as far as n records can."""
    last = versions(ranked, size)
    apart = _pull(last[0], size) - _pull(last[1], size)
    noise = lean * (epsilon * made.sigma**2 / apart - apart / 2)
    common = tuple(_holding(ranked, world, made.ridge * size - noise, size))
    rest = (made.ridge, made.sigma, world.radius, 1)
    return OnBallNeighbours(*(OnBall((*common, one), *rest) for one in last))


def _holding(ranked: int, world: World, needed: float, size: float) -> list[RankedFeatures]:
    """Records whose gradients add up to ``needed`` at θ = −``size``, or n − 1 of them."""
    outwards = -math.copysign(1.0, needed)
    kinds = [evenly_ranked(ranked, (outwards * float(length),)) for length in LENGTHS]
    each = [abs(_pull(one, size)) for one in kinds]
    best = int(np.argmax(each))
    count = min(world.n_pairs - 1, round(abs(needed) / each[best]))
    x = (outwards * float(LENGTHS[best]),)
    return [evenly_ranked(ranked, x, count)] if count else []


def _pull(record: RankedFeatures, size: float) -> float:
    """Gradient at θ = −``size``."""
    return float(record.derivatives(np.array([[-size]]))[0][0, 0])


@lru_cache(maxsize=64)
def versions(ranked: int, size: float) -> tuple[RankedFeatures, RankedFeatures]:
    """Rankings of the largest and the smallest gradient at θ = −``size``, on a grid."""
    levels = np.linspace(-1, 1, LEVELS[ranked])
    features = np.array(list(product(levels, repeat=ranked)))
    weight = np.exp(-size * features)
    total, first = (
        np.flip(np.cumsum(np.flip(one, 1), 1), 1) for one in (weight, weight * features)
    )
    gradient = (first / total - features).sum(1)
    ends = features[[gradient.argmax(), gradient.argmin()]]
    one, other = (RankedFeatures(tuple((float(x),) for x in row)) for row in ends)
    return one, other
