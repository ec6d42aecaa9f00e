"""An algorithm returns a number for each replicate, or one; else its name and shape are said."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

from repro.base.errors import BrokenTheorem
from repro.base.schema import Pairs
from repro.core.check import Check, Quantity, SweptCheck
from repro.core.claims import Ratio
from repro.core.worlds import Sweep

REPLICATES = 8
ALLOWED = "allowed: shape (8,), a number a replicate; or one number"


@dataclass(frozen=True, kw_only=True)
class Tosses:
    n_pairs: Pairs = 1


def measured(returned, draws=True, **given):
    def kary(world, rng, replicates):
        if draws:
            rng.random()
        return returned

    check = Check(name="risk", axis="n_pairs", claim=Ratio("one"), right=kary,
                  quantity=Quantity("risk", over=lambda world: 2.0, **given))  # fmt: skip
    swept = SweptCheck(check, Sweep.of(Tosses(), "n_pairs", (1, 2)))
    return swept.blocks_and_draws("tosses", 0, range(1), REPLICATES)[0]


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (np.ones(REPLICATES - 1), "numbers of shape (7,)"),
        (np.ones((REPLICATES, 1)), "numbers of shape (8, 1)"),
        (None, "None"),
    ],
)
def test_another_shape_is_named_with_its_check_and_function(returned, value):
    with pytest.raises(BrokenTheorem) as broken:
        measured(returned)
    assert str(broken.value) == f"risk: kary gives {value}; {ALLOWED}"


@pytest.mark.parametrize("returned", [3.0, np.full(1, 3.0), np.full(REPLICATES, 3.0)])
def test_one_number_stands_for_all_replicates_where_nothing_is_drawn(returned):
    values = np.full((2, 1, 1, REPLICATES), 1.5)
    assert np.array_equal(measured(returned, draws=False), values)
    assert np.array_equal(measured(returned, stream_per_block=True), values)


@pytest.mark.parametrize("returned", [3.0, np.full(1, 3.0)])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"drawn": lambda world, rng, _: rng.random(), "of": lambda world, kary, data, _: data},
        {"together": lambda worlds, algorithms, rngs, _: [[rng.random()] for rng in rngs]},
    ],
    ids=["alone", "drawn", "together"],
)
def test_one_number_of_many_draws_is_refused_with_its_line(returned, given):
    """Its interval would have no width."""
    with pytest.raises(BrokenTheorem) as broken:
        measured(returned, **given)
    line = r"risk: kary \(core/test_returned_values.py:\d+\) draws from rng and gives one number "
    wanted = r"for 8 replicates; allowed: shape \(8,\), a number a replicate"
    assert re.fullmatch(line + wanted, str(broken.value))


def test_words_are_no_numbers():
    with pytest.raises(BrokenTheorem, match="risk: kary gives a list that is no array of numbers"):
        measured(["a"] * REPLICATES)
