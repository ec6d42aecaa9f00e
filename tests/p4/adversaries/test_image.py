"""The strong adversary in front of a randomizer, played behind it."""

import numpy as np
import pytest
import torch

from repro.base.notation import privacy_cost
from repro.labels.corruption.debiasing import debiased
from repro.labels.corruption.orders import Order, Randomize
from repro.labels.preferences.label_counts import LabelCounts
from repro.p4.adversaries.adversary import STRONG
from repro.p4.adversaries.image import Image
from repro.p4.debiased_mle.targets import LogisticTarget, l2_root

EPSILON, N, ALPHA = 0.5, 10**6, 1e-3


def target():
    x = torch.eye(2, dtype=torch.float64)
    mass, truth = torch.tensor([[0.3, 0.5]]).double(), torch.tensor([0.4, -0.2]).double()
    return LogisticTarget(x, mass, truth, 4.0, l2_root(x))


def counts():
    pairs = torch.tensor([[3e5, 5e5]]).double()
    return LabelCounts(pairs, torch.tensor([[1.8e5, 2.2e5]]).double())


def passed(adversary, order, share, n, rng):
    randomize = Randomize.response(EPSILON)
    given = counts() if n else LabelCounts(counts().pairs / N, counts().wins / N)
    return adversary.channel(order, randomize, share, n, target()).apply(
        rng, given, debiased(EPSILON)
    )


@pytest.mark.parametrize("slack", [0.05, 0.5])
def test_on_average_reports_are_those_of_the_adversary_in_front(slack):
    share = (1 - slack) * privacy_cost(EPSILON) * ALPHA
    behind = passed(Image(slack), Order.LTC, ALPHA, 0, None)
    front = passed(STRONG, Order.CTL, share, 0, None)
    assert behind.wins == pytest.approx(front.wins, rel=1e-12)
    honest = passed(STRONG, Order.CTL, 0.0, 0, None)
    # a share α of reports at most has been changed
    assert 0 < (behind.wins - honest.wins).abs().sum() < ALPHA


@pytest.mark.slow
def test_drawn_reports_have_the_same_mean_and_spread():
    share = 0.8 * privacy_cost(EPSILON) * ALPHA
    rng = np.random.default_rng(0)
    both = [
        np.array([float(passed(one, order, spent, N, rng).wins.sum()) for _ in range(300)])
        for one, order, spent in ((Image(0.2), Order.LTC, ALPHA), (STRONG, Order.CTL, share))
    ]
    error = both[0].std() / 300**0.5
    assert abs(both[0].mean() - both[1].mean()) < 6 * error
    assert both[0].std() == pytest.approx(both[1].std(), rel=0.25)


def test_it_stops_at_its_budget():
    """Twice the labels that αn reports can make up for: what is replaced is αn, and no more."""
    greedy = Image(-1.0)  # τ = −1 wishes for 2c(ε)αn
    honest = passed(STRONG, Order.LTC, 0.0, 0, None)
    found = passed(greedy, Order.LTC, ALPHA, 0, None)
    assert (found.wins - honest.wins).abs().sum() == pytest.approx(ALPHA, rel=1e-9)
