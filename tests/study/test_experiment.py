"""A theorem on the worlds of a run: numbers, groups and stages in force, and what is refused."""

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repro.base.device import cache_in_use, device_in_use
from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.base.schema import MAX_PAIRS, Epsilon, Pairs
from repro.core.check import Check, Quantity, Theorem, of_world, privacy_mistake
from repro.core.claims import (
    Frequency,
    FrequencyCheck,
    Inequality,
    InequalityCheck,
    Ratio,
    RatioCheck,
    Slope,
    SlopeCheck,
)
from repro.core.door import TheoremNumbers
from repro.core.results import AssumptionResult
from repro.labels.preferences.label_law import bradley_terry, fair_coins
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, mixture_of_flips
from repro.study.experiment import Experiment, Overrides, Setting
from repro.study.plan import built
from repro.worlds.policies.regularisers import CHI_SQUARED, KL

CALLS_TO_COST = {
    "n_pairs": {"grid": [1e3, 1e4, 1e5, 1e6], "replicates": 3},
    "cost": {"grid": [2, 3]},
}
"""The sweeps of ``with_cost``."""


@privacy_mistake
def naive(data):
    return 0 * data.noise


@pytest.fixture
def with_cost(toy, toy_check):
    """A theorem of two checks: a contradicted slope in n, and a ratio along the privacy cost."""

    def put(**fields):
        of_n = toy_check(claim=Slope("gap {rate}", -1, "at_most", 0.07), expected="contradicted",
                         why="a slip", wrong=[*toy_check().wrong, naive])  # fmt: skip
        of_cost = toy_check(name="cost", axis="privacy_cost",
                            claim=Ratio("gap = c²", 1.5, tolerance=0.02), wrong=[naive],
                            keeps=["n_pairs"], settles=["p1.lem_a_1"])  # fmt: skip
        return toy(checks=[of_n, of_cost], **fields)

    put()
    return put


@pytest.fixture
def swept_of(with_cost, plan_of):
    """Words of ``plan_of`` → the checks of ``with_cost`` on their worlds."""
    return lambda **given: built(plan_of(**{"sweeps": CALLS_TO_COST} | given)).swept


def swept_with(**fields):
    return {**CALLS_TO_COST, "n_pairs": CALLS_TO_COST["n_pairs"] | fields}


def test_statements_follow_from_the_checks(with_cost):
    theorem = with_cost()
    assert theorem.statements == ("p1.thm_0", "p1.lem_a_1")
    assert [*map(theorem.statements_of, theorem.checks)] == [("p1.thm_0",), ("p1.lem_a_1",)]


def test_what_is_judged_has_every_number_of_its_check_and_sweep(with_cost, plan_of, monkeypatch):
    monkeypatch.setattr("repro.study.experiment.needs_of", lambda *given: ())
    first, second = built(plan_of(sweeps=CALLS_TO_COST)).checks
    numbers = {"exponent": -1.0, "states": 3.0, "holds": True, "labels_scaled_by": 1.0}
    assert first == SlopeCheck(
        name="n_pairs", axis="n_pairs", grid=(1e3, 1e4, 1e5, 1e6), quantity="gap", method="right",
        controls=("flat", "naive"), expected="contradicted", claim="gap ≤ O(1/n)",
        replicate_factor=3.0, evidence="measured", statements=("p1.thm_0",), why="a slip",
        settings={"epsilon": 1.0, **numbers},
        claimed=-1.0, tolerance=0.07, direction="at_most",
    )  # fmt: skip
    assert second == RatioCheck(
        name="cost", axis="privacy_cost", grid=(2.0, 3.0), quantity="gap", method="right",
        controls=("naive",), claim="gap = c²", claimed=1.5, tolerance=0.02, evidence="measured",
        statements=("p1.lem_a_1",), settings={"n_pairs": 1000, **numbers},
    )  # fmt: skip


def test_what_is_judged_has_the_needs_of_the_snapshot(with_cost, plan_of, monkeypatch):
    from repro.core.needs import Need

    monkeypatch.setattr(
        "repro.study.experiment.needs_of",
        lambda theorem, check: (Need.LABELS,) if (theorem, check) == ("toy", "cost") else (),
    )
    assert [one.needs for one in built(plan_of(sweeps=CALLS_TO_COST)).checks] == [(), ("labels",)]


@pytest.mark.parametrize(
    ("claim", "kind", "margin"),
    [(Inequality("left ≤ right", 1e-6), InequalityCheck, {"tolerance": 1e-6}),
     (Frequency("rare"), FrequencyCheck, {"allowed": 0.05})],
)  # fmt: skip
def test_other_kinds_of_claims(toy, toy_check, plan_of, claim, kind, margin):
    toy(checks=[toy_check(claim=claim)])
    (check,) = built(plan_of(sweeps={"n_pairs": {"grid": [1e3]}})).checks
    assert type(check) is kind
    assert margin.items() <= vars(check).items()


def test_a_world_for_every_value_with_the_numbers_in_force(swept_of):
    first, second = swept_of()
    assert [world.n_pairs for world in first.measured] == [1e3, 1e4, 1e5, 1e6]
    assert {world.epsilon for world in first.measured} == {1.0}
    assert [world.epsilon for world in second.measured] == [
        epsilon_of_cost(2.0),
        epsilon_of_cost(3.0),
    ]
    assert {world.n_pairs for world in second.measured} == {1000}


@pytest.mark.parametrize(
    ("axis", "value", "epsilon"),
    [("epsilon", 0.5, 0.5), ("privacy_cost", 2.0, math.log(3)),
     ("epsilon_minus_one", 1.0, math.log(2))],
)  # fmt: skip
def test_every_axis_that_fixes_epsilon_is_read(toy, toy_check, plan_of, axis, value, epsilon):
    toy(checks=[toy_check(axis=axis, claim=Ratio("constant"))])
    (one,) = built(plan_of(sweeps={"n_pairs": {"grid": [value, 4.0]}})).swept
    assert one.measured[0].epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize(
    ("claim", "grid"),
    [(Slope("falls like {rate}", -1), [1, 2, 3]), (Inequality("at most 1"), [1, 2])],
)
def test_an_axis_that_changes_nothing_is_refused(toy, toy_check, plan_of, claim, grid):
    """A class of worlds that lets nothing of its swept field through."""

    @dataclass(frozen=True)
    class Fixed:
        n_pairs: Pairs = 1

        def along(self, worlds):
            return (self,) * len(worlds)

    toy(checks=[toy_check(claim=claim)], worlds={"fixed": Fixed})
    plan = plan_of(sweeps={"n_pairs": {"grid": grid}})
    plan = dataclasses.replace(plan, config=plan.config | {"worlds": {"fixed": {}}})
    with pytest.raises(BadInput) as refused:
        built(plan)
    assert str(refused.value) == "n_pairs.axis=n_pairs: nothing here depends on it"


def test_a_field_of_another_name_than_the_axis_can_be_swept(toy, toy_check, plan_of):
    toy(checks=[toy_check(axis="num_states", at="states", claim=Ratio("constant"))])
    (one,) = built(plan_of(sweeps={"n_pairs": {"grid": [1, 2]}})).swept
    assert [world.states for world in one.measured] == [1, 2]


def test_labels_grow_with_the_privacy_cost_of_another_budget(plan_of, with_cost):
    made = built(plan_of(sweeps=CALLS_TO_COST, overrides={"epsilon": 0.5}))
    first, second = made.swept
    assert first.sweep.grid == (4e3, 4e4, 4e5, 4e6)
    assert {world.epsilon for world in first.measured} == {0.5}
    assert made.checks[0].settings["labels_scaled_by"] == first.scaled == 4.0
    assert made.numbers_in_force(first) == {
        "grid": [4e3, 4e4, 4e5, 4e6],
        "epsilon": 0.5,
    }
    assert (second.sweep.grid, second.scaled) == ((2.0, 3.0), 1.0)
    assert made.numbers_in_force(second) == {"grid": [2.0, 3.0]}


def test_labels_that_are_not_swept_grow_too(toy, toy_check, plan_of):
    toy(checks=[toy_check(axis="num_states", at="states", claim=Ratio("constant"))])
    made = built(plan_of(sweeps={"n_pairs": {"grid": [1, 2]}}, overrides={"epsilon": 0.5}))
    assert {world.n_pairs for world in made.swept[0].measured} == {4000}
    shown = made.numbers_in_force(made.swept[0])
    assert shown == {"grid": [1.0, 2.0], "epsilon": 0.5, "n_pairs": 4000}


def test_labels_that_are_given_are_not_scaled(toy, toy_check, plan_of):
    toy(checks=[toy_check(axis="num_states", at="states", claim=Ratio("constant"))])
    given = {"epsilon": 0.5, "n_pairs": 7}
    (one,) = built(plan_of(sweeps={"n_pairs": {"grid": [1, 2]}}, overrides=given)).swept
    assert ({world.n_pairs for world in one.measured}, one.scaled) == ({7}, 1.0)


def test_labels_stop_at_the_most_there_can_be(swept_of):
    sweeps = swept_with(grid=[1e3, 1e4, 1e5, MAX_PAIRS])
    assert len(swept_of(sweeps=sweeps, overrides={"epsilon": 0.5})[0].sweep.grid) == 3
    sweeps = swept_with(grid=[1e3, 1e4, MAX_PAIRS / 2, MAX_PAIRS])
    with pytest.raises(BadInput) as refused:
        swept_of(sweeps=sweeps, overrides={"epsilon": 0.5})
    most = "it would need more than 1e+15 labels; allowed: a larger epsilon (check n_pairs)"
    assert str(refused.value) == f"epsilon=0.5: {most}"


def test_a_check_that_is_not_run_refuses_nothing(swept_of):
    sweeps = swept_with(grid=[1e3, 1e4, MAX_PAIRS / 2, MAX_PAIRS])
    (one,) = swept_of(sweeps=sweeps, overrides={"epsilon": 0.5}, only=("cost",))
    assert one.name == "cost"


def test_a_number_that_a_check_keeps_is_not_overridden(swept_of):
    first, second = swept_of(overrides={"n_pairs": 7})
    assert first.sweep.grid == (1e3, 1e4, 1e5, 1e6)
    assert {world.n_pairs for world in second.measured} == {1000}


def test_mistakes_about_privacy_are_left_out_where_there_is_none(with_cost, plan_of):
    """Not where ε is swept."""
    first, second = built(plan_of(sweeps=CALLS_TO_COST, overrides={"epsilon": math.inf})).checks
    assert first.controls == ("flat",)
    assert second.controls == ("naive",)


def test_another_kind_of_instance_runs_the_checks_that_it_names(swept_of):
    instances = {"tabular": {"n_pairs": {"grid": [10, 100, 1000]}}}
    (one,) = swept_of(kind="tabular", instances=instances)
    assert (one.name, one.sweep.grid, one.sweep.replicates) == ("n_pairs", (10, 100, 1000), 3)
    assert len(swept_of(instances=instances)) == 2


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"sweeps": {"cost": CALLS_TO_COST["cost"]}},
         "theorem.sweeps.n_pairs=(missing): a sweep is required"),
        ({"sweeps": {**CALLS_TO_COST, "costs": CALLS_TO_COST["cost"]}},
         "theorem.sweeps.costs=(unknown): did you mean cost? allowed: cost, n_pairs"),
        ({"sweeps": {**CALLS_TO_COST, "cost": {**CALLS_TO_COST["cost"], "n_pair": 3}}},
         "theorem.sweeps.cost.n_pair=(unknown): did you mean n_pairs? allowed: n_pairs, epsilon, "
         "exponent, states, holds, labels"),
        ({"instances": {"tabular": {"costs": {}}}},
         "theorem.instances.tabular.costs=(unknown): did you mean cost? allowed: cost, n_pairs"),
        ({"stages": {"label": fair_coins}},
         "stages.label=fair_coins: did you mean labels? allowed: labels"),
        ({"stages": {"order": 1}}, "stages.order=int: allowed: labels"),
        ({"only": ("costs",)}, "only=costs: did you mean cost? allowed: n_pairs, cost"),
    ],
)  # fmt: skip
def test_what_has_no_place_is_named(swept_of, given, line):
    with pytest.raises(BadInput) as refused:
        swept_of(**given)
    assert str(refused.value) == line


def test_a_formula_of_the_claim_without_a_value_is_bad_input(toy, toy_check, plan_of):
    @dataclass(frozen=True)
    class Undefined(Inequality):
        def check(self, common, trial):
            return 1 / 0

    toy(checks=[toy_check(claim=Undefined("left ≤ right"))])
    with pytest.raises(BadInput) as refused:
        _ = built(plan_of(sweeps={"n_pairs": {"grid": [1, 2]}})).checks
    assert str(refused.value) == (
        "theorem.sweeps.n_pairs.grid=[1,2]: "
        "allowed: values at which its world exists (division by zero)"
    )


def test_a_stage_is_replaced_in_every_world_that_is_measured(swept_of):
    """What is claimed is read off the worlds as they are stated."""
    for one in swept_of(stages={"labels": fair_coins}):
        assert {world.labels for world in one.measured} == {fair_coins}
        assert {world.labels for world in one.sweep.worlds} == {bradley_terry}
    without = swept_of()[0].identity
    assert swept_of(stages={"labels": fair_coins})[0].identity != without


def test_identity_is_what_is_measured(swept_of):
    one = swept_of()[0].identity
    assert swept_of()[0].identity == one
    assert swept_of(overrides={"epsilon": 0.5})[0].identity != one
    assert swept_of(exponent=-2.0)[0].identity != one
    assert swept_of(sweeps=swept_with(grid=[1e3, 1e4, 1e5]))[0].identity != one
    assert swept_of(sweeps=swept_with(replicates=5))[0].identity == one


def test_one_number_stands_for_every_replicate(toy, toy_check, plan_of):
    def share(world):
        return world.n_pairs / 4

    alone = {"wrong": [], "expected": "contradicted", "why": "w"}
    toy(checks=[toy_check(quantity=Quantity("n/4", of_world), right=share, **alone)])
    (one,) = built(plan_of(sweeps={"n_pairs": {"grid": [1e3, 1e4, 1e5]}})).swept
    found = one.at(1, np.random.default_rng(0), 4)
    assert {name: values.tolist() for name, values in found.items()} == {"share": [2500.0] * 4}


def test_assumptions_are_asked_of_every_check_on_its_worlds(plan_of):
    experiment = built(plan_of(holds=False))
    assert experiment.assumptions() == (
        AssumptionResult("n_pairs holds", False, "by config"),
        AssumptionResult("constant holds", False, "by config"),
    )


def test_assumptions_of_checks_that_are_not_run_are_not_asked(plan_of):
    experiment = built(dataclasses.replace(plan_of(holds=False), only=("constant",)))
    assert experiment.assumptions() == (AssumptionResult("constant holds", False, "by config"),)


def test_a_theorem_without_assumptions_has_none(toy, plan_of):
    toy(assumes=None)
    assert built(plan_of()).assumptions() == ()


# Groups: objects that stand in a world's field of that name ---------------------------------------

TWO_FLIPS = mixture_of_flips(0.3, 0.35, 1.0)


@dataclass(frozen=True, kw_only=True)
class Known:
    """Learners that know the channel, and an objective whose divergence may be chosen."""

    n_pairs: Pairs = 1
    epsilon: Epsilon = 1.0
    response: Any = RANDOMIZED_RESPONSE
    channel: Any = None
    regulariser: Any = KL


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """Learners that know of randomized response alone."""

    n_pairs: Pairs = 1
    channel: Any = None


def grouped(world, **chosen):
    """The check of a theorem on a class of worlds, with groups chosen."""
    check = Check(name="n", axis="n_pairs", claim=Ratio("one"), right=lambda world: 1.0,
                  wrong=[lambda world: 2.0],
                  quantity=Quantity("one", of_world, evidence="exact"))  # fmt: skip
    theorem = Theorem(title="t", checks=[check], worlds={"one": world}, module="theorems.t")
    numbers = TheoremNumbers(name="t", worlds={"one": {}}, sweeps={"n": {"grid": [1, 2]}})
    setting = Setting(Overrides(), {"kind": "linear"}, "cpu", Path("x"), **chosen)
    experiment = Experiment(theorem, numbers, setting)
    (one,) = experiment.swept
    return one.sweep.worlds[0], experiment.declared(one).settings


def test_a_channel_that_is_chosen_is_one_that_learners_know_of():
    world, settings = grouped(Known, channel=TWO_FLIPS)
    assert world.channel == world.response == TWO_FLIPS
    assert settings["channel"] == str(TWO_FLIPS)
    assert grouped(Unknown, channel=TWO_FLIPS)[0].channel is None


def test_instances_are_built_where_the_run_says(plan_of):
    plan = plan_of()
    setting = dataclasses.replace(plan.setting, device="cuda", cache=Path("tables"))
    before = device_in_use(), cache_in_use()
    with built(dataclasses.replace(plan, setting=setting)).building():
        assert (device_in_use(), cache_in_use()) == ("cuda", Path("tables"))
    assert (device_in_use(), cache_in_use()) == before


def test_a_second_check_whose_axis_changes_nothing_is_refused(toy, toy_check, plan_of):
    toy(checks=[toy_check(), toy_check(name="flat", axis="num_states", at="states")],
        worlds={"power": Stuck})  # fmt: skip
    sweeps = {"n_pairs": {"grid": [1, 2, 3]}, "flat": {"grid": [1, 2, 3]}}
    plan = plan_of(sweeps=sweeps)
    plan = dataclasses.replace(plan, config=plan.config | {"worlds": {"power": {}}})
    with pytest.raises(BadInput, match="^flat.axis=num_states: nothing here depends on it"):
        built(plan)


@dataclass(frozen=True)
class Stuck:
    """Worlds of which a sweep changes the labels alone."""

    n_pairs: Pairs = 1
    states: float = 1.0

    def along(self, worlds):
        return worlds if worlds[0].n_pairs != worlds[-1].n_pairs else worlds[:1] * len(worlds)


def test_a_number_that_stands_for_a_stage_is_shown_as_it_is_measured(swept_of, plan_of, with_cost):
    experiment = built(plan_of(sweeps=CALLS_TO_COST))
    loud = experiment.swept[0].instead(exponent=-3.0)
    assert experiment.declared(loud).settings["exponent"] == -3.0
    assert experiment.numbers_in_force(experiment.swept[1]) == {"grid": [2.0, 3.0]}


def test_a_channel_is_shown_once():
    assert "response" not in grouped(Known, channel=TWO_FLIPS)[1]


def test_a_reason_a_form_that_holds_and_a_substitute_are_declared(toy, toy_check, plan_of):
    printed = toy_check(name="printed", expected="contradicted", why="a slip")
    toy(checks=[printed, toy_check()], corrected={"printed": "n_pairs"},
        substitute=lambda swept: f"a stand-in for {swept.name}")  # fmt: skip
    sweep = {"grid": [1e3, 1e4, 1e5, 1e6]}
    first, second = built(plan_of(sweeps={"printed": sweep, "n_pairs": sweep})).checks
    assert (first.why, first.corrected, first.substitute) == (
        "a slip", "n_pairs", "a stand-in for printed"
    )  # fmt: skip
    assert (second.why, second.corrected) == ("", "")


def test_what_is_chosen_is_shown_and_what_is_not_is_not():
    world, settings = grouped(Known, regulariser=CHI_SQUARED)
    assert world.regulariser == CHI_SQUARED
    assert settings["regulariser"] == str(CHI_SQUARED)
    assert "regulariser" not in grouped(Known)[1]
