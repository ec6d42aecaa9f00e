"""The map of losses: who wins, how often theory fits, and its files."""

from __future__ import annotations

import csv

import pytest

from repro import loss_choice
from repro.base.errors import BadInput
from repro.base.keywords import keyword_values
from repro.corruption.orders import Order
from repro.families.losses.loss_map import MapCell, loss_map, winners


@pytest.fixture(scope="module")
def cells():
    return loss_map(60, reward_bounds=(12.0,), epsilons=(0.5, 8.0), labels=(10**6, 10**7))


def test_theory_and_simulation_agree_on_at_least_thirty_cells(cells):
    large = [cell for cell in cells if cell.large_sample]
    assert len(large) >= 30
    assert sum(cell.agrees for cell in large) >= 0.9 * len(large)


def test_the_mixture_wins_without_corruption_and_the_square_loss_with(cells):
    found = winners(cells)
    clean = found[12.0, 8.0, 0.0, Order.CTL, 10**7].losses
    assert "mixture" in clean
    assert "square" not in clean
    assert found[12.0, 8.0, 0.01, Order.LTC, 10**7].losses == ("square",)
    assert set(found[12.0, 0.5, 0.0, Order.CTL, 10**7].losses) == {"mixture", "square"}
    assert found[12.0, 0.5, 0.0, Order.CTL, 10**7].ratio[2] > 3


def test_ratios_by_hand():
    def cell(loss, simulated):
        return MapCell(1.0, 1.0, 0.0, Order.CTL, 10, loss, 1.0, simulated, 0.1, True)

    three = [cell("mixture", 1.0), cell("square", 1.03), cell("debiased", 4.0)]
    found = winners(three)[1.0, 1.0, 0.0, Order.CTL, 10]
    assert found.ratio == pytest.approx((1.0, 1.03**0.5, 2.0))
    assert found.losses == ("mixture", "square")
    assert three[1].agrees
    assert not three[2].agrees


def test_the_command_writes_page_figure_and_table(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(loss_choice, "EPSILONS", (0.5, 8.0))
    monkeypatch.setattr(loss_choice, "LABELS", (10**5, 10**6))
    monkeypatch.setattr(
        loss_choice,
        "loss_map",
        lambda replicates, seed, bounds: loss_map(
            replicates, seed, bounds, (0.5, 8.0), (10**5, 10**6)
        ),
    )
    words = [f"folder={tmp_path}", "replicates=20", "reward_bounds=[4.0]"]
    assert loss_choice.main(words) == 0
    page = (tmp_path / "which_loss.md").read_text(encoding="utf-8")
    assert page.count("\n| 4 |") == 8
    assert "cells" in capsys.readouterr().out
    assert (tmp_path / "which_loss.svg").stat().st_size > 1000
    with (tmp_path / "which_loss.csv").open(encoding="utf-8") as handle:
        assert len(list(csv.DictReader(handle))) == 4 * 2 * 2 * 3


def test_the_command_refuses_bad_input_in_one_line(capsys):
    assert loss_choice.main(["replicates=3"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("words", [["seed"], ["seed=1", "seed=2"], ["sead=1"], ["folder=[a"]])
def test_words_that_cannot_be_read(words):
    with pytest.raises(BadInput):
        keyword_values(words, loss_choice.MapRequest)


def test_the_function_answers_for_one_place_and_agrees_with_the_map(cells):
    found = loss_choice.which_loss(
        epsilon=8, n_pairs=1e7, reward_bound=12, corruption=0.01, order="ltc", replicates=60
    )
    assert found.losses == ("square",)
    assert repr(found).startswith("use square\n  mixture: error ")
    there = winners(cells)[12.0, 8.0, 0.01, Order.LTC, 10**7]
    assert found.errors["square"] == pytest.approx(there.error, rel=0.2)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"epsilon": -1, "n_pairs": 10}, "epsilon=-1"),
        ({"epsilon": 1, "n_pairs": 0.5}, "n_pairs"),
        ({"epsilon": 1, "n_pairs": 10, "corruption": 0.5}, "corruption=0.5"),
        ({"epsilon": 1, "n_pairs": 10, "order": "lct"}, "order=lct"),
    ],
)
def test_the_function_refuses_with_the_key_and_the_value(values, line):
    with pytest.raises(BadInput, match=line):
        loss_choice.which_loss(**values)
