"""The map of losses: who wins, how often theory fits, and its files."""

from __future__ import annotations

import csv

import pytest

from repro.base.errors import BadInput
from repro.commands import which_loss as loss_choice
from repro.commands.process.command import status_of
from repro.labels.corruption.orders import Order
from repro.p2.losses.loss_map import MapCell, loss_map, winners


@pytest.fixture(scope="module")
def cells():
    return loss_map(60, reward_bounds=(12.0,), epsilons=(0.5, 8.0), labels=(10**6, 10**7))


def test_theory_and_simulation_agree_on_at_least_thirty_cells(cells):
    learnt = [cell for cell in cells if cell.learnt]
    assert len(learnt) >= 30
    assert sum(cell.agrees for cell in learnt) >= 0.9 * len(learnt)


def test_no_adversary_of_the_map_gains_by_a_change(cells):
    assert max(cell.gain for cell in cells) < 1.01


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
    assert status_of(loss_choice.main, words) == 0
    page = (tmp_path / "which_loss.md").read_text(encoding="utf-8")
    assert page.count("\n| 4 |") == 8
    assert "no changed adversary gains" in capsys.readouterr().out
    assert (tmp_path / "which_loss.svg").stat().st_size > 1000
    with (tmp_path / "which_loss.csv").open(encoding="utf-8") as handle:
        assert len(list(csv.DictReader(handle))) == 4 * 2 * 2 * 3


def test_it_answers_with_ratios_a_regime_and_a_place(capsys):
    words = "epsilon=8 corruption=0.03 order=ltc n_pairs=1e6 margin=12"
    assert status_of(loss_choice.main, words.split()) == 0
    out = capsys.readouterr().out
    assert out.startswith("square loss\n")
    assert "square 1," in out
    assert "regime: corruption decides" in out
    assert "IPO and KTO were not compared: IPO takes tau/1.001 instead of tau" in out
    assert "B = 12, α = 0.01 LTC" in out
    assert max(map(len, out.splitlines())) <= 80


def test_it_says_what_ipo_needs_of_reports_that_are_right_three_times_in_four(capsys):
    """z² = 1, E[z | y] = y/2: 2z is unbiased, of variance 4 − m², at least 4·(1 − m²)."""
    status_of(loss_choice.main, ["epsilon=1.0986122886681098", "n_pairs=1e5"])
    said = " ".join(capsys.readouterr().out.split())
    assert "IPO takes tau/2 instead of tau, and c(epsilon)^2 = 4 times the labels or more" in said
    status_of(loss_choice.main, ["epsilon=inf", "n_pairs=1e5"])
    assert "labels without privacy need no debiasing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("epsilon=0.5 n_pairs=1e7", "privacy noise decides"),
        ("epsilon=inf n_pairs=1e5", "sampling noise decides"),
        ("epsilon=0.1 n_pairs=1e3", "none: with so few labels"),
        ("epsilon=1 n_pairs=1e6", "a tie"),
        ("epsilon=8 n_pairs=1e9 corruption=.2 margin=5", "none: corruption hides the reward"),
        ("epsilon=8 n_pairs=1e9 corruption=.2 margin=5", "corruption's floor decides"),
        ("epsilon=1 n_pairs=20 corruption=.001", "none: with so few labels"),
        ("epsilon=0.1 n_pairs=1e3", "the range of the class decides"),
        ("epsilon=1 n_pairs=1e6", "reward differences even over [-4, 4]"),
        ("epsilon=1 n_pairs=1e6", "no corruption"),
    ],
)
def test_what_it_says_of_other_settings(capsys, words, said):
    assert status_of(loss_choice.main, words.split()) == 0
    assert said in capsys.readouterr().out.replace("\n  ", " ")


def test_the_place_is_drawn(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(loss_choice, "EPSILONS", (0.5, 8.0))
    monkeypatch.setattr(loss_choice, "LABELS", (10**5, 10**6))
    drawn = {}
    right = loss_choice.draw_loss_map

    def draw(*given, marked):
        drawn["at"] = marked
        return right(*given, marked=marked)

    monkeypatch.setattr(loss_choice, "draw_loss_map", draw)
    words = f"epsilon=6 n_pairs=2e5 figure={tmp_path / 'place.svg'}"
    assert status_of(loss_choice.main, words.split()) == 0
    assert drawn["at"] == (1, 0)
    assert (tmp_path / "place.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("folder=x replicates=3", "replicates=3"),
        ("epsilon=1", "n_pairs=(missing)"),
        ("n_pairs=5", "epsilon=(missing)"),
        ("epsilon=0 n_pairs=5", "epsilon=0: too small; allowed: 1e-6 to 100"),
        ("epsilon=1 n_pairs=5 margin=30", "margin=30: allowed: less than"),
        ("epsilon=1 n_pairs=5 order=clc", "order=clc: allowed: 'ctl' or 'ltc'"),
        ("epsilon=1 n_pairs=5 corruption=0.5", "corruption=0.5"),
        ("epsilon=1 n_pairs=5 figure=x.doc", "figure=x.doc: allowed: NAME.svg in a folder"),
        ("epsilon=1 n_pairs=5 figure=no/x.svg", "figure=no/x.svg: allowed: NAME.svg in a folder"),
        ("folder=/dev/full/x", "folder=/dev/full/x: cannot be written"),
        ("epsilon=1 n_pairs=5 folder=x", "epsilon=1: allowed: without folder="),
        ("folder=x reward_bounds=[50]", "reward_bounds.0=50"),
    ],
)
def test_the_command_refuses_bad_input_in_one_line(words, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert status_of(loss_choice.main, words.split()) == 2
    found = capsys.readouterr()
    assert said in found.err
    assert found.err.count("\n") == 1
    assert not found.out
    assert list(tmp_path.iterdir()) == []


def test_the_function_says_what_the_command_prints(capsys):
    words = "epsilon=8 corruption=0.03 order=ltc n_pairs=1e6 margin=12"
    assert status_of(loss_choice.main, words.split()) == 0
    found = loss_choice.which_loss(epsilon=8, corruption=0.03, order="ltc", n_pairs=1e6, margin=12)
    assert found.best == ("square",)
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith(" ".join(repr(found).split()))


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


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            {"epsilon": 8, "n_pairs": 1e6, "corruption": 0.03, "order": "ltc", "margin": 12},
            [
                "in repro finetune: loss=square is the square loss",
                "then: repro finetune OUT.jsonl MODEL loss=square",
            ],
        ),
        ({"epsilon": 0.1, "n_pairs": 10}, []),
    ],
)
def test_the_answer_says_what_finetune_calls_the_loss(question, said):
    lines = list(loss_choice.answer(loss_choice.LossRequest(**question)))
    assert [text for text in lines if "finetune" in text] == said
    assert lines[-2 if said else -1].startswith("next: ")
