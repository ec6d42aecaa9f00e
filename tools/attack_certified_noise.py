"""Exact δ(ε) of random and optimised neighbours under the certified noise, for either adjacency.

Of each mechanism, adjacency and d: TRIED pairs of neighbouring datasets.  Most are random: LB, ε,
δ, n, where the common records lie, how they are labelled, and the record that differs.  The others
are the starts of the search at ε = 1, δ = 1e-6 and several LB, and all that local searches from the
best of them look at.  Printed are how many were tried, the largest δ(ε) over the δ that is claimed,
and the same of the best starts with 1/1.1 of the noise: the least over LB, so that above 1 all are
caught.

θ̃: objective perturbation (Lemma A.10's release) on a ball, by nested quadrature.  Reward: the
estimate of ``repro.private_reward`` without its output noise, which only hides more.  Σ̃, output
perturbation and (θ̃, Σ̃) as n → ∞ are Gaussian shifts, exact in
closed form; (θ̃, Σ̃) at finite n by quadrature over the noise of Σ̃ as well.

    python -m tools.attack_certified_noise            # some minutes
    python -m tools.attack_certified_noise 20         # so many neighbours of each
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from repro.labels.privacy.adjacency import ADD_REMOVE, ADJACENCIES, REPLACE, Adjacency
from repro.labels.privacy.gaussian import exact_shift, gaussian_delta
from repro.p3.objective_perturbation.calibration import Calibration, corrected
from repro.p3.objective_perturbation.divergence import worst_log_delta
from repro.p3.objective_perturbation.gradients import LONGEST, Records, pairs_under
from repro.p3.objective_perturbation.joint_release import jointly_certified
from repro.p3.objective_perturbation.neighbour_search import (
    TwoDatasets,
    World,
    climbed,
    guesses,
    mirrored,
)
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.planar_divergence import COARSE
from repro.p3.objective_perturbation.with_covariance import OnBallWithGaussian, squares_apart
from repro.p3.private_estimates.output_perturbation import (
    OutputPerturbation,
    output_perturbation,
    worst_angle,
)
from repro.release.reward.calibration import RewardBudget, calibrated

TRIED, STEPS, SHORT, LARGE, EVEN = 200, 15, 1.1, 100_000, 0.5
"""EVEN: share of the squared shift that Σ̃ has where both are certified together."""
BOUNDS = (0.5, 1.0, 3.0, 5.0)
"""LB of the starts of the search."""
DIMENSIONS = (1, 2, 3)
NOTHING = 1e-9
"""Shift of Σ̃ below which it tells nothing."""


@dataclass(frozen=True)
class Setting:
    """What is claimed of two datasets of n records in d dimensions.

    Attributes:
        epsilon, delta: the claim.
        bound: LB.
        n_pairs: n.
        dimension: d.
        adjacency: what neighbours are.
    """

    epsilon: float
    delta: float
    bound: float
    n_pairs: int
    dimension: int
    adjacency: Adjacency

    @property
    def records(self) -> Records:
        """What one record can do."""
        return pairs_under(self.adjacency, self.bound, self.dimension)

    @property
    def world(self) -> World:
        """Where neighbours are sought."""
        return World(self.n_pairs, self.bound, self.dimension, self.adjacency)


Share = Callable[[Setting, TwoDatasets, float], float]
"""(setting, two datasets, factor) → δ(ε) over the claim with 1/factor of the noise."""


def random_setting(rng: np.random.Generator, dimension: int, adjacency: Adjacency) -> Setting:
    """ε from .1 to 3, δ from 1e-9 to 1e-3, LB from .25 to 5 and n from 2 to 1e5, log-uniform."""
    epsilon, delta, bound, n_pairs = np.exp(
        rng.uniform(np.log([0.1, 1e-9, 0.25, 2]), np.log([3, 1e-3, 5, 1e5]))
    )
    return Setting(float(epsilon), float(delta), float(bound), int(n_pairs), dimension, adjacency)


def random_datasets(rng: np.random.Generator, at: Setting) -> TwoDatasets:
    """Any shares, lengths and labels; the last record is long in half of the cases."""
    d = at.dimension
    norms = rng.uniform(-1 if d == 1 else 0, 1, 2)
    if rng.random() < 0.5:
        norms = np.sign(norms)
    return TwoDatasets(
        tuple(rng.dirichlet(np.ones(d))), tuple(LONGEST * rng.random(d)), tuple(rng.random(d)),
        tuple(norms), tuple(rng.uniform(0, math.pi, 2)),
    )  # fmt: skip


# Mechanisms --------------------------------------------------------------------------------------


def certified(at: Setting) -> Calibration:
    """σ and A of θ̃ alone."""
    return corrected(at.epsilon, at.delta, at.records)


def of_reward(at: Setting) -> Calibration:
    """σ and A of a released reward."""
    given = RewardBudget(at.epsilon, at.delta, at.bound, at.dimension, at.adjacency)
    noise = calibrated(given)
    return Calibration(noise.sigma, noise.ridge)


def estimate(at: Setting, found: TwoDatasets, factor: float) -> float:
    """θ̃."""
    return _by_quadrature(at, found, certified(at).weakened(factor))


def reward(at: Setting, found: TwoDatasets, factor: float) -> float:
    """θ̂ of a released reward; where pairs come or go, a changed label is covered, too."""
    noise = of_reward(at).weakened(factor)
    share = _by_quadrature(at, found, noise)
    if at.adjacency == REPLACE:
        return share
    angle = found.angles[0]
    flipped = replace(found, norms=(1.0, -1.0), angles=(angle, -angle))
    return max(share, _by_quadrature(replace(at, adjacency=REPLACE), flipped, noise))


def _by_quadrature(at: Setting, found: TwoDatasets, made: Calibration) -> float:
    log = worst_log_delta(*found.datasets(at.world, made), at.epsilon, COARSE)
    return math.exp(log) / at.delta


def covariance(at: Setting, found: TwoDatasets, factor: float) -> float:
    """Σ̃."""
    shift = factor * exact_shift(at.epsilon, at.delta)
    return _gaussian(at, shift * _moved(at, found))


def output(at: Setting, found: TwoDatasets, factor: float) -> float:
    """Output perturbation on a ridge √n."""
    given = at.epsilon, at.delta, at.records
    made: OutputPerturbation = output_perturbation(*given, math.sqrt(at.n_pairs)).weakened(factor)
    ends = found.datasets(at.world, Calibration(1.0, made.ridge))
    zero = np.zeros((1, at.dimension))
    one, other = (side.solve(zero)[0] for side in ends)
    return _gaussian(at, float(np.linalg.norm(one - other)) / made.std)


def both_in_the_limit(at: Setting, found: TwoDatasets, factor: float) -> float:
    """(θ̃, Σ̃) certified together, as n → ∞: θ̂ is held somewhere on −e₁, and both shift."""
    made, shift = jointly_certified(at.epsilon, at.delta, at.records, EVEN)
    theta = np.zeros((1, at.dimension))
    theta[0, 0] = -at.bound * (1 - found.wins[0])
    one, other = (
        sum((record.gradient(theta)[0] for record in last), np.zeros(at.dimension))
        for last in found.last(at.world)
    )
    force = float(np.linalg.norm(one - other)) / made.sigma
    along = shift * _moved(at, found)
    return _gaussian(at, factor * math.hypot(force, along))


def both(at: Setting, found: TwoDatasets, factor: float) -> float:
    """(θ̃, Σ̃) certified together, at finite n."""
    made, shift = jointly_certified(at.epsilon, at.delta, at.records, EVEN)
    alone = OnBallNeighbours(*found.datasets(at.world, made.weakened(factor)))
    along = factor * shift * _moved(at, found)
    if along < NOTHING:
        return math.exp(worst_log_delta(alone.one, alone.other, at.epsilon, COARSE)) / at.delta
    return OnBallWithGaussian(alone, along).exact_delta(at.epsilon) / at.delta


def _moved(at: Setting, found: TwoDatasets) -> float:
    """What the records that differ move Σ_D by, over the most that any can."""
    return found.squares_apart(at.world) / squares_apart(at.adjacency, at.dimension)


def _gaussian(at: Setting, shift: float) -> float:
    return float(gaussian_delta(shift, at.epsilon)) / at.delta if shift else 0.0


MECHANISMS: dict[str, tuple[Share, tuple[Adjacency, ...], tuple[int, ...]]] = {
    "θ̃": (estimate, ADJACENCIES, DIMENSIONS),
    "reward": (reward, ADJACENCIES, DIMENSIONS),
    "Σ̃": (covariance, ADJACENCIES, DIMENSIONS),
    "(θ̃, Σ̃), finite n": (both, ADJACENCIES, DIMENSIONS),
    "(θ̃, Σ̃), n → ∞": (both_in_the_limit, ADJACENCIES, DIMENSIONS),
    "output perturbation": (output, ADJACENCIES, DIMENSIONS),
}
"""Each with the adjacencies that it is calibrated for, and the d in which δ(ε) is computed."""

# The attack --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attacked:
    """What came of it.

    Attributes:
        tried: pairs of neighbours.
        largest: δ(ε) over the claim.
        short: of the best start with less noise, the least over LB.
    """

    tried: int
    largest: float
    short: float


def starts(at: Setting) -> list[TwoDatasets]:
    """Those of the search; records mirrored at other angles, orthogonal ones among them, and among
    ties, where nothing but a ridge √n holds θ̂ across."""
    d = at.dimension
    begun = guesses(at.world, certified(at), at.epsilon)
    begun.append(among_ties(at))
    if d > 1 and at.adjacency == REPLACE:
        for angle in np.linspace(math.pi / 8, math.pi / 2, 4):
            begun.append(mirrored(at.world, float(angle)))
    return begun


def among_ties(at: Setting) -> TwoDatasets:
    """A flipped label among ties in d = 1; elsewhere a record that is mirrored, or added along e₁.

    All others pull θ̂ to the sphere; each is short, so that together they curve little.
    """
    d, length = at.dimension, np.full(at.dimension, 1e-9)
    share, wins = np.eye(d)[0], (0.0, *[0.5] * (d - 1))
    norms, angle = (1.0, 1.0), worst_angle(at.bound)
    if at.adjacency == ADD_REMOVE:
        norms, angle = (1.0, 0.0), 0.0
    elif d == 1:
        return TwoDatasets((1.0,), tuple(length), (0.5,), (1.0, -1.0), (0.0, 0.0))
    length[0] = min(2 * at.bound / math.sqrt(at.n_pairs), LONGEST)
    return TwoDatasets(tuple(share), tuple(length), wins, norms, (angle, angle))


def attacked(name: str, adjacency: Adjacency, dimension: int, tried: int = TRIED) -> Attacked:
    """``tried`` pairs of neighbours of one mechanism."""
    share = MECHANISMS[name][0]
    found, short = [], []
    for bound in BOUNDS:
        at = Setting(1.0, 1e-6, bound, LARGE, dimension, adjacency)
        begun = starts(at)
        shares = [share(at, one, 1.0) for one in begun]
        best = begun[int(np.argmax(shares))]
        short.append(max(share(at, one, SHORT) for one in begun))
        ends = _climbing(at, share, best, min(STEPS, tried // 10))
        found += [*shares, *ends]
    rng = np.random.default_rng(dimension)
    while len(found) < tried:
        at = random_setting(rng, dimension, adjacency)
        found.append(share(at, random_datasets(rng, at), 1.0))
    return Attacked(len(found), max(found), min(short))


def _climbing(at: Setting, share: Share, begin: TwoDatasets, steps: int) -> list[float]:
    """Shares of all that a local search looks at."""
    seen: list[float] = []

    def log_share(found: TwoDatasets) -> float:
        seen.append(share(at, found, 1.0))
        return math.log(max(seen[-1], 1e-300))

    climbed(log_share, begin, steps)
    return seen


def row(name: str, adjacency: Adjacency, dimension: int, tried: int = TRIED) -> str:
    """One line of the table."""
    found = attacked(name, adjacency, dimension, tried)
    verdict = "above" if found.short > 1 else "below"
    return (
        f"| {name} | {adjacency} | {dimension} | {found.tried} | {found.largest:.2g} | "
        f"{found.short:.2g}, {verdict} |"
    )


def table(tried: int = TRIED) -> Iterator[str]:
    """Line by line, as it takes minutes."""
    yield "| mechanism | adjacency | d | neighbours | largest δ(ε)/δ | with noise/1.1 |"
    yield "|---" * 6 + "|"
    for name, (_, adjacencies, dimensions) in MECHANISMS.items():
        for adjacency in adjacencies:
            for dimension in dimensions:
                yield row(name, adjacency, dimension, tried)


if __name__ == "__main__":
    for line in table(*map(int, sys.argv[1:])):
        print(line, flush=True)
