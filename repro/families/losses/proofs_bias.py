"""Proof by intervals of the bias in P2's Lemma B.2, and a counterexample to a wrong version."""

from __future__ import annotations

from functools import partial

from repro.study.proofs import Box, Claimed, Interval, iv
from repro.study.row import Method

MEANS: Box = ((-1.0, 1.0), (-1.0, 1.0), (1e-6, 1.0))
"""h* and the mean b of the labels put in, both in [−1, 1], and 1/c from 0 (excluded) to 1."""


def _bias(corruption: float, free_of_cost: bool = False) -> Claimed:
    """|E[c·z] − h*| over 2α under CTL and over (c+1)α under LTC, the larger; α cancels.

    E[c·z] − h* is α(b − h*) under CTL and α(cb − h*) under LTC.  Over its bound each is 1 less a
    number that is not negative, whatever its sign: with s = 1/c,
    1 ∓ (b − sh)/(1+s) = ((1 ∓ b) + s(1 ± h))/(1+s).

    Args:
        corruption: α.
        free_of_cost: wrong: 2α under LTC as well.
    """

    def ratio(h: Interval, b: Interval, s: Interval) -> Interval:
        short = [((1 - sign * b) + (1 + sign * h)) / 2 for sign in (1, -1)]
        if free_of_cost:
            found = [1 - one for one in short] + [abs(b - s * h) / (2 * s)]
        else:
            short += [((1 - sign * b) + s * (1 + sign * h)) / (1 + s) for sign in (1, -1)]
            found = [1 - one for one in short]
        return iv.mpf([max(one.a for one in found), max(one.b for one in found)])

    return Claimed(MEANS, ratio)


both_sides = Method("both_sides", _bias)
reach_one_under_ltc = Method("reach_one_under_ltc", partial(_bias, free_of_cost=True))
