"""What a grid point of P2's online experiments plays, and when its supremum counts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from repro.base.notation import privacy_cost
from repro.base.schema import validate
from repro.corruption.label_mean import WorseResponse
from repro.corruption.orders import Order
from repro.families.xpo import quantities
from repro.families.xpo.cases import Ladder, Rung, Supremum, XpoCase, XpoExperiment, XpoProbes
from repro.families.xpo.quantities import WORST_GAP, worst_gaps
from repro.families.xpo.wrong import naive_likelihood, priv_xpo
from repro.study.claims import Ratio
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.row import Row

INTERIOR = Supremum(interior=True)
LADDER = {"low": 0.01, "high": 0.5, "rungs": 5}


def experiment(over="horizon", given=INTERIOR, **probe) -> XpoExperiment:
    class Play(XpoExperiment):
        slug = "toy"
        rows = (Row("c", over, Ratio("a claim"), WORST_GAP, priv_xpo, (naive_likelihood,),
                    on="needles", given=given),)  # fmt: skip

    probe = {"grid": (64.0, 128.0), "ladder": LADDER, "corruption": 0.1} | probe
    values = {"name": "toy", "probes": {"c": probe}, "grid_ratio": 1.5}
    setting = Setting(Overrides(), {"kind": "linear"}, "cpu", Path("unused"))
    return Play(validate(XpoProbes, values), setting)


def first_case(*args, **kwargs) -> XpoCase:
    return experiment(*args, **kwargs).trials[0].cases[0]


def test_a_ladder_goes_up_in_equal_ratios():
    found = validate(Ladder, LADDER).values()
    assert found.shape == (5,)
    assert found[[0, -1]] == pytest.approx([0.01, 0.5])
    assert np.ptp(np.diff(np.log(found))) == pytest.approx(0, abs=1e-12)


def test_what_a_point_of_a_sweep_plays():
    plain = first_case(epsilon=0.5)
    assert (plain.horizon, plain.epsilon, plain.num_actions) == (64, 0.5, 2)
    assert (plain.adversary, plain.order, plain.interior) == (WorseResponse(0.1), Order.CTL, True)
    later = first_case(
        "corruption", Supremum(interior=False, order=Order.LTC),
        epsilon=0.5, horizon=9, grid=(0.2, 0.3),
    )  # fmt: skip
    assert (later.horizon, later.adversary, later.order) == (9, WorseResponse(0.2), Order.LTC)
    assert not later.interior
    wide = first_case("num_actions", epsilon=0.5, horizon=9, grid=(8.0, 9.0))
    assert (wide.num_actions, wide.adversary) == (8, WorseResponse(0.1))
    costly = first_case("privacy_cost", horizon=9, grid=(2.0, 3.0))
    assert privacy_cost(costly.epsilon) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("rung", "interior", "kept"),
    [(2, True, True), (0, True, False), (4, True, False), (3, True, True), (1, True, True),
     (0, False, True), (4, False, True)],
)  # fmt: skip
def test_a_supremum_at_the_end_of_its_ladder_is_missing(monkeypatch, rung, interior, kept):
    """It may lie beyond the end; controls and bounds need no more than what the ladder finds."""
    monkeypatch.setattr(
        quantities, "ladder_gaps", lambda case, updates, rng, n: [(np.full(n, 3.0), rung)] * 2
    )
    case = replace(first_case(epsilon=1.0), interior=interior)
    found = worst_gaps(case, np.random.default_rng(0), 7)
    assert np.isfinite(found["priv_xpo"]).all() == kept
    assert found["priv_xpo"].shape == (7,)
    assert found["naive_likelihood"].tolist() == [3.0] * 7


def test_what_the_ladder_assumes_is_said():
    (found,) = experiment(epsilon=1.0).assumptions()
    assert (found.name, found.holds) == ("c: realizable, bounded", True)
    assert found.detail.endswith("implicit rewards ≤ 1.5, rewards ≤ 0.5")


@pytest.mark.parametrize("actions", [4, 8, 32, 1024])
def test_what_a_wrong_needle_costs_hardly_grows_with_the_number_of_responses(actions):
    """Why the exponent in A hides until this share of Δ is reached: ``private_xpo``."""
    played = XpoCase(methods=(), epsilon=1.0, horizon=100, ladder=Rung(0.1), interior=False,
                     grid_ratio=1.5, num_actions=actions)  # fmt: skip
    policies = played.policies()
    costs = policies.divergence() / policies.optimal_tilt
    same_tilt = float(costs[1, policies.tilts == policies.optimal_tilt])
    assert 0.84 < same_tilt < 1 / (1 + math.exp(-2))
    assert float(costs.max()) < 1
