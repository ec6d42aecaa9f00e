"""Rows with probes become checks and cases: overrides, scaled labels, stages, refusals."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from repro.study.case import Case
from repro.study.row import (
    INSTANCE,
    Evidence,
    Measure,
    Need,
    Row,
    method,
    per_method,
    privacy_mistake,
)

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.base.schema import MAX_PAIRS, validate
from repro.preferences.label_law import LabelLaw, bradley_terry, fair_coins
from repro.study.checks import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.study.claims import Frequency, Inequality, Ratio, Slope
from repro.study.config import Overrides, Probes
from repro.study.experiment import Experiment, Setting


@method
def right(case):
    return case.n_pairs


@method
def wrong(case):
    return -case.n_pairs


@privacy_mistake
def naive(case):
    return 0


@dataclass(frozen=True, eq=False, kw_only=True)
class ToyCase(Case):
    states: int = 3
    labels: LabelLaw = bradley_terry


GAP = Measure("gap", per_method(lambda case, m, rng, count: m.run(case)), Evidence.MEASURED)
N = Row("n", "n_pairs", Slope(-1, "gap {rate}", "at_most", 0.07), GAP, right, (wrong, naive),
        on=INSTANCE, needs=(Need.LABELS,), expected="contradicted", why="a slip")  # fmt: skip
C = Row("c", "privacy_cost", Ratio("gap = c²", 1.5, 0.02), GAP, right, (naive,), on="small",
        fixed=("n_pairs",), settles=("p1.lem_a_1",))  # fmt: skip
PROBES = {
    "n": {"grid": [1e3, 1e4, 1e5, 1e6], "epsilon": 1.0, "horizon": 5, "replicates": 3},
    "c": {"grid": [2, 3], "n_pairs": 1000, "epsilon": 0.5},
}


class Toy(Experiment[ToyCase]):
    title = "toy"
    settles = ("p1.thm_4_2",)
    rows = (N, C)
    failure_prob = 0.1

    def case(self, point):
        states = int(point.swept("num_states", 3))
        common = {"methods": point.methods, "epsilon": point.epsilon, "states": states}
        return ToyCase(**common, n_pairs=point.n_pairs)


def toy(probes=PROBES, kind="linear", rows=None, instances=None, stages=None, **overrides):
    values = {"name": "toy", "probes": probes, "instances": instances or {}}
    cls = Toy if rows is None else type("Other", (Toy,), {"rows": rows})
    setting = Setting(Overrides(**overrides), {"kind": kind}, "cpu", Path("x"), stages or {})
    return cls(validate(Probes, values), setting)


def probed(name, **fields):
    return {**PROBES, name: PROBES[name] | fields}


def test_statements_follow_from_the_rows():
    assert Toy.statements == ("p1.thm_4_2", "p1.lem_a_1")
    assert Toy.statements_of("n") == ("p1.thm_4_2",)
    assert Toy.statements_of("c") == ("p1.lem_a_1",)
    assert Toy.statements_of("none") == ()


def test_a_check_has_every_number_of_its_row_and_probe():
    first, second = (trial.check for trial in toy().trials)
    assert first == SlopeCheck(
        name="n", axis="n_pairs", grid=(1e3, 1e4, 1e5, 1e6), quantity="gap", method="right",
        controls=("wrong", "naive"), expected="contradicted", claim="gap ≤ O(1/n)",
        replicate_factor=3.0, evidence="measured", needs=("labels",), statements=("p1.thm_4_2",),
        settings={"world": INSTANCE, "n_pairs": None, "epsilon": 1.0, "horizon": None,
                  "labels_scaled_by": 1.0},
        claimed=-1.0, tolerance=0.07, direction="at_most",
    )  # fmt: skip
    assert second == RatioCheck(
        name="c", axis="privacy_cost", grid=(2.0, 3.0), quantity="gap", method="right",
        controls=("naive",), claim="gap = c²", claimed=1.5, tolerance=0.02, evidence="measured",
        statements=("p1.lem_a_1",),
        settings={"world": "small", "n_pairs": 1000, "epsilon": None, "horizon": None,
                  "labels_scaled_by": 1.0},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "kind", "margin"),
    [(Inequality("left ≤ right", 1e-6), InequalityCheck, 1e-6),
     (Frequency("rare"), FrequencyCheck, 0.1)],
)  # fmt: skip
def test_other_kinds_of_claims(claim, kind, margin):
    row = Row("c", "privacy_cost", claim, GAP, right)
    (trial,) = toy({"c": PROBES["c"]}, rows=(row,)).trials
    assert type(trial.check) is kind
    assert margin in (
        getattr(trial.check, "tolerance", None),
        getattr(trial.check, "allowed", None),
    )


def test_a_case_per_grid_point_with_the_numbers_in_force():
    first, second = toy().trials
    assert [case.n_pairs for case in first.cases] == [1e3, 1e4, 1e5, 1e6]
    assert {case.epsilon for case in first.cases} == {1.0}
    assert [case.epsilon for case in second.cases] == [epsilon_of_cost(2.0), epsilon_of_cost(3.0)]
    assert {case.n_pairs for case in second.cases} == {1000}


@pytest.mark.parametrize(
    ("axis", "value", "epsilon"),
    [("epsilon", 0.5, 0.5), ("privacy_cost", 2.0, math.log(3)),
     ("epsilon_minus_one", 1.0, math.log(2))],
)  # fmt: skip
def test_every_axis_that_fixes_epsilon_is_read(axis, value, epsilon):
    row = Row("c", axis, Ratio("constant"), GAP, right)
    (trial,) = toy({"c": {"grid": [value, 4.0], "n_pairs": 10}}, rows=(row,)).trials
    assert trial.cases[0].epsilon == pytest.approx(epsilon)


def test_an_axis_that_changes_nothing_is_refused():
    row = Row("c", "coverage", Ratio("constant"), GAP, right)
    (trial,) = toy({"c": {"grid": [1, 2], "n_pairs": 10, "epsilon": 1}}, rows=(row,)).trials
    with pytest.raises(BadInput, match=r"^c.over=coverage: nothing here depends on it"):
        _ = trial.cases


def test_a_field_of_the_case_can_be_swept():
    row = Row("c", "num_states", Ratio("constant"), GAP, right)
    (trial,) = toy({"c": {"grid": [1, 2], "n_pairs": 10, "epsilon": 1}}, rows=(row,)).trials
    assert [case.states for case in trial.cases] == [1, 2]


def test_labels_grow_with_the_privacy_cost_of_another_budget():
    more = (privacy_cost(0.5) / privacy_cost(1.0)) ** 2
    first, second = toy(epsilon=0.5).trials
    assert first.grid == tuple(float(round(n * more)) for n in (1e3, 1e4, 1e5, 1e6))
    assert first.check.settings["labels_scaled_by"] == first.scaled == pytest.approx(more)
    assert second.grid == (2.0, 3.0)
    assert first.numbers == {"grid": list(first.grid), "epsilon": 0.5, "horizon": 5}


def test_labels_stop_at_the_most_there_can_be():
    probes = probed("n", grid=[1e3, 1e4, 1e5, MAX_PAIRS])
    assert len(toy(probes, epsilon=0.5).trials[0].grid) == 3
    probes = probed("n", grid=[1e3, 1e4, MAX_PAIRS / 2, MAX_PAIRS])
    with pytest.raises(BadInput, match=r"^epsilon=0.5: n would need more than 1e\+15 labels"):
        _ = toy(probes, epsilon=0.5).trials


def test_a_fixed_number_is_not_overridden():
    first, second = toy(probed("c", n_pairs=1000), n_pairs=7).trials
    assert first.grid == (1e3, 1e4, 1e5, 1e6)
    assert second.cases[0].n_pairs == 1000


def test_mistakes_about_privacy_are_left_out_where_there_is_none():
    first, second = toy(epsilon=math.inf).trials
    assert first.check.controls == ("wrong",)
    assert second.check.controls == ("naive",)


def test_another_kind_of_instance_runs_the_rows_on_the_instance():
    instances = {"tabular": {"n": {"grid": [10, 100, 1000], "epsilon": 2.0}}}
    (trial,) = toy(kind="tabular", instances=instances).trials
    assert (trial.row, trial.grid) == (N, (10.0, 100.0, 1000.0))
    assert trial.place == (("instances", "tabular"), "n")


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"probes": {"c": PROBES["c"]}}, "theorem.probes.n=(missing): a probe is required"),
        ({"probes": {**PROBES, "cc": PROBES["c"]}},
         "theorem.probes.cc=(unknown): did you mean c? allowed: c, n"),
        ({"kind": "tabular"}, "theorem.instances.tabular.n=(missing): a probe is required"),
        ({"stages": {"label": fair_coins}},
         "stages.label=fair_coins: did you mean labels? allowed: labels"),
        ({"stages": {"order": 1}}, "stages.order=int: allowed: labels"),
    ],
)  # fmt: skip
def test_what_has_no_place_is_named(given, line):
    with pytest.raises(BadInput) as refused:
        _ = toy(**given).trials
    assert str(refused.value) == line


def test_a_missing_number_is_named():
    (trial,) = toy({"c": {"grid": [2, 3]}}, rows=(C,)).trials
    with pytest.raises(BadInput, match=r"^theorem.probes.c.n_pairs=\(missing\): required"):
        _ = trial.cases


def test_a_stage_is_replaced_in_every_case_that_has_it():
    for trial in toy(stages={"labels": fair_coins}).trials:
        assert {case.labels for case in trial.cases} == {fair_coins}
    assert toy().trials[0].identity != toy(stages={"labels": fair_coins}).trials[0].identity


def test_identity_is_what_is_measured():
    one = toy().trials[0].identity
    assert toy().trials[0].identity == one
    assert toy(epsilon=0.5).trials[0].identity != one
    assert toy(probed("n", grid=[1e3, 1e4, 1e5])).trials[0].identity != one
    assert toy(probed("n", replicates=5, horizon=6)).trials[0].identity == one


def test_one_number_stands_for_every_replicate():
    (trial,) = toy({"c": PROBES["c"]}, rows=(C,)).trials
    found = trial.measure([np.random.default_rng(0)] * 2, 4)
    assert [{name: v.tolist() for name, v in at.items()} for at in found] == [
        {"right": [1000.0] * 4, "naive": [0.0] * 4}
    ] * 2
