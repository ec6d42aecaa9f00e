"""How many blocks budget=laptop has where a block is a training."""

import pytest

from repro.cli.composition import compose_values


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
