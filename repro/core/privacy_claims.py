"""Claims about privacy: an algorithm makes a mechanism of a world, and the world says what is
claimed.

A mechanism is two neighbouring inputs and what is released of each
(``repro.labels.privacy.mechanism``).
A world that is held to such a claim has ``claimed``, a ``Guarantee``; one that is audited from
outside has ``runs``, the number of runs behind each replicate.  Worlds are equal by their fields
and hashable, so that a mechanism is built once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from repro.core.check import Algorithm, SweptCheck
from repro.core.claims import refuse_wrong_order
from repro.core.privacy_check import Exact, PrivacyCheck
from repro.core.stream import stream
from repro.labels.privacy.black_box import choose_attack
from repro.labels.privacy.mechanism import Guarantee, Mechanism

PILOT = 200_000
"""Runs a side on which the attacker chooses what to count."""
ANY_DATA: Mapping[str, str] = {
    "labels": "a claim about every pair of datasets: no label is drawn",
    "estimate": "a claim about every pair of datasets: there is no truth",
    "algorithm": "the opposite of a release is as private as the release",
}
"""Why a claim about privacy notices no change of labels, truth or sign (``Check.blind``)."""


class Claiming(Protocol):
    """A world of which privacy is claimed."""

    @property
    def claimed(self) -> Guarantee:
        """(ε, δ); δ = 0 where the claim is pure."""
        ...


@lru_cache(maxsize=4096)
def released(algorithm: Algorithm, world: Any) -> Mechanism:
    """What an algorithm releases on the neighbours of a world, built once a process."""
    return algorithm(world)


def exact_delta(world: Claiming, algorithm: Algorithm, rng: Any, replicates: int) -> float:
    """Exact δ at the claimed ε over the claimed δ; of pure claims exact ε over the claimed ε."""
    mechanism, claimed = released(algorithm, world), world.claimed
    if claimed.dp_delta == 0:
        return mechanism.exact_epsilon(0.0) / claimed.epsilon
    return mechanism.exact_delta(claimed.epsilon) / claimed.dp_delta


def exact_epsilon(world: Claiming, algorithm: Algorithm, rng: Any, replicates: int) -> float:
    """Exact ε at the claimed δ over the claimed ε; infinite, so no number, without any noise.

    Above 1 where exact δ at the claimed ε is above the claimed δ, and in the unit that a reader
    of a privacy claim thinks in.
    """
    return _exact_epsilon(algorithm, world)


@lru_cache(maxsize=1024)
def _exact_epsilon(algorithm: Algorithm, world: Claiming) -> float:
    claimed = world.claimed
    return released(algorithm, world).exact_epsilon(claimed.dp_delta) / claimed.epsilon


def audit_shares(
    world: Any, algorithm: Algorithm, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) shares of ``world.runs`` runs in the set that the attack counts, the inputs in turn."""
    mechanism, attack = released(algorithm, world), examined(algorithm, world).attack
    shares = np.empty(replicates)
    for side in (0, 1):
        count = len(shares[side::2])
        scores = mechanism.scores(rng, bool(side), count * world.runs)
        inside = attack.sign * scores >= attack.cut
        shares[side::2] = inside.reshape(count, world.runs).mean(axis=1)
    return shares


@lru_cache(maxsize=1024)
def examined(algorithm: Algorithm, world: Claiming) -> Exact:
    """Exact numbers, and the attack found on pilot runs of a fixed stream of their own."""
    mechanism, claimed = released(algorithm, world), world.claimed
    pilot = [mechanism.scores(stream(0, "pilot", side), bool(side), PILOT) for side in (0, 1)]
    return Exact(
        mechanism.exact_epsilon(claimed.dp_delta),
        mechanism.exact_delta(claimed.epsilon),
        choose_attack(pilot[0], pilot[1], claimed.dp_delta),
    )


@dataclass(frozen=True)
class Private:
    """The algorithm has the guarantee that the worlds claim, one and the same on the whole grid.

    Attributes:
        words: the claim.
        tolerance: relative slack of the exact ε, for rounding.
    """

    words: str
    tolerance: float = 1e-6
    fewest = 1

    def __post_init__(self) -> None:
        refuse_wrong_order(self)

    def said(self, axis: str) -> str:
        return self.words

    def check(self, common: Mapping[str, Any], trial: SweptCheck) -> PrivacyCheck:
        """Exact numbers of what is measured, an ablation included.

        Raises:
            ValueError: worlds that claim different guarantees.
        """
        stated = {world.claimed for world in trial.sweep.worlds}
        if len(stated) != 1:
            raise ValueError("a privacy check holds one claim over its whole grid")
        (claimed,) = stated
        exact = {
            algorithm.__name__: tuple(examined(algorithm, world) for world in trial.measured)
            for algorithm in trial.algorithms
        }
        return PrivacyCheck(
            **common,
            claimed_epsilon=claimed.epsilon,
            dp_delta=claimed.dp_delta,
            tolerance=self.tolerance,
            runs=trial.sweep.worlds[0].runs,
            exact=exact,
        )
