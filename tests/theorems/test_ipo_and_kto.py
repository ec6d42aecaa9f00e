"""IPO and KTO on reports, end to end and by hand."""

import math

import numpy as np
import pytest
import torch

from repro.base.notation import privacy_cost
from theorems import ipo_and_kto as own

PAIRS = own.IpoLabels(epsilon=0.7, n_pairs=1000, temperature=0.2)
RESPONSES = own.KtoLabels(epsilon=0.7, n_pairs=1000, undesirable=0.75, smallest=1e-3)


def test_both_forms_of_ipo_agree_on_every_dataset():
    data = own.pairs_drawn(PAIRS, np.random.default_rng(1), 50)
    assert torch.allclose(own.debiased_ipo(data), own.colder_ipo(data), rtol=1e-12)
    naive = own.ipo_as_it_is(data) * privacy_cost(0.7)
    assert torch.allclose(naive, own.debiased_ipo(data), rtol=1e-12)


def test_ipo_minimises_its_loss_report_by_report():
    data = own.pairs_drawn(PAIRS, np.random.default_rng(2), 1)
    theta = own.ipo_as_it_is(data)[0]

    def loss(at):
        h, target = own.FEATURES @ at, 1 / (2 * PAIRS.temperature)
        win, lose = (h - target) ** 2, (-h - target) ** 2
        return float((own.MASS * (data.wins[0] * win + (1 - data.wins[0]) * lose)).sum())

    for step in torch.eye(2).double():
        assert loss(theta) < min(loss(theta + 1e-3 * step), loss(theta - 1e-3 * step))


def test_the_weighted_loss_of_kto_is_the_unbiased_one_up_to_a_constant():
    cost, (desirable, undesirable) = privacy_cost(0.7), own._weights(RESPONSES)
    up = np.linspace(0.01, 0.99, 9)  # σ(u)
    of = {1: 1 - up, -1: 0.75 * up}
    weighted = {1: desirable * (1 - up), -1: undesirable * up}
    for z in (1, -1):
        unbiased = ((cost + 1) * of[z] - (cost - 1) * of[-z]) / 2
        assert np.ptp(weighted[z] - unbiased) < 1e-12
    for y in (1, -1):
        keep = math.exp(0.7) / (1 + math.exp(0.7))
        mean = keep * weighted[y] + (1 - keep) * weighted[-y]
        assert np.ptp(mean - of[y]) < 1e-12


def test_debiased_and_reweighted_kto_decide_alike():
    data = own.responses_drawn(RESPONSES, np.random.default_rng(3), 40)
    found = own.debiased_kto(data)
    assert torch.equal(found, own.reweighted_kto(data))
    assert not torch.equal(found, own.kto_as_it_is(data))


def test_kto_as_it_is_gives_one_answer_from_the_printed_budget_on():
    edge = math.log(8 / 6)
    assert f"{edge:.4f}" == "0.2877"
    for epsilon, answers in ((edge * 0.999, 1), (edge * 1.01, 2)):
        world = own.KtoLabels(epsilon=epsilon, n_pairs=1000, undesirable=0.75, smallest=1e-3)
        eta = torch.linspace(1e-4, 1 - 1e-4, 4001)[None].double()
        share = 0.5 + (eta - 0.5) / privacy_cost(epsilon)
        loss_up, loss_down = (1 - share) * 0.75, share
        assert len(torch.sign(loss_down - loss_up).unique()) == answers
        assert own.predicted_threshold(world) == pytest.approx(0.5 - privacy_cost(epsilon) / 14)


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("theorem.worlds.unequal.undesirable=10", "undesirable between 3/7 and 7/3"),
        ("theorem.worlds.equal.smallest=0.5", "smallest below 0.3"),
        ("theorem.worlds.pairs.n_pairs=5", "n_pairs at least 10"),
    ],
)
def test_a_world_that_is_none_is_named_by_its_number(refused, override, told):
    key = override.partition("=")[0]
    refused(rf"^{key}=[\d.]+: allowed: {told}", override)


def test_no_place_to_turn_is_a_failed_assumption(plan_of):
    plan = plan_of("theorem.worlds.unequal.undesirable=0.5")
    assert [one.holds for one in plan.assumptions()] == [True, False]
