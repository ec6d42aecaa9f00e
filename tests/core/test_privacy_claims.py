"""Claims about privacy: what is computed of a mechanism, and one claim on a whole grid."""

from dataclasses import dataclass

import numpy as np
import pytest

from repro.core.check import Check, Quantity, SweptCheck
from repro.core.privacy_claims import Private, audit_shares, exact_delta, exact_epsilon
from repro.core.worlds import Sweep
from repro.labels.privacy.mechanism import Guarantee, Mechanism


@dataclass(frozen=True)
class Leaking(Mechanism):
    """Tells which input it had with probability δ, and nothing else: (0, δ)-private."""

    leak: float

    def exact_delta(self, epsilon):
        return self.leak

    def scores(self, rng, neighbour, count):
        return neighbour * (rng.random(count) < self.leak).astype(float)


@dataclass(frozen=True, kw_only=True)
class LeakingWorld:
    """A release that is claimed to leak with probability δ.

    Attributes:
        epsilon, dp_delta: of the claim.
        runs: behind each replicate.
    """

    epsilon: float = 1.0
    dp_delta: float = 0.1
    runs: int = 10

    @property
    def claimed(self):
        return Guarantee(self.epsilon, self.dp_delta)


def as_claimed(world: LeakingWorld) -> Mechanism:
    return Leaking(world.dp_delta)


def twice(world: LeakingWorld) -> Mechanism:
    """Wrong: twice the leak."""
    return Leaking(2 * world.dp_delta)


def mostly(world: LeakingWorld) -> Mechanism:
    """Wrong: tells the input nine times of ten."""
    return Leaking(0.9)


def claim_of(grid, axis="epsilon", **stages):
    check = Check(
        name="leak", axis=axis, claim=Private("it leaks no more"),
        quantity=Quantity("exact ε at δ", audit_shares), right=as_claimed, wrong=[twice],
    )  # fmt: skip
    swept = SweptCheck(check, Sweep.of(LeakingWorld(), axis, grid))
    common = {"name": "leak", "axis": axis, "grid": tuple(grid), "quantity": "ε",
              "method": "as_claimed", "controls": ("twice",)}  # fmt: skip
    return check.claim.check(common, swept.instead(**stages))


def test_exact_numbers_are_over_the_claim():
    world, rng = LeakingWorld(), np.random.default_rng(0)
    assert exact_delta(world, as_claimed, rng, 1) == 1
    assert exact_delta(world, twice, rng, 1) == 2
    assert exact_epsilon(world, as_claimed, rng, 1) == 0
    assert exact_epsilon(world, twice, rng, 1) == np.inf


def test_a_pure_claim_is_held_to_its_epsilon():
    pure = LeakingWorld(dp_delta=0.0)
    assert exact_delta(pure, lambda world: Leaking(0.1), None, 1) == np.inf
    assert exact_delta(pure, as_claimed, None, 1) == 0


def test_shares_of_the_two_inputs_come_in_turn():
    shares = audit_shares(LeakingWorld(runs=1000), mostly, np.random.default_rng(0), 5)
    like_the_first = abs(shares - shares[0]) < 0.2
    assert like_the_first.tolist() == [True, False, True, False, True]


def test_what_is_known_of_every_algorithm_goes_into_the_check():
    found = claim_of([0.5])
    assert (found.claimed_epsilon, found.dp_delta, found.runs) == (0.5, 0.1, 10)
    assert [one.dp_delta for one in (*found.exact["as_claimed"], *found.exact["twice"])] == [
        0.1, 0.2,
    ]  # fmt: skip
    assert [one.epsilon for one in (*found.exact["as_claimed"], *found.exact["twice"])] == [
        0, np.inf,
    ]  # fmt: skip


def test_an_ablation_is_examined_as_it_is_measured_against_the_stated_claim():
    leaking = claim_of([0.5], dp_delta=0.3)
    assert leaking.dp_delta == 0.1
    assert [exact.dp_delta for exact in leaking.exact["as_claimed"]] == [0.3]


def test_two_claims_on_one_grid_are_refused():
    with pytest.raises(ValueError, match="one claim"):
        claim_of([0.5, 1.0])
