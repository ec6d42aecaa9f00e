"""P1 Lemmas A.7, B.2 and C.5: how the gap of a Gibbs policy follows from its reward's error.

Statements (arXiv 2510.13512), for the Gibbs policy π_g of a reward g and β = 1/kl_weight:

    A.7   J(π_r) = J(π_{r−b}) for every bias b(s);
    B.2   g ≤ r* everywhere:  J(π*) − J(π_g) ≤ β·E_{π*}[(g − r*)²];
    C.5   g ≥ r* everywhere:  J(π*) − J(π_g) ≤ β·E_{π_g}[(g − r*)²].

Testable exactly, instance by instance: a row reports the largest left side over right side.  For
small errors the gap is β/2·Var(g − r*), so the ratio nears ½ where a small error sits on a rarely
drawn response; the printed constant 1 is twice what is seen.

The controls drop what the lemma needs: the sign is reversed, or the bias depends on the response.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from repro.families.offline_kl.quantities_objective import (
    RewardPairs,
    gap_over_squared_error,
    objective_of_reward,
    random_reward_pairs,
)
from repro.study.case import Point, PointCase
from repro.study.claims import Inequality
from repro.study.experiment import Experiment
from repro.study.row import Evidence, Measure, Need, Row, Values, method

ROUNDING = 1e-10
"""Rounding allowed in the equality of A.7, relative to rewards of size 2."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SignedCase(PointCase):
    """A number of responses, and how much of the bonus is used.

    Attributes:
        bonus: multiple of what gives the error its sign: 1 all of it, 0 none, −1 reversed.
    """

    bonus: float = 1.0


@method
def shifted_by_state(pairs: RewardPairs) -> Tensor:
    """|J(π_r) − J(π_{r−b})| over what rounding allows (A.7)."""
    return _change(pairs, pairs.shift[..., None])


@method
def shifted_by_response(pairs: RewardPairs) -> Tensor:
    """Wrong: the same with a shift that differs between responses."""
    return _change(pairs, pairs.error)


def below(error: Tensor, bonus: float) -> Tensor:
    """An error less the bonus that makes it −|error|: g ≤ r* where the whole bonus is taken off."""
    return error - bonus * (error.abs() + error)


def above(error: Tensor, bonus: float) -> Tensor:
    """Its mirror image, for an optimist: g ≥ r*."""
    return -below(-error, bonus)


@method
def pessimistic(pairs: RewardPairs, bonus: float) -> Tensor:
    """Lemma B.2 with g ≤ r*."""
    return gap_over_squared_error(pairs, below(pairs.error, bonus), under_optimum=True)


@method
def pessimistic_without_sign(pairs: RewardPairs, bonus: float) -> Tensor:
    """Wrong: Lemma B.2 with g ≥ r*."""
    return gap_over_squared_error(pairs, above(pairs.error, bonus), under_optimum=True)


@method
def pessimistic_045(pairs: RewardPairs, bonus: float) -> Tensor:
    """Wrong: Lemma B.2 with 0.45, 10 % less than the ½ that is approached."""
    return pessimistic.run(pairs, bonus) / 0.45


@method
def optimistic(pairs: RewardPairs, bonus: float) -> Tensor:
    """Lemma C.5 with g ≥ r*."""
    return gap_over_squared_error(pairs, above(pairs.error, bonus), under_optimum=False)


@method
def optimistic_without_sign(pairs: RewardPairs, bonus: float) -> Tensor:
    """Wrong: Lemma C.5 with g ≤ r*."""
    return gap_over_squared_error(pairs, below(pairs.error, bonus), under_optimum=False)


@method
def optimistic_045(pairs: RewardPairs, bonus: float) -> Tensor:
    """Wrong: Lemma C.5 with 0.45."""
    return optimistic.run(pairs, bonus) / 0.45


def _change(pairs: RewardPairs, shift: Tensor) -> Tensor:
    before = objective_of_reward(pairs, pairs.reward + pairs.error)
    after = objective_of_reward(pairs, pairs.reward + pairs.error - shift)
    return (before - after).abs() / (ROUNDING * 2.0)


def on_signed_bandits(case: SignedCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) ratios of random instances whose errors have the sign that the bonus gives them."""
    pairs = random_reward_pairs(rng, replicates, int(case.value))
    return {m.name: m.run(pairs, case.bonus).numpy() for m in case.methods}


def on_random_bandits(case: PointCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) ratios of random instances, the same for every method."""
    pairs = random_reward_pairs(rng, replicates, int(case.value))
    return {m.name: m.run(pairs).numpy() for m in case.methods}


CHANGE = Measure("change of J / rounding", on_random_bandits, Evidence.COMPUTED)
SHARE = Measure("gap / (β·E error²)", on_signed_bandits, Evidence.SEARCHED)


class ObjectiveDecomposition(Experiment[SignedCase]):
    """The three lemmas on random bandits of growing size; a bonus brings about the sign."""

    title = "P1 Lemmas A.7, B.2, C.5: objective decomposition"

    rows = (
        Row("state_bias", "num_actions", Inequality("Lemma A.7: a bias b(s) does not change J"),
            CHANGE, shifted_by_state, (shifted_by_response,), settles=("p1.lem_a_7",)),
        Row("pessimistic_gap", "num_actions", Inequality("Lemma B.2: g ≤ r*, error under π*"),
            SHARE, pessimistic, (pessimistic_without_sign, pessimistic_045),
            needs=(Need.PESSIMISM,), settles=("p1.lem_b_2",)),
        Row("optimistic_gap", "num_actions", Inequality("Lemma C.5: g ≥ r*, error under π_g"),
            SHARE, optimistic, (optimistic_without_sign, optimistic_045),
            needs=(Need.OPTIMISM,), settles=("p1.lem_c_5",)),
    )  # fmt: skip

    def case(self, point: Point) -> SignedCase:
        """The number of responses is all that a row sweeps."""
        return SignedCase(methods=point.methods, value=point.value)
