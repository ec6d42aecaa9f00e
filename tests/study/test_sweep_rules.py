"""Sweeps of the trusted curator and of corrupted labels, and mistakes about privacy."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.families.central.sweep import CentralConfig, CentralSweep
from repro.families.robust.adversaries_huber import MAX_CELLS
from repro.families.robust.algorithms_estimation import ADVERSARIES
from repro.families.robust.sweep import require_adversary, require_labels
from repro.study.checks import InequalityCheck
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig
from repro.study.privacy_mistakes import PrivacyMistakes

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


class Mistaken(Fixed, PrivacyMistakes):
    instances = ("linear",)
    privacy_mistakes = frozenset({"blind"})


@pytest.mark.parametrize(
    ("epsilon", "controls"), [(1.0, ("wrong", "blind")), (math.inf, ("wrong",))]
)
def test_without_privacy_there_is_no_mistake_about_it(epsilon, controls):
    config = validate(SweepConfig, {"name": "toy", "claims": {"built": {"c": CLAIM}}})
    assert Mistaken(config, setting(epsilon=epsilon)).checks()[0].controls == controls


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
