"""Sweeps of the trusted curator, of XPO and of corrupted labels."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import validate
from repro.families.central.sweep import CentralConfig, CentralSweep
from repro.families.robust.adversaries_huber import MAX_CELLS
from repro.families.robust.algorithms_estimation import ADVERSARIES
from repro.families.robust.sweep import require_adversary, require_labels
from repro.families.xpo import sweep as xpo_sweep
from repro.families.xpo.sweep import Ladder, XpoConfig, XpoSweep
from repro.study.checks import InequalityCheck, SlopeCheck
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.legacy import Row

CURATOR = {"dp_delta": 1e-6, "failure_prob": 0.03, "feature_norm": 1.5, "radius": 2.0,
           "ridge_scale": 7.0}  # fmt: skip
CLAIM = {"kind": "inequality", "grid": [1.0], "expected": "supported", "tolerance": 1e-9}
ROW = Row("c", "n_pairs", "built", "m", ("wrong", "blind"), "q", "")


class Fixed:
    rows = (ROW,)

    def assumptions(self):
        return ()

    def measure(self, check, value, rng, replicates):
        return {}


def setting(**overrides):
    return Setting(Overrides(**overrides), {"kind": "linear"}, "cpu", Path("unused"))


class Central(Fixed, CentralSweep):
    pass


def central(epsilon=0.5, **overrides):
    claims = {"built": {"c": CLAIM | {"epsilon": epsilon}}}
    values = {"name": "toy", "claims": claims, "curator": CURATOR}
    return Central(validate(CentralConfig, values), setting(**overrides))


def check(axis, **settings):
    given = {"world": "built", "n_pairs": None, "epsilon": None, "horizon": None} | settings
    return InequalityCheck("c", axis, (1.0, 2.0), "q", "m", settings=given)


def test_the_curator_takes_budgets_up_to_one():
    assert central(1.0).allowed_failure == 0.03
    assert central(None).curator.radius == 2.0
    with pytest.raises(BadInput, match=r"^theorem.claims.built.c.epsilon=1.5: allowed: at most 1"):
        central(1.5)
    given = {"name": "toy", "claims": {}, "curator": CURATOR}
    config = validate(CentralConfig, given)
    assert Central(config, setting(epsilon=1.0)).config is config
    with pytest.raises(BadInput, match=r"^epsilon=1.5: allowed: at most 1 .input of P3"):
        Central(config, setting(epsilon=1.5))


def test_the_curators_errors_depend_on_budget_times_labels():
    config = validate(CentralConfig, {"name": "toy", "claims": {}, "curator": CURATOR})
    claim = validate(CentralConfig, {
        "name": "toy", "curator": CURATOR, "claims": {"built": {"c": CLAIM | {"epsilon": 0.5}}}
    }).claims["built"]["c"]  # fmt: skip
    free = claim.model_copy(update={"epsilon": None})
    assert Central(config, setting(epsilon=0.125)).more_labels(ROW, claim) == 4.0
    assert Central(config, setting()).more_labels(ROW, claim) == 1.0
    assert Central(config, setting(epsilon=0.125)).more_labels(ROW, free) == 1.0
    assert Central(config, setting()).more_labels(ROW, free) == 1.0


def test_the_curators_sizes():
    sweep = central()
    assert sweep.size(check("n_pairs", epsilon=0.25), 40.0) == (40, 0.25)
    assert sweep.size(check("epsilon", n_pairs=9), 0.75) == (9, 0.75)
    assert sweep.size(check("num_features", n_pairs=9, epsilon=0.25), 3.0) == (9, 0.25)


def test_the_curators_budget():
    sweep, fixed = central(), {"n_pairs": 9, "epsilon": 0.25}
    found = sweep.budget(check("num_features", **fixed), 3.0)
    assert vars(found) == {
        "epsilon": 0.25, "log_inverse_delta": pytest.approx(6 * math.log(10)),
        "failure_prob": 0.03, "feature_norm": 1.5, "radius": 2.0, "ridge_scale": 7.0,
    }  # fmt: skip
    assert sweep.budget(check("log_inverse_delta", **fixed), 20.0).log_inverse_delta == 20.0


@pytest.mark.parametrize(
    ("n_pairs", "epsilon", "log_inverse_delta", "holds"),
    [
        (1000, 1.0, 2 * math.log(1000), True),
        (1000, 1.0, 2 * math.log(1000) - 1e-9, False),
        (1000, 1.0000001, 2 * math.log(1000), False),
        (1001, 1.0, 2 * math.log(1000), False),
        (1001, 2.0, 2 * math.log(1000), False),
        (10, 0.5, 2 * math.log(1000), True),
    ],
)
def test_inputs_of_algorithm_1(n_pairs, epsilon, log_inverse_delta, holds):
    swept = check("log_inverse_delta", n_pairs=n_pairs, epsilon=epsilon)
    name, found, detail = central().inputs_of_algorithm_1(swept, log_inverse_delta)
    assert (name, found) == ("ε ≤ 1 and δ ≤ 1/n²", holds)
    assert detail == (
        f"ε {epsilon:.3g}, log δ {-log_inverse_delta:.1f} ≤ {-2 * math.log(n_pairs):.1f}"
    )


class Play(Fixed, XpoSweep):
    instances = ("linear",)


LADDER = {"low": 0.01, "high": 0.5, "rungs": 5, "corruption": 0.1}


def play():
    values = {"name": "toy", "claims": {"built": {"c": CLAIM}}, "grid_ratio": 1.5,
              "ladders": {"c": LADDER}}  # fmt: skip
    return Play(validate(XpoConfig, values), setting())


def test_a_ladder_goes_up_in_equal_ratios():
    found = validate(Ladder, LADDER).values()
    assert found.shape == (5,)
    assert found[[0, -1]] == pytest.approx([0.01, 0.5])
    assert np.ptp(np.diff(np.log(found))) == pytest.approx(0, abs=1e-12)


def test_what_a_point_of_a_sweep_plays():
    sweep = play()
    plain = sweep.problem(check("horizon", epsilon=0.5), 64.0)
    assert vars(plain) == {"horizon": 64, "epsilon": 0.5, "num_actions": 2, "corruption": 0.1,
                           "after_privacy": False}  # fmt: skip
    later = sweep.problem(check("corruption", world="ltc", epsilon=0.5, horizon=9), 0.2)
    assert (later.horizon, later.corruption, later.after_privacy) == (9, 0.2, True)
    wide = sweep.problem(check("num_actions", epsilon=0.5, horizon=9), 8.0)
    assert (wide.num_actions, wide.corruption) == (8, 0.1)
    costly = sweep.problem(check("privacy_cost", horizon=9), 2.0)
    assert privacy_cost(costly.epsilon) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("rung", "expected", "kind", "kept"),
    [
        (2, "supported", "slope", True),
        (0, "supported", "slope", False),
        (4, "supported", "slope", False),
        (3, "supported", "slope", True),
        (1, "supported", "slope", True),
        (0, "contradicted", "slope", True),
        (0, "supported", "inequality", True),
    ],
)
def test_a_slope_on_the_end_of_its_ladder_is_missing(monkeypatch, rung, expected, kind, kept):
    """A supremum at an end may lie beyond it; controls and other claims are only bounds."""
    calls = []

    def gap(problem, method, ladder, ratio, rng, replicates, device):
        calls.append((problem.horizon, method, len(ladder), ratio, replicates, device))
        return np.full(replicates, 3.0), rung

    monkeypatch.setattr(xpo_sweep, "ladder_gap", gap)
    monkeypatch.setattr(xpo_sweep, "METHODS", {"m": "right", "wrong": "mistaken"})
    cls = SlopeCheck if kind == "slope" else InequalityCheck
    asked = cls("c", "horizon", (8.0,), "q", "m", ("wrong",), expected,
                settings={"world": "ctl", "epsilon": 1.0})  # fmt: skip
    found = XpoSweep.measure(play(), asked, 8.0, np.random.default_rng(0), 7)
    assert np.isfinite(found["m"]).all() == kept
    assert found["m"].shape == (7,)
    assert found["wrong"].tolist() == [3.0] * 7
    assert calls == [(8, "right", 5, 1.5, 7, "cpu"), (8, "mistaken", 5, 1.5, 7, "cpu")]


def test_what_the_ladder_assumes_is_said():
    (found,) = XpoSweep.assumptions(play())
    assert (found.name, found.holds) == ("c: realizable, bounded", True)
    assert found.detail.endswith("implicit rewards ≤ 1.5, rewards ≤ 0.5")


class Corrupted:
    """An experiment of one check with n fixed."""

    def checks(self):
        return (check("corruption"),)

    def size(self, asked, value):
        return 10, 0.5


def test_a_corrupted_point_has_a_label_to_corrupt():
    require_labels(Corrupted(), lambda asked, value: 0.1 * value)
    require_labels(Corrupted(), lambda asked, value: None)
    for share in (0.05, 0.5):
        with pytest.raises(BadInput, match="^corruption="):
            require_labels(Corrupted(), lambda asked, value, share=share: share)


def test_adversaries_by_name():
    def unused():
        raise AssertionError("cells are counted where it matters only")

    for name in set(ADVERSARIES) - {"huber"}:
        require_adversary("theorem.adversary", name, unused)
    require_adversary("theorem.adversary", "huber", lambda: MAX_CELLS)
    with pytest.raises(BadInput, match=rf"at most {MAX_CELLS} label cells, the instance has"):
        require_adversary("theorem.adversary", "huber", lambda: MAX_CELLS + 1)
    with pytest.raises(BadInput, match=r"^theorem.adversary=hubr: did you mean huber\? allowed: "):
        require_adversary("theorem.adversary", "hubr", unused)
