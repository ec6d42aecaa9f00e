"""Exact floors of cases that methods change: what has the same fields is worked out once."""

from __future__ import annotations

import math

import numpy as np

from repro.corruption.orders import Order
from repro.families.robust.adversaries import STRONG
from repro.families.robust.measures import SeparationCase, alike, changed, ratio_of_orders
from repro.families.robust.worlds_pairs import isotropic_cells
from repro.families.robust.wrong import as_it_is, no_debias, orders_swapped
from repro.study.row import Method

RDPO = Method("rdpo", as_it_is)


def separation() -> SeparationCase:
    return SeparationCase(
        methods=(RDPO, orders_swapped, no_debias), world=isotropic_cells(2, 0.3, 2.0),
        epsilon=math.log(2.0), corruption=1e-4, adversary=STRONG, order=Order.LTC,
        against=Order.CTL, margins=(0.1, 1.0),
    )  # fmt: skip


def test_with_the_orders_swapped_no_floor_is_found_twice():
    asked = []

    def floor(case, rng, replicates):
        asked.append((case.order, case.reading))
        return 3.0 if case.order is Order.LTC else 1.0

    case = separation()
    measure = ratio_of_orders("ratio", floor)
    found = measure.of(case, np.random.default_rng(0), 1)
    assert {name: float(one) for name, one in found.items()} == {
        "rdpo": 3.0, "orders_swapped": 1 / 3, "no_debias": 3.0,
    }  # fmt: skip
    assert len(asked) == len(set(asked)) == 4


def test_cases_of_other_fields_or_of_another_run_are_kept_apart():
    one, other = separation(), separation()
    twice = changed(one, orders_swapped), orders_swapped.run(one)
    assert twice[0] is not twice[1]
    assert alike(one, twice[0]) is alike(one, twice[1])
    assert alike(one, twice[0]) is not alike(other, orders_swapped.run(other))
    assert alike(one, changed(one, no_debias)) is not alike(one, changed(one, RDPO))
