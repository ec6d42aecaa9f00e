"""The algebra of orders, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import epsilon_of_cost
from repro.labels.corruption.debiasing import (
    Reading,
    biased,
    cost_squared,
    debiased,
    no_debias,
    shift_without_scale,
)
from repro.labels.corruption.orders import (
    Channel,
    Corrupt,
    Order,
    Randomize,
    binomial,
    channel,
    order_of,
)
from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_law import (
    AsymmetricResponse,
    no_randomizer,
    randomized_response,
)

HUNDRED = LabelCounts(
    torch.tensor([[100.0]], dtype=torch.float64), torch.tensor([[60.0]], dtype=torch.float64)
)
RESPONSE = Randomize(0.75, 0.25)


class AddTen:
    """Corruption that adds ten wins and remembers how it was told they would be read."""

    def __init__(self):
        self.seen: list[Reading] = []

    def __call__(self, rng, counts, reading):
        self.seen.append(reading)
        return LabelCounts(counts.pairs, counts.wins + 10)


@pytest.mark.parametrize(
    ("order", "wins", "scales"),
    [
        (Order.CTL, 70 * 0.75 + 30 * 0.25, [1.0]),
        (Order.LTC, 60 * 0.75 + 40 * 0.25 + 10, [2.0]),
        (Order.CLC, 70 * 0.75 + 30 * 0.25 + 10, [1.0, 2.0]),
    ],
)
def test_three_orders(order, wins, scales):
    model = AddTen()
    seen = channel(order, RESPONSE, model).apply(None, HUNDRED, Reading(2.0, 0.25))
    assert float(seen.wins) == pytest.approx(wins)
    assert [reading.scale for reading in model.seen] == scales


def test_composition_is_associative_and_names_the_orders():
    a, b, c = Corrupt(AddTen()), RESPONSE, Corrupt(AddTen())
    left, right = (Channel((a,)) >> b) >> c, Channel((a,)) >> (Channel((b,)) >> c)
    assert left.stages == right.stages == (a, b, c)
    assert channel(Order.CLC, b, a.model, c.model).stages == (a, b, c)


def test_a_flip_is_worth_c_behind_the_randomizer():
    for cost in (1.5, 4.0, 20.0):
        reading = debiased(epsilon_of_cost(cost))
        stage = Randomize.response(epsilon_of_cost(cost))
        before = stage.reading_before(reading)
        assert reading.scale == pytest.approx(cost)
        assert (before.scale, before.shift) == (pytest.approx(1.0), pytest.approx(0.0, abs=1e-12))


def test_wrong_readings_are_not_the_identity_in_front():
    epsilon = epsilon_of_cost(4.0)
    stage = Randomize.response(epsilon)
    for reading in (no_debias, shift_without_scale, cost_squared, biased):
        before = stage.reading_before(reading(epsilon))
        assert abs(before.scale - 1) + abs(before.shift) > 0.01


def test_a_reading_in_front_is_the_mean_of_that_behind():
    epsilon = epsilon_of_cost(4.0)
    stage = Randomize.response(epsilon)
    for reading_of in (debiased, no_debias, shift_without_scale, cost_squared, biased):
        reading = reading_of(epsilon)
        behind = reading(stage.apply(None, HUNDRED, reading))
        assert float(stage.reading_before(reading)(HUNDRED)) == pytest.approx(float(behind))


def test_randomizer_samples_its_mean():
    rng = np.random.default_rng(0)
    counts = LabelCounts(HUNDRED.pairs.expand(4000, 1), HUNDRED.wins.expand(4000, 1))
    wins = RESPONSE.apply(rng, counts, Reading(1.0, 0.0)).wins
    assert float(wins.mean()) == pytest.approx(55, abs=0.3)
    assert float(wins.var()) == pytest.approx(100 * 0.75 * 0.25, rel=0.1)


def test_an_asymmetric_randomizer_composes_too():
    counts = Randomize(0.9, 0.5).apply(None, HUNDRED, Reading(1.0, 0.0))
    assert float(counts.wins) == pytest.approx(60 * 0.9 + 40 * 0.5)


def test_a_channel_of_label_laws_as_a_randomizer():
    assert Randomize.of(randomized_response, 1.0) == Randomize.response(1.0)
    assert Randomize.of(no_randomizer, 1.0) == Randomize(1.0, 0.0)
    found = Randomize.of(AsymmetricResponse(0.9, 0.5), 1.0)
    assert (found.win_given_win, found.win_given_loss) == (pytest.approx(0.9), 0.5)
    by_law = randomized_response(torch.tensor([1.0, 0.0], dtype=torch.float64), 1.0)
    printed = Randomize.response(1.0)
    assert by_law.tolist() == pytest.approx([printed.win_given_win, printed.win_given_loss])


def test_binomial_without_a_stream_is_the_mean():
    assert float(binomial(None, torch.tensor(8.0), 0.25)) == 2.0


def test_an_order_is_named_in_any_case_and_the_nearest_is_suggested():
    assert [order_of(name) for name in ("ctl", "LTC", "Clc")] == [Order.CTL, Order.LTC, Order.CLC]
    with pytest.raises(BadInput, match=r"^a=ctll: did you mean CTL\? allowed: CTL, LTC, CLC$"):
        order_of("ctll", "a")
