"""One clear line for every wrong value."""

import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.core.door import SweepNumbers
from repro.study.experiment import Budget, Overrides
from repro.study.messages import as_bad_input
from tests.at_each import at_each


@at_each(
    ("key", "value"),
    [
        ("epsilon", 0), ("epsilon", -1.0), ("epsilon", float("nan")), ("epsilon", "half"),
        ("epsilon", True), ("epsilon", [1]), ("n_pairs", 0), ("n_pairs", 1.5), ("n_pairs", "x"),
        ("n_pairs", float("inf")), ("n_pairs", 10**16), ("horizon", -3), ("kl_weight", 0),
        ("kl_weight", -0.5), ("kl_weight", float("inf")), ("kl_weight", False),
    ],
)  # fmt: skip
def test_overrides_out_of_range(key, value):
    with pytest.raises(BadInput, match=rf"^{key}\b.*allowed: ") as refused:
        validate(Overrides, {key: value})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("epsilon", float("inf"), float("inf")),
        ("n_pairs", 1e6, 1_000_000),
        ("n_pairs", 10**15, 10**15),
        ("kl_weight", 1, 1.0),
    ],
)
def test_overrides_in_range(key, value, kept):
    assert getattr(validate(Overrides, {key: value}), key) == kept


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"grid": []}, "theorem.grid=[]: allowed: at least 1 value"),
        ({"grid": [1, 3, 2]}, "theorem.grid: allowed: values that increase"),
        ({"grid": [1, 1, 2]}, "theorem.grid: allowed: values that increase"),
        ({"grid": [1, 2, "x"]}, "theorem.grid.2=x: allowed: a number"),
        ({"grid": [0, 1, 2]}, "theorem.grid.0=0: allowed: greater than 0"),
        ({"replicates": -1}, "theorem.replicates=-1: allowed: greater than 0"),
    ],
)
def test_sweeps_out_of_range(changes, line):
    with pytest.raises(BadInput) as refused:
        validate(SweepNumbers, {"grid": [1, 2, 3]} | changes, "theorem")
    assert str(refused.value).startswith(line)


def test_a_sweep_needs_a_grid_alone():
    assert validate(SweepNumbers, {"grid": [1]}) == SweepNumbers(world="", grid=(1,), replicates=1)
    assert set(Overrides().model_dump().values()) == {None}


BUDGET = {"name": "smoke", "replicates": 20, "blocks": 5, "check_error": 0.05}


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [("replicates", 20, 10**7), ("blocks", 5, 1000)],
)
def test_edges_of_a_budget(key, least, most):
    for edge in (least, most):
        assert getattr(validate(Budget, BUDGET | {key: edge}), key) == edge
    for beyond in (least - 1, most + 1):
        with pytest.raises(BadInput, match=key):
            validate(Budget, BUDGET | {key: beyond})


def test_an_interval_that_decides_is_at_least_the_printed_one():
    assert validate(Budget, BUDGET).check_error == 0.05
    for beyond in (0.051, 0, -1):
        with pytest.raises(BadInput, match="check_error"):
            validate(Budget, BUDGET | {"check_error": beyond})


def test_a_missing_value_is_named():
    with pytest.raises(BadInput, match=r"^budget\.blocks=\(missing\): a value is required$"):
        validate(Budget, {"name": "smoke", "replicates": 100, "check_error": 0.05}, "budget")


def test_long_values_are_cut():
    with pytest.raises(BadInput) as refused:
        validate(Overrides, {"epsilon": "x" * 1000})
    assert len(str(refused.value)) < 140


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        ("Ambiguous value for argument 'only=a,b'",
         'only=a,b: allowed: a list "only=[a,b]", or -m for a run of each'),
        ("Ambiguous value for argument '++theorem.sweeps.n_pairs.grid=1,2'",
         'theorem.sweeps.n_pairs.grid=1,2: allowed: a list "theorem.sweeps.n_pairs.grid=[1,2]"'),
        ("Ambiguous value for argument 'epsilon=0,5'",
         "epsilon=0,5: allowed: a decimal point, epsilon=0.5, or -m for a run of each"),
        ("Ambiguous value for argument 'kl_weight=0,5'",
         "kl_weight=0,5: allowed: a decimal point, kl_weight=0.5, or -m"),
        ("Ambiguous value for argument 'epsilon=1,x'", "epsilon=1,x: allowed: one value, or -m"),
        ("Ambiguous value for argument 'seed=0,1'", "seed=0,1: allowed: one value, or -m"),
        ("Could not override 'epsilonn'.", "epsilonn: unknown key; did you mean epsilon?"),
        ("Could not override 'beta'.",
         "beta: unknown key; allowed: kl_weight (in P1, β is 1/kl_weight)"),
        ("Could not override 'theorem.scal'.",
         "theorem.scal: unknown key; see --cfg job for the keys there"),
        ("Could not append to config. An item is already at '+epsilonn=1'.", "epsilonn: unknown"),
        ("Could not find match for 'budgett'.", "budgett: unknown key; did you mean budget?"),
        ("Something else", "config: Something else"),
    ],
)  # fmt: skip
def test_what_hydra_refuses_is_one_line(problem, line):
    assert str(as_bad_input(ValueError(problem))).startswith(line)


def test_a_name_that_a_group_lacks_is_refused_with_those_that_it_has():
    def missing(name, *options):
        problem = ValueError("no such file")
        problem.missing_cfg_file, problem.options = name, options
        return str(as_bad_input(problem))

    assert missing("budget/smok", "laptop", "smoke") == (
        "budget=smok: did you mean smoke? allowed: laptop, smoke"
    )
    assert missing("/theorem/offline_gpa", "offline_gap").startswith(
        "theorem=offline_gpa: no such experiment; did you mean offline_gap? repro run --help"
    )
    assert missing("confg", "config") == "config=confg: did you mean config? allowed: config"


def test_the_first_refusal_of_a_chain_is_the_line():
    hidden = BadInput("seed", 1, "allowed: another")
    for chain in ("__cause__", "__context__"):
        problem = ValueError("outer")
        setattr(problem, chain, hidden)
        assert as_bad_input(problem) is hidden
