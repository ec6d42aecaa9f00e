"""Privacy rows: exact ratios, shares of runs, and the attack that is fixed beforehand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.privacy.black_box import Attack, choose_attack
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study import privacy_sweep
from repro.study.checks import InequalityCheck
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.legacy import Row
from repro.study.privacy_check import Exact, PrivacyCheck
from repro.study.privacy_sweep import PrivacyConfig, PrivacySweep
from repro.study.stream import stream

ROWS = tuple(
    Row(name, "epsilon", "built", "right", ("weak",), "q", "") for name in ("audit", "ratio")
)
CLAIMS = {"built": {
    "audit": {"kind": "privacy", "grid": [1.0, 2.0], "expected": "supported", "runs": 4,
              "tolerance": 0.25},
    "ratio": {"kind": "inequality", "grid": [1.0, 2.0], "expected": "supported",
              "tolerance": 1e-9},
}}  # fmt: skip


class Steps(Mechanism):
    """Scores 0, 1, 2, … in order, twenty more from the neighbour; ε = size.

    Pilot runs are shifted by a number of their stream.
    """

    def __init__(self, size):
        self.size = size

    def exact_delta(self, epsilon):
        return self.size / 100 + epsilon / 1000

    def exact_epsilon(self, dp_delta):
        return self.size + dp_delta

    def scores(self, rng, neighbour, count):
        shift = rng.random() if count == privacy_sweep.PILOT else 0.0
        return np.arange(count, dtype=float) + 20 * neighbour + shift


class Audited(PrivacySweep):
    rows = ROWS
    dp_delta = 0.125
    moving = False

    def audited(self, row, value, method):
        self.asked.append((row, value, method))
        size = {"right": 0.5, "weak": 1.0}[method] * value
        return Steps(size), Guarantee(value if self.moving else 2.0, self.dp_delta)


def sweep(epsilon=0.5, given=None, **changes):
    config = validate(PrivacyConfig, {"name": "toy", "claims": CLAIMS, "epsilon": epsilon})
    cls = type("Other", (Audited,), changes | {"asked": []})
    setting = Setting(Overrides(epsilon=given), {"kind": "linear"}, "cpu", Path("unused"))
    return cls(config, setting)


@pytest.fixture(autouse=True)
def few_pilot_runs(monkeypatch):
    monkeypatch.setattr(privacy_sweep, "PILOT", 100)
    privacy_sweep._examined.cache_clear()
    yield
    privacy_sweep._examined.cache_clear()


def test_the_budget_is_the_top_level_one_if_there_is_one():
    assert sweep(0.5).epsilon == 0.5
    assert sweep(0.5, given=2.0).epsilon == 2.0
    with pytest.raises(BadInput, match=r"^epsilon=inf: allowed: a finite number"):
        sweep(0.5, given=math.inf)


def test_a_privacy_row_holds_what_is_known_at_every_point():
    check, plain = sweep().checks()
    assert type(plain) is InequalityCheck
    pilot = [Steps(1.0).scores(stream(0, "pilot", side), bool(side), 100) for side in (0, 1)]
    attack = choose_attack(pilot[0], pilot[1], 0.125)
    assert attack.cut % 1 != 0
    known = {
        method: tuple(
            Exact(share * value + 0.125, share * value / 100 + 0.002, attack)
            for value in (1.0, 2.0)
        )
        for method, share in (("right", 0.5), ("weak", 1.0))
    }
    assert check == PrivacyCheck(
        name="audit", axis="epsilon", grid=(1.0, 2.0), quantity="q", method="right",
        controls=("weak",), settings=check.settings, claimed_epsilon=2.0, dp_delta=0.125,
        tolerance=0.25, runs=4, exact=known,
    )  # fmt: skip


def test_a_privacy_row_holds_one_claim():
    with pytest.raises(ValueError, match="one claim over its whole grid"):
        sweep(moving=True).checks()


def test_mechanisms_are_looked_for_once():
    experiment = sweep()
    first = experiment.known("ratio", 1.0, "right")
    assert experiment.known("ratio", 1.0, "right") is first
    assert experiment.asked == [("ratio", 1.0, "right")]


def test_ratios_of_exact_to_claimed():
    experiment = sweep()
    ratio = experiment.checks()[1]
    found = experiment.measure(ratio, 2.0, np.random.default_rng(0), 3)
    assert {name: list(values) for name, values in found.items()} == {
        "right": [pytest.approx(0.012 / 0.125)] * 3,
        "weak": [pytest.approx(0.022 / 0.125)] * 3,
    }
    count = len(experiment.asked)
    experiment.measure(ratio, 2.0, np.random.default_rng(0), 3)
    assert len(experiment.asked) == count
    pure = sweep(dp_delta=0.0)
    assert pure.ratio("ratio", 3.0, "weak") == pytest.approx(3.0 / 2.0)
    assert sweep(dp_delta=1.0).ratio("ratio", 3.0, "weak") == pytest.approx(0.032)
    assert experiment.assumptions() == ()


def test_ratios_are_computed_once():
    experiment = sweep()
    calls = []
    experiment.ratio = lambda *at: calls.append(at) or 0.5
    for _ in range(2):
        assert experiment._ratio("ratio", 1.0, "right") == 0.5
    assert calls == [("ratio", 1.0, "right")]


def test_shares_of_runs_in_the_set():
    """Of 4 runs a replicate, scores 0–3, 4–7, 8–11 from one input and 20 more from the other."""
    experiment = sweep()
    (check, _), rng = experiment.checks(), np.random.default_rng(0)
    for attack, expected in (
        (Attack(1.0, 5.0, False), [0.0, 1.0, 0.75, 1.0, 1.0]),
        (Attack(-1.0, -22.0, False), [1.0, 0.75, 1.0, 0.0, 1.0]),
        (Attack(2.0, 44.5, True), [0.0, 0.25, 0.0, 1.0, 0.0]),
    ):
        points = tuple(Exact(0.0, 0.0, attack) for _ in check.grid)
        asked = PrivacyCheck(**{
            name: getattr(check, name)
            for name in ("name", "axis", "grid", "quantity", "method", "controls", "settings",
                         "runs")
        }, exact={"right": points, "weak": points})  # fmt: skip
        found = experiment.measure(asked, 2.0, rng, 5)
        assert list(found) == ["right", "weak"]
        assert found["weak"].tolist() == expected
