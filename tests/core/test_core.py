"""Worlds, sweeps and checks: replacing a field is the one operation, and nothing is silent."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pytest

from repro.base.errors import BadInput, BrokenTheorem
from repro.base.schema import MAX_PAIRS, Epsilon, Pairs, Positive
from repro.core.check import (
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    at_both_ends,
    largest_of,
    named,
    privacy_mistake,
)
from repro.core.claims import Frequency, Inequality, Ratio, Slope
from repro.core.door import TheoremNumbers, swept_checks, words_of
from repro.core.worlds import Sweep, field_values, put


@dataclass(frozen=True, kw_only=True)
class Inner:
    """A part of a world."""

    kl_weight: Positive = 1.0


@dataclass(frozen=True, kw_only=True)
class Coins:
    """n coins of deviation σ."""

    n_pairs: Pairs
    epsilon: Epsilon = 1.0
    deviation: Positive = 1.0
    truth: Inner = field(default_factory=Inner)
    side: Literal["heads", "tails"] = "heads"
    bias: float = 0.0

    def more_labels(self, other: Coins) -> float:
        return (self.epsilon / other.epsilon) ** 2


def error(world: Coins, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Squared error of a mean."""
    drawn = world.bias + world.deviation * rng.standard_normal(replicates)
    return (drawn / math.sqrt(world.n_pairs)) ** 2


def scaled(world: Coins, rng: np.random.Generator, replicates: int, by: float) -> np.ndarray:
    """Wrong by a factor."""
    return by * error(world, rng, replicates)


@privacy_mistake
def naive(world: Coins, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: never smaller."""
    return np.ones(replicates)


def check(**fields) -> Check:
    usual = {"name": "n_pairs", "axis": "n_pairs", "claim": Slope("error {rate}", -1),
             "quantity": Quantity("squared error"), "right": error, "wrong": [naive]}  # fmt: skip
    return Check(**{**usual, **fields})


def swept(grid=(10, 100, 1000), world=None, **fields) -> SweptCheck:
    one = check(**fields)
    return SweptCheck(one, Sweep.of(world or Coins(n_pairs=10), one.axis, grid, at=one.at))


def block(one: SweptCheck, seed: int, number: int, replicates: int) -> np.ndarray:
    """(G, algorithms, R) of one block."""
    return one.blocks_and_draws("t", seed, [number], replicates)[0][:, :, 0]


def test_numbers_become_what_the_field_says():
    world = put(Coins(n_pairs=1), {"n_pairs": 1e8, "deviation": 3, "truth.kl_weight": 2})
    assert (world.n_pairs, type(world.n_pairs)) == (10**8, int)
    assert (world.deviation, type(world.deviation)) == (3.0, float)
    assert world.truth == Inner(kl_weight=2.0)
    assert field_values(world)["side"] == "heads"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"n_pairs": 1.5}, "here.n_pairs=1.5: allowed: a whole number"),
        ({"n_pairs": 0}, "here.n_pairs=0: allowed: greater than or equal to 1"),
        ({"epsilon": -1}, "here.epsilon=-1: too small; allowed"),
        ({"side": "edge"}, "here.side=edge: allowed: 'heads' or 'tails'"),
        ({"truth.kl_weight": 0}, "here.truth.kl_weight=0: allowed: greater than 0"),
        ({"deviation": True}, "here.deviation=True: allowed: a number"),
    ],
)
def test_a_value_that_a_field_does_not_allow_gets_one_line(values, told):
    with pytest.raises(BadInput) as problem:
        put(Coins(n_pairs=1), values, "here")
    assert str(problem.value).startswith(told)


def test_a_sweep_replaces_one_field_by_its_own_name_or_by_a_formula():
    assert [world.n_pairs for world in swept().sweep.worlds] == [10, 100, 1000]
    by_cost = Sweep.of(Coins(n_pairs=1), "privacy_cost", (2.0, 3.0))
    assert by_cost.at == "epsilon"
    assert by_cost.worlds[0].epsilon == pytest.approx(math.log(3))
    inner = Sweep.of(Coins(n_pairs=1), "kl_weight", (2.0,), at="truth.kl_weight")
    assert inner.worlds[0].truth.kl_weight == 2.0


@dataclass(frozen=True)
class Chances:
    """Fields that axes of other names set."""

    failure_prob: float = 0.5
    best_share: float = 0.5
    mass: float = 0.5
    reward_bound: float = 0.5
    epsilon: float = 0.5
    holds: bool = True


@pytest.mark.parametrize(
    ("axis", "field_set", "value"),
    [
        ("log_inverse_delta", "failure_prob", math.exp(-4)),
        ("inverse_reference", "best_share", 0.25),
        ("coverage", "mass", 0.25),
        ("inverse_reward_bound", "reward_bound", 0.25),
        ("epsilon_minus_one", "epsilon", math.log(5)),
        ("privacy_cost", "epsilon", math.log(5 / 3)),
    ],
)
def test_an_axis_of_another_name_sets_its_field_by_a_formula(axis, field_set, value):
    sweep = Sweep.of(Chances(), axis, (4.0,))
    assert (sweep.axis, sweep.at, sweep.grid) == (axis, field_set, (4.0,))
    assert getattr(sweep.worlds[0], field_set) == pytest.approx(value)


@pytest.mark.parametrize("value", [0, 1, "yes"])
def test_an_answer_is_true_or_false(value):
    with pytest.raises(BadInput, match=f"^holds={value}: allowed: "):
        put(Chances(), {"holds": value})


def test_an_override_reaches_all_fields_but_those_that_are_swept_or_kept():
    one = swept(keeps=["deviation"]).under({"n_pairs": 7, "deviation": 2.0, "bias": 1.0})
    assert [world.n_pairs for world in one.sweep.worlds] == [10, 100, 1000]
    assert {world.deviation for world in one.sweep.worlds} == {1.0}
    assert {world.bias for world in one.sweep.worlds} == {1.0}


def test_another_budget_takes_labels_with_it():
    one = swept().under({"epsilon": 0.5})
    assert one.scaled == 4.0
    assert one.sweep.grid == (40.0, 400.0, 4000.0)
    with pytest.raises(BadInput, match="would need more than 1e\\+15 labels"):
        swept((1e13, 1e14, 1e15)).under({"epsilon": 1e-3})


def test_labels_that_are_not_swept_stop_at_the_most_there_can_be():
    world = Coins(n_pairs=MAX_PAIRS // 2)
    one = swept((1, 2, 3), world=world, axis="num_states", at="deviation").under({"epsilon": 0.5})
    assert {world.n_pairs for world in one.sweep.worlds} == {MAX_PAIRS}


def test_a_stage_changes_what_is_measured_and_not_what_is_claimed():
    quantity = Quantity("error over variance", over=lambda world: world.deviation**2)
    one = swept(claim=Ratio("right"), quantity=quantity)
    loud = one.instead(deviation=10.0)
    ratio = block(loud, 0, 0, 4)[:, 0] / block(one, 0, 0, 4)[:, 0]
    assert np.allclose(ratio, 100.0)


def test_a_block_is_a_pure_function_of_check_seed_and_number():
    one = swept()
    first = block(one, 0, 0, 5)
    assert first.shape == (3, 2, 5)
    assert np.array_equal(first, block(one, 0, 0, 5))
    assert not np.array_equal(first, block(one, 1, 0, 5))
    assert not np.array_equal(first, block(one, 0, 1, 5))
    assert not np.array_equal(first, block(swept(draws="other"), 0, 0, 5))


def test_blocks_of_a_call_are_cut_from_one_stream_named_by_the_first():
    one = swept()
    values, drew = one.blocks_and_draws("t", 3, range(4, 7), 5)
    assert drew
    assert values.shape == (3, 2, 3, 5)
    assert np.array_equal(values.reshape(3, 2, 15), block(one, 3, 4, 15))


def test_blocks_with_a_stream_each_are_in_a_call_what_each_is_alone():
    def together(worlds, algorithms, rngs, replicates):
        calls.append(len(worlds))
        return [[rng.random(replicates).mean() for _ in algorithms] for rng in rngs]

    calls = []
    one = swept(quantity=Quantity("mean", together=together, stream_per_block=True))
    values, _ = one.blocks_and_draws("t", 3, range(4, 7), 5)
    assert calls == [9]
    assert values.shape == (3, 2, 3, 5)
    for place, number in enumerate(range(4, 7)):
        assert np.array_equal(values[:, :, place], block(one, 3, number, 5))


def test_a_call_measures_as_many_blocks_as_memory_allows():
    assert swept().calls(20, 20) == [range(20)]
    assert swept().calls(5, 160) == [range(2), range(2, 4), range(4, 5)]
    assert swept().calls(2, 401) == [range(1), range(1, 2)]
    assert swept(quantity=Quantity("error", evidence="exact")).calls(20, 20) == [range(1)]
    apart = Quantity("mean", stream_per_block=True)
    assert swept(quantity=apart).calls(2, 20) == [range(1), range(1, 2)]
    batch = Quantity("mean", together=lambda *given: [], stream_per_block=True)
    assert swept(quantity=batch).calls(20, 20) == [range(20)]


def test_alike_algorithms_meet_the_same_draws():
    double = named("double", scaled, by=2.0)
    apart = block(swept(wrong=[double]), 0, 0, 3)
    same = block(swept(wrong=[double], quantity=Quantity("error", alike=True)), 0, 0, 3)
    assert np.array_equal(same[:, 1], 2 * same[:, 0])
    assert not np.array_equal(apart[:, 1], 2 * apart[:, 0])


def test_drawn_data_are_read_by_all_algorithms():
    quantity = Quantity(
        "mean", lambda world, algorithm, data, replicates: algorithm(data),
        drawn=lambda world, rng, replicates: rng.standard_normal(replicates),
    )  # fmt: skip
    one = swept(quantity=quantity, right=np.abs, wrong=[np.negative])
    values = block(one, 0, 0, 3)
    assert np.array_equal(np.abs(values[:, 1]), values[:, 0])


def test_an_exact_check_may_not_draw():
    one = swept(quantity=Quantity("error", evidence="exact"))
    with pytest.raises(RuntimeError, match="n_pairs is exact, and draws"):
        block(one, 0, 0, 3)


def test_mistakes_about_privacy_are_none_where_there_is_none():
    assert len(swept().algorithms) == 2
    assert len(swept(world=Coins(n_pairs=1, epsilon=math.inf)).algorithms) == 1
    first, *others = swept().sweep.worlds
    in_part = replace(swept().sweep, worlds=(replace(first, epsilon=math.inf), *others))
    assert len(SweptCheck(check(), in_part).algorithms) == 2


def test_a_named_algorithm_has_its_name_and_a_signature_without_its_constants():
    half = named("half", scaled, by=0.5)
    assert half.__name__ == half.__qualname__ == "half"
    assert [*inspect.signature(half).parameters] == ["world", "rng", "replicates"]


def test_a_named_list_of_cases_has_its_constants():
    @largest_of
    def multiples(world, most=1):
        return (world * times for times in range(most + 1))

    assert [*named("twice", multiples, most=2).cases(3.0)] == [0.0, 3.0, 6.0]
    assert [*inspect.signature(named("once", multiples)).parameters] == ["world"]


@pytest.mark.parametrize("expected", ["contradicted", "inconclusive"])
def test_what_is_pinned_otherwise_needs_a_reason(expected):
    with pytest.raises(ValueError, match="needs its reason"):
        check(expected=expected)
    with pytest.raises(ValueError, match="no axis 'sheep'"):
        check(axis="sheep")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"settles": "p1.thm_1"}, "n_pairs: settles='p1.thm_1': allowed: a list"),
        ({"wrong": naive}, "n_pairs: wrong is a function; allowed: a list"),
        ({"wrong": [naive, lambda world: 1]}, "is called as <lambda>.world, rng, replicates."),
        ({"right": lambda world: 1}, r"Quantity.words, of_world, evidence=.exact..$"),
        ({"blind": {"label": "x"}}, "blind='label': did you mean labels"),
    ],
)
def test_a_mistake_in_a_check_is_named(fields, told):
    with pytest.raises(ValueError, match=told):
        check(**fields)


def test_an_algorithm_of_a_batch_is_called_as_the_batch_says():
    batch = Quantity("mean", together=lambda worlds, algorithms, rngs, replicates: [])
    assert check(quantity=batch, right=lambda: 1, wrong=[lambda: 2]).wrong


def test_a_number_is_in_the_unit_of_the_claim():
    quantity = Quantity("excess", less=lambda world: 1.0, over=lambda world: world.bias)
    one = swept(world=Coins(n_pairs=1, bias=4.0), quantity=quantity, right=naive, wrong=[error])
    values = block(one, 0, 0, 2)
    assert np.array_equal(values[:, 0], np.zeros((3, 2)))
    raw = block(swept(world=Coins(n_pairs=1, bias=4.0), right=naive, wrong=[error]), 0, 0, 2)
    assert np.allclose(values[:, 1], (raw[:, 1] - 1) / 4)
    assert np.isnan(block(swept(quantity=quantity, right=naive), 0, 0, 2)).all()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "n_pairs: bad gives None; allowed: shape (4,), a number a replicate; or one number"),
        (np.zeros((4, 1)), "n_pairs: bad gives numbers of shape (4, 1); allowed: shape (4,), "),
        (np.zeros(4, complex), "n_pairs: a quantity is complex; a claim is about real numbers"),
    ],
)
def test_what_is_no_number_of_each_replicate_is_refused(value, told):
    bad = named("bad", lambda world, rng, replicates: value)
    with pytest.raises(BrokenTheorem) as refused:
        block(swept(right=bad), 0, 0, 4)
    assert str(refused.value).startswith(told)


def test_a_frequency_counts_events_at_one_failure_probability():
    rare = Frequency("rare")
    some = named("some", lambda world, rng, replicates: np.array([0.0, 1.0, np.nan, 1.0]))
    assert np.nansum(block(swept(right=some, claim=rare), 0, 0, 4)[:, 0]) == 6
    with pytest.raises(BrokenTheorem, match="n_pairs gives 0.3: a frequency counts replicates"):
        block(swept(right=named("no_event", lambda *_: 0.3), claim=rare), 0, 0, 4)

    @dataclass(frozen=True)
    class Rare(Coins):
        failure_prob: float = 0.2

    one = swept(world=Rare(n_pairs=1), claim=rare)
    first, *others = one.sweep.worlds
    worlds = (replace(first, failure_prob=0.1), *others)
    with pytest.raises(BadInput, match="compared with one failure_prob; allowed: another axis"):
        _ = replace(one, sweep=replace(one.sweep, worlds=worlds)).failure_prob


def test_at_one_value_the_claim_is_read_off_the_world_as_it_is_stated():
    quantity = Quantity("error over variance", over=lambda world: world.deviation**2)
    one = swept(claim=Ratio("right"), quantity=quantity)
    rngs = [np.random.default_rng(0) for _ in range(2)]
    quiet, loud = (
        each.at(1, rng, 3)
        for each, rng in zip((one, one.instead(deviation=10.0)), rngs, strict=True)
    )
    assert [*quiet] == ["error", "naive"]
    assert np.allclose(loud["error"], 100 * quiet["error"])


def test_stages_are_replaced_one_after_another():
    both = swept().instead(deviation=2.0).instead(bias=3.0)
    assert {(world.deviation, world.bias) for world in both.measured} == {(2.0, 3.0)}


def test_all_that_is_measured_is_in_the_identity_of_a_check():
    one = swept()
    again = swept()
    assert again.identity == one.identity
    others = [
        swept(wrong=[named("double", scaled, by=2.0)]),
        swept(wrong=[named("double", scaled, by=3.0)]),
        swept(right=named("double", scaled, by=2.0)),
        swept(quantity=Quantity("squared error", over=lambda world: 1.0)),
        swept(quantity=Quantity("squared error", alike=True)),
        swept((10, 100)),
        swept(world=Coins(n_pairs=10, bias=1.0)),
        one.instead(bias=1.0),
    ]
    named_so = [other.identity for other in (one, *others)]
    assert len(set(named_so)) == len(named_so)


def test_how_many_blocks_measure_the_controls():
    """At smoke all; beyond, those of 400 replicates; of whole blocks half, of a largest one."""
    whole = Quantity("mean", stream_per_block=True)
    assert swept().with_controls(20, 20, 400) == 20
    assert swept().with_controls(20, 100, 2000) == 4
    assert swept().with_controls(20, 90, 1800) == 5
    assert swept().with_controls(20, 3, 10**5) == 7
    assert swept(quantity=whole).with_controls(21, 100, 10**5) == 11
    largest = swept(quantity=whole, claim=Inequality("at most"))
    assert largest.with_controls(21, 100, 10**5) == 1
    assert swept(wrong=[], expected="contradicted", why="so").with_controls(20, 100, 10**5) == 20
    assert swept(quantity=Quantity("mean", evidence="exact")).with_controls(20, 1, 10**5) == 20


def test_a_claim_that_may_fail_does_so_with_the_chance_of_its_world():
    @dataclass(frozen=True)
    class Rare(Coins):
        failure_prob: float = 0.2

    common = {"name": "row", "axis": "n_pairs", "grid": (1.0,), "quantity": "q", "method": "m"}
    for world, allowed in ((Coins(n_pairs=1), 0.05), (Rare(n_pairs=1), 0.2)):
        one = swept(world=world, claim=Frequency("rare"))
        assert one.check.claim.check(common, one).allowed == allowed


@dataclass(frozen=True)
class Text:
    digest: str = ""


@dataclass(frozen=True)
class OnText(Coins):
    instance: Text = field(default_factory=Text)


def test_a_check_on_one_file_of_pairs_among_others_quotes_none():
    one = swept(world=OnText(n_pairs=1))
    assert not one.has_pairs
    first, *others = one.sweep.worlds
    worlds = (replace(first, instance=Text("d")), *others)
    assert replace(one, sweep=replace(one.sweep, worlds=worlds)).has_pairs


def test_an_error_of_ones_own_code_is_quoted_but_where_worlds_have_pairs():
    mine = {"__name__": "theorems_in_1.mine"}
    code = "def bad(world, rng, replicates): float('a label')"
    exec(compile(code, "/x/theorems/mine.py", "exec"), mine)
    with pytest.raises(BrokenTheorem, match="a label"):
        block(swept(right=mine["bad"]), 0, 0, 2)
    on_pairs = swept(right=mine["bad"], world=OnText(n_pairs=1, instance=Text("d")))
    with pytest.raises(ValueError, match="a label") as raised:
        block(on_pairs, 0, 0, 2)
    assert not isinstance(raised.value, BrokenTheorem)


def theorem(**fields) -> Theorem:
    return Theorem(title="Coins", settles=["own.x"], checks=[check()],
                   worlds={"coins": Coins}, **fields)  # fmt: skip


def test_what_is_pinned_supported_needs_a_control():
    with pytest.raises(ValueError, match="n_pairs has no control, so a wrong implementation could"):
        replace(theorem(), checks=[check(wrong=[])])
    replace(theorem(), checks=[check(wrong=[], expected="contradicted", why="printed so")])


@pytest.mark.parametrize(
    ("corrected", "told"),
    [
        (
            {"n_pairs": "printed"},
            "corrected: 'n_pairs' is no check that is expected to be contradicted",
        ),
        ({"none": "n_pairs"}, "corrected: 'none' is no check that is expected to be contradicted"),
        (
            {"printed": "printed"},
            "corrected: 'printed' is no check that is expected to be supported",
        ),
        ({"printed": "none"}, "corrected: 'none' is no check that is expected to be supported"),
    ],
)
def test_a_corrected_form_is_one_that_holds(corrected, told):
    printed = check(name="printed", expected="contradicted", why="printed so")
    checks = [check(), printed]
    for fine in ({"printed": "n_pairs"}, {"printed": "elsewhere: n_pairs"}):
        replace(theorem(), checks=checks, corrected=fine)
    with pytest.raises(ValueError, match=told):
        replace(theorem(), checks=checks, corrected=corrected)


def test_a_statement_is_named_once_and_our_own_has_no_substitute():
    checks = [check(), check(name="b", settles=["p1.tab_1"]), check(name="c")]
    many = replace(
        theorem(), checks=checks, substitute=lambda swept: f"a stand-in for {swept.name}"
    )
    assert many.statements == ("own.x", "p1.tab_1")
    shown = [many.substitute_of(SweptCheck(one, swept().sweep)) for one in checks]
    assert shown == ["", "a stand-in for b", ""]


def numbers(**fields) -> TheoremNumbers:
    usual = {"name": "coins", "worlds": {"coins": {"n_pairs": 10}},
             "sweeps": {"n_pairs": {"grid": [10, 100, 1000]}}}  # fmt: skip
    return TheoremNumbers.model_validate({**usual, **fields})


def test_the_config_gives_worlds_and_sweeps():
    (one,) = swept_checks(theorem(), numbers(), "linear")
    assert [world.n_pairs for world in one.sweep.worlds] == [10, 100, 1000]
    assert swept_checks(theorem(), numbers(), "preference_text") == ()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"worlds": {"coins": {"n_pair": 1}}}, "theorem.worlds.coins.n_pair=.unknown.: did you"),
        ({"worlds": {"coins": {}}}, "theorem.worlds.coins.n_pairs=.missing.: a value is required"),
        ({"worlds": {"coins": {"kind": "dice", "n_pairs": 1}}}, "theorem.worlds.coins.kind=dice"),
        ({"worlds": {"coins": {"n_pairs": 1, "truth": {"kl": 2}}}}, "coins.truth.kl=.unknown."),
        ({"sweeps": {}}, "theorem.sweeps.n_pairs=.missing.: a sweep is required"),
        ({"sweeps": {"n_pair": {"grid": [1]}}}, "theorem.sweeps.n_pair=.unknown."),
        ({"sweeps": {"n_pairs": {"grid": [1, 2]}}}, "allowed: at least 3 values"),
        ({"sweeps": {"n_pairs": {"grid": [3, 2, 1]}}}, "allowed: values that increase"),
        ({"sweeps": {"n_pairs": {"grid": [1, 2, 3], "world": "dice"}}}, "n_pairs.world=dice"),
        ({"sweeps": {"n_pairs": {"grid": [1, 2, 3], "luck": 1}}}, "n_pairs.luck=.unknown."),
        ({"sweeps": {"n_pairs": {"grid": [0.5, 1, 2]}}}, "n_pairs.grid.0=0.5: allowed: at least 1"),
        ({"sweeps": {"n_pairs": {"grid": [1, 2, 2]}}}, "n_pairs.grid: allowed: values that incr"),
        (
            {"worlds": {"a": {"n_pairs": 1}, "b": {"n_pairs": 1}}},
            "n_pairs.world=.missing.: allowed: a, b",
        ),
        (
            {"instances": {"text": {"n_pairs": {"world": "dice"}}}},
            "theorem.instances.text.n_pairs.world=dice: allowed: coins",
        ),
        ({"worlds": {"coins": {"n_pairs": None}}}, "coins.n_pairs=.missing.: a value is required"),
        ({"sweeps": {"n_pairs": {"grid": [1, 2, 3], "bias": "x"}}}, "n_pairs.bias=x: allowed"),
    ],
)
def test_a_wrong_key_of_the_config_gets_one_line(fields, told):
    with pytest.raises(BadInput, match=told):
        swept_checks(theorem(), numbers(**fields), "linear")


def test_a_sweep_on_another_instance_has_what_it_does_not_say_from_the_first():
    own = {"n_pairs": {"grid": [1, 2, 3], "bias": 2.0}}
    given = numbers(sweeps={"n_pairs": {"grid": [10, 20, 30], "replicates": 5, "bias": 1.0}},
                    instances={"text": own})  # fmt: skip
    (one,) = swept_checks(theorem(), given, "text")
    assert (one.sweep.grid, one.sweep.replicates) == ((1, 2, 3), 5)
    assert {world.bias for world in one.sweep.worlds} == {2.0}


def test_a_sweep_may_set_a_field_of_a_field():
    given = numbers(sweeps={"n_pairs": {"grid": [1, 2, 3], "truth.kl_weight": 2}})
    (one,) = swept_checks(theorem(), given, "linear")
    assert {world.truth.kl_weight for world in one.sweep.worlds} == {2.0}


def test_words_of_a_class_come_before_those_that_it_derives_from():
    first = type("First", (), {"words": {"side": {"x": 1}, "law": {"y": 2}}})
    assert words_of(type("Second", (first,), {"words": {"side": {"x": 3}}})) == {
        "side": {"x": 3}, "law": {"y": 2},
    }  # fmt: skip


def test_a_world_says_its_kind_where_there_are_two():
    two = replace(theorem(), worlds={"coins": Coins, "more": Coins})
    with pytest.raises(BadInput, match="coins.kind=.missing.: write kind: coins or more"):
        swept_checks(two, numbers(), "linear")


def test_assumptions_are_asked_of_the_worlds_that_they_are_about():
    assumes = at_both_ends(lambda world: [("any", True, "")], of=Inner)
    assert [*assumes(swept())] == []


def test_assumptions_are_asked_at_both_ends_of_a_sweep():
    assumes = at_both_ends(lambda world: [("many", world.n_pairs > 50, f"{world.n_pairs}")])
    assert [*assumes(swept())] == [("at 10: many", False, "10"), ("at 1000: many", True, "1000")]


def test_equal_worlds_are_equal():
    assert replace(Coins(n_pairs=1), bias=0.0) == Coins(n_pairs=1)
