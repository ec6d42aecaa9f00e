"""How many blocks budget=laptop has where a block is a training."""

import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.settings import session_of


def blocks(theorem, budget, *overrides):
    return compose_values(theorem, {"budget": budget}, overrides)["budget"]["blocks"]


@pytest.mark.parametrize("theorem", ["llm_ppkl", "llm_rdpo", "llm_chipo"])
def test_laptop_has_what_the_experiment_asks(theorem):
    assert blocks(theorem, "laptop") == 40
    assert blocks(theorem, "laptop", "theorem.laptop_seeds=33") == 33
    assert blocks(theorem, "smoke", "theorem.laptop_seeds=33") == 20


def test_others_have_the_budget_s_own():
    assert blocks("offline_gap", "laptop") == 20


def test_a_number_on_the_command_line_comes_first():
    assert blocks("llm_ppkl", "laptop", "budget.blocks=5") == 5


@pytest.mark.parametrize("value", ["abc", "4", "1001", "2.5", "null"])
def test_a_wrong_number_is_refused_under_its_own_key(value):
    values = compose_values("llm_ppkl", {"budget": "laptop"}, [f"theorem.laptop_seeds={value}"])
    with pytest.raises(BadInput, match=r"^theorem\.laptop_seeds=.*: allowed: "):
        session_of(values)


def test_a_wrong_budget_keeps_its_own_name():
    values = compose_values("llm_ppkl", {"budget": "laptop"}, ["budget.blocks=abc"])
    with pytest.raises(BadInput, match=r"^budget\.blocks=abc: allowed: "):
        session_of(values)
