"""From a grid point to an unsaturated world, and what is measured there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from repro.base.schema import Probability
from repro.corruption.huber_reports import Adversary
from repro.corruption.orders import Order
from repro.families.chipo.algorithms_adaptivity import Error, Learner, alpha_free, square_loss
from repro.families.chipo.algorithms_policy import two_arm_wrong_prob
from repro.families.chipo.cases_two_policies import TwoPolicyCase
from repro.families.chipo.worlds_unsaturated import RareBadArm, imitate
from repro.preferences.label_law import on_arrays
from repro.study.config import Probe
from repro.study.label_cases import HuberCase
from repro.study.row import Evidence, Measure, Method, Values, per_method

LARGEST_BIAS = 0.25
"""ζα up to which Theorem 2 is stated."""
SMALLEST_BIAS = 9.0
"""Of the α of the min-max rows, in c/√n: above it imitation wins at least half of the time."""


FREE = Learner(square_loss, alpha_free)
"""Algorithm 3 with a β free of α."""
ALPHAS = 17
"""Of a range, in equal ratios."""


class AdaptivityProbe(Probe):
    """Also α where it is not swept, or the least α of a range that is."""

    corruption: Probability = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class AdaptivityCase(HuberCase, TwoPolicyCase):
    """One grid point of the unsaturated world.

    Attributes:
        failure_prob: δ in log(|Π|/δ), |Π| = 2.
        assumed_order: of corruption and privacy, that the world is built and β is tuned for.
        least_corruption: the least α of a range, where the row has one.
        learner: whose table of prices is taken, where the row's methods are rules for it.
        adversary: who corrupts labels.
    """

    failure_prob: float
    assumed_order: Order = Order.CTL
    least_corruption: float = 0.0
    learner: Learner = FREE
    adversary: Adversary = imitate

    @property
    def reach(self) -> float:
        """ζ: 1 under CTL, c(ε) under LTC, as the learner and the world's builder believe."""
        return 1.0 if self.assumed_order is Order.CTL else self.cost

    @property
    def bias(self) -> float:
        """ζα."""
        return self.reach * self.corruption

    def error(self, world: RareBadArm) -> Error:
        """What tunings read."""
        noise = self.cost * math.sqrt(math.log(2 / self.failure_prob) / self.n_pairs)
        return Error(noise, self.bias, self.corruption, world.coverage)

    def choices(self, learner: Learner, rng: np.random.Generator, runs: int) -> np.ndarray:
        """(R,) 1.0 where the minimiser is the second policy, on R datasets of n labels."""
        world = learner.world(self.bias, self.cost)
        each = [*world.cell_prob, 1 - world.cell_prob.sum()]
        counts = rng.multinomial(self.n_pairs, each, size=runs)[:, :-1]
        win = (1 + self.reports.mean(world.means[0])) / 2
        wins = rng.binomial(counts, np.clip(win, 0, 1))
        chosen = learner.choose(counts, wins, world.means, self.cost)
        return on_arrays(self.estimate, chosen, np.zeros(1))


def gap(case: AdaptivityCase, method: Method[Learner], rng: np.random.Generator, replicates: int):
    """(R,) J(π*) − J(π̂)."""
    world = method.run.world(case.bias, case.cost)
    first, second = method.run.gaps(case.error(world), world)
    chosen = case.choices(method.run, rng, replicates)
    return first + chosen * (second - first)


def over_stated(case: AdaptivityCase, method: Method, rng: np.random.Generator, replicates: int):
    """(R,) the same over √C·(c·√(log(|Π|/δ)/n) + ζα), the rate of Theorem 5.2."""
    error = case.error(method.run.world(case.bias, case.cost))
    stated = math.sqrt(error.coverage) * (error.noise + error.bias)
    return gap(case, method, rng, replicates) / stated


def kl_weights(noise: float) -> np.ndarray:
    """(B,) β from c/√n to 1, four a factor of 2."""
    return np.geomspace(noise, 1, round(4 * math.log2(1 / noise)))


@lru_cache(maxsize=64)
def penalty_gap(noise: float) -> np.ndarray:
    """(B,) largest gap of π*_β itself on two responses, π_ref = ½, Δ up to 1: what β costs."""
    kl_weight = kl_weights(noise)
    differences = np.geomspace(0.2, 20, 200)[:, None] * kl_weight
    inside = np.minimum(differences, 1.0)
    return (inside * two_arm_wrong_prob(np.array(0.5), inside / kl_weight)).max(axis=0)


@lru_cache(maxsize=4096)
def _given_to_bad(world: RareBadArm, noise: float) -> np.ndarray:
    """(2, B) what both policies give to the bad response."""
    return np.array([world.policy(kl_weights(noise), r)[:, 2] for r in world.rewards])


def prices(case: AdaptivityCase, learner: Learner, rng: np.random.Generator, runs: int):
    """(A, B) mean gap over c/√n + ζα, by α and β; the first α is the least (0 unless given).

    α runs over the range of the case, up to ζα = ¼; β over four values a factor of 2.
    """
    noise = case.cost / math.sqrt(case.n_pairs)
    least = case.least_corruption * case.reach
    most = case.bias or LARGEST_BIAS
    found = [penalty_gap(noise) / (noise + least)]
    for bias in np.geomspace(max(least, SMALLEST_BIAS * noise), most, ALPHAS):
        at = replace(case, corruption=bias / case.reach)
        world = learner.world(bias, case.cost)
        share = at.choices(learner, rng, runs).mean()
        first, second = _given_to_bad(world, noise)
        mean = first + share * (second - first)
        found.append(np.maximum(mean, penalty_gap(noise)) / (noise + bias))
    return np.array(found)


def price(case: AdaptivityCase, rng: np.random.Generator, replicates: int) -> Values:
    """What each rule makes of one table of prices."""
    table = prices(case, case.learner, rng, replicates)
    return {m.name: float(m.run(table)) for m in case.methods}


GAP = Measure("suboptimality [reward]", per_method(gap), Evidence.MEASURED)
OVER_STATED = Measure("suboptimality / √C·(c·√(log(|Π|/δ)/n) + ζα)", per_method(over_stated),
                      Evidence.MEASURED)  # fmt: skip
PRICE = Measure("worst suboptimality / (c/√n + ζα), best β", price, Evidence.MEASURED)
