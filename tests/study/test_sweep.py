"""Rows and claims become checks: overrides, labels at another budget, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import MAX_PAIRS, validate
from repro.study.checks import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.study.config import Claim, Overrides
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row, SweepConfig, SweepExperiment

ON_INSTANCE = Row("n", "n_pairs", INSTANCE, "right", ("wrong",), "gap", "gap ~ 1/n")
BUILT = Row("c", "privacy_cost", "small", "right", (), "gap", "gap ~ c²", keeps=("epsilon",))
CLAIMS = {
    "linear": {
        "n": {"kind": "slope", "grid": [1e3, 1e4, 1e5, 1e6], "expected": "contradicted",
              "claimed": -1, "tolerance": 0.07, "direction": "at_most", "epsilon": 1.0,
              "horizon": 5, "replicate_factor": 3}
    },
    "built": {
        "c": {"kind": "ratio", "grid": [2, 3], "expected": "supported", "claimed": 1.5,
              "tolerance": 0.02, "n_pairs": 1000, "epsilon": 0.5}
    },
}  # fmt: skip


class Sweep(SweepExperiment):
    rows = (ON_INSTANCE, BUILT)
    instances = ("linear", "tabular")
    allowed_failure = 0.1

    def assumptions(self):
        return ()

    def measure(self, check, value, rng, replicates):
        return {}


def sweep(claims=CLAIMS, kind="linear", rows=None, **overrides):
    config = validate(SweepConfig, {"name": "toy", "claims": claims})
    cls = Sweep if rows is None else type("Other", (Sweep,), {"rows": rows})
    return cls(config, Setting(Overrides(**overrides), {"kind": kind}, "cpu", Path("x")))


def changed(group, name, **fields):
    return {**CLAIMS, group: {name: CLAIMS[group][name] | fields}}


def test_a_check_has_every_number_of_its_row_and_claim():
    first, second = sweep().checks()
    assert first == SlopeCheck(
        name="n", axis="n_pairs", grid=(1e3, 1e4, 1e5, 1e6), quantity="gap", method="right",
        controls=("wrong",), expected="contradicted", claim="gap ~ 1/n", replicate_factor=3.0,
        settings={"world": INSTANCE, "n_pairs": None, "epsilon": 1.0, "horizon": 5},
        claimed=-1.0, tolerance=0.07, direction="at_most",
    )  # fmt: skip
    assert second == RatioCheck(
        name="c", axis="privacy_cost", grid=(2.0, 3.0), quantity="gap", method="right",
        claim="gap ~ c²", claimed=1.5, tolerance=0.02,
        settings={"world": "small", "n_pairs": 1000, "epsilon": 0.5, "horizon": None},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "inequality", "tolerance": 1e-6}, InequalityCheck),
        ({"kind": "frequency"}, FrequencyCheck),
    ],
)
def test_other_kinds(fields, expected):
    claims = {**CLAIMS, "built": {"c": {"grid": [2.0], "expected": "supported", **fields}}}
    check = sweep(claims).checks()[1]
    assert type(check) is expected
    assert getattr(check, "tolerance", None) == fields.get("tolerance")
    assert getattr(check, "allowed", 0.1) == 0.1


def test_a_claim_of_no_known_kind_is_a_bug():
    with pytest.raises(TypeError, match="no check for Claim"):
        sweep()._of_kind(Claim(grid=(1.0,), expected="supported"), {})


def test_size_on_every_axis():
    experiment = sweep()
    first, second = experiment.checks()
    assert experiment.size(first, 1e4) == (10_000, 1.0)
    n_pairs, epsilon = experiment.size(second, 2.0)
    assert n_pairs == 1000
    assert privacy_cost(epsilon) == pytest.approx(2.0)


def test_a_size_that_nobody_gives_is_bad_input():
    claims = changed("built", "c", n_pairs=None)
    experiment = sweep(claims)
    with pytest.raises(BadInput) as refused:
        experiment.size(experiment.checks()[1], 2.0)
    assert str(refused.value) == "theorem.claims.*.c.n_pairs=(missing): required"


def test_another_instance_has_no_built_rows():
    claims = {"tabular": {"n": CLAIMS["linear"]["n"]}}
    assert [check.name for check in sweep(claims, "tabular").checks()] == ["n"]


def test_overrides_win_except_where_a_row_keeps_its_own():
    first, second = sweep(epsilon=2.0, n_pairs=77, horizon=9).checks()
    assert first.settings == {"world": INSTANCE, "n_pairs": 77, "epsilon": 2.0, "horizon": 9}
    assert second.settings == {"world": "small", "n_pairs": 77, "epsilon": 0.5, "horizon": 9}


def test_a_stricter_budget_gets_as_many_more_labels_as_it_is_noisier():
    factor = (privacy_cost(0.5) / privacy_cost(1.0)) ** 2
    assert factor == pytest.approx(3.5601, abs=1e-4)
    first, _ = sweep(epsilon=0.5).checks()
    assert first.grid == tuple(round(n * factor) for n in (1e3, 1e4, 1e5, 1e6))
    assert all(float(n).is_integer() for n in first.grid)
    fixed = changed("linear", "n", n_pairs=1000)
    assert sweep(fixed, epsilon=0.5).checks()[0].settings["n_pairs"] == 3560
    assert sweep(fixed).checks()[0].settings["n_pairs"] == 1000


def test_a_row_without_a_budget_of_its_own_keeps_its_labels():
    claims = changed("linear", "n", epsilon=None)
    first, _ = sweep(claims, epsilon=0.5).checks()
    assert first.grid == (1e3, 1e4, 1e5, 1e6)
    assert first.settings["epsilon"] == 0.5
    assert sweep(claims).checks()[0].settings["epsilon"] is None


def test_other_axes_are_not_multiplied():
    row = Row("c", "num_features", "small", "right", (), "gap", "")
    _, second = sweep(rows=(ON_INSTANCE, row), epsilon=0.25).checks()
    assert second.grid == (2.0, 3.0)


def test_labels_stop_at_what_float64_counts_exactly():
    claims = changed("linear", "n", grid=[1e3, 1e4, 1e5, MAX_PAIRS], n_pairs=MAX_PAIRS)
    first, _ = sweep(claims, epsilon=0.5).checks()
    assert len(first.grid) == 3
    assert first.settings["n_pairs"] == MAX_PAIRS
    with pytest.raises(BadInput, match=r"^epsilon=0.5: n would need more than 1e\+15 labels"):
        sweep(changed("linear", "n", grid=[1e3, 1e4, 9e14, 1e15]), epsilon=0.5).checks()


def test_the_last_label_count_may_be_the_limit_itself():
    """ε = 2·artanh(½) from 2·artanh(¼) costs half as much: a quarter of the labels."""
    own, looser = 2 * np.arctanh(0.25), 2 * np.arctanh(0.5)
    claims = changed("linear", "n", grid=[4, 8, MAX_PAIRS], epsilon=looser)
    assert len(sweep(claims, epsilon=looser).checks()[0].grid) == 3
    halved = changed("linear", "n", grid=[4, 8, 4e14], epsilon=own)
    assert sweep(halved, epsilon=looser).checks()[0].grid == (1.0, 2.0, 1e14)


def test_two_grid_points_are_enough_where_the_claim_has_two():
    claims = {
        **CLAIMS,
        "linear": {"n": {"kind": "inequality", "grid": [10, 20], "expected": "supported",
                         "tolerance": 1e-9, "epsilon": 1.0}},
    }  # fmt: skip
    assert len(sweep(claims, epsilon=0.5).checks()[0].grid) == 2
    claims["linear"]["n"] |= {"grid": [10, 1e15]}
    with pytest.raises(BadInput, match="more than"):
        sweep(claims, epsilon=0.5).checks()


@pytest.mark.parametrize(
    ("claims", "line"),
    [
        ({"linear": {}, "built": CLAIMS["built"]}, "theorem.claims.linear.n=(missing)"),
        ({"linear": CLAIMS["linear"]}, "theorem.claims.built.c=(missing)"),
    ],
)
def test_a_missing_claim_is_named(claims, line):
    with pytest.raises(BadInput) as refused:
        sweep(claims).checks()
    assert str(refused.value).startswith(line)


def test_a_claim_of_no_row_is_named():
    claims = {**CLAIMS, "built": CLAIMS["built"] | {"nn": CLAIMS["built"]["c"]}}
    with pytest.raises(BadInput) as refused:
        sweep(claims)
    assert str(refused.value).startswith("theorem.claims.built.nn=(unknown)")
    assert str(refused.value).endswith("allowed: c, n")
