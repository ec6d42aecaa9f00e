"""Both samplers draw the same distributions: exact counts, right means and variances."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from repro.labels.preferences.block_draws import DrawsOfParts, NumpyDraws, TorchDraws, draws_on

PROB = torch.tensor([0.1, 0.25, 0.05, 0.3, 0.1], dtype=torch.float64)
RUNS = 20_000


def samplers():
    rng = np.random.default_rng(0)
    return [NumpyDraws(rng), TorchDraws(rng, "cpu")]


@pytest.mark.parametrize("draws", samplers(), ids=["numpy", "torch"])
def test_multinomial_counts_have_the_right_moments(draws):
    counts = draws.counts(50, PROB.expand(RUNS, -1)).numpy()
    assert (counts == counts.round()).all()
    assert (counts.sum(axis=1) <= 50).all()
    p = PROB.numpy()
    np.testing.assert_allclose(counts.mean(axis=0), 50 * p, atol=0.15)
    covariance = 50 * (np.diag(p) - np.outer(p, p))
    np.testing.assert_allclose(np.cov(counts.T), covariance, atol=0.45)


@pytest.mark.parametrize("draws", samplers(), ids=["numpy", "torch"])
def test_huge_totals_and_differing_lanes(draws):
    prob = torch.tensor([[0.5, 0.5], [0.0, 0.2], [1.0, 0.0]], dtype=torch.float64)
    counts = draws.counts(10**12, prob)
    assert counts[0].sum() == 10**12
    assert counts[1, 0] == 0
    assert abs(float(counts[1, 1]) - 2e11) < 6 * (1e12 * 0.16) ** 0.5
    assert counts[2].tolist() == [1e12, 0]


@pytest.mark.parametrize("draws", samplers(), ids=["numpy", "torch"])
def test_binomials(draws):
    many = torch.full((RUNS,), 30.0, dtype=torch.float64)
    wins = draws.binomial(many, torch.full_like(many, 0.3))
    assert abs(float(wins.mean()) - 9) < 0.1
    assert abs(float(wins.var()) - 6.3) < 0.4


def test_the_device_decides():
    rng = np.random.default_rng(0)
    assert isinstance(draws_on("cpu", rng), NumpyDraws)


def test_probabilities_that_add_up_to_a_little_more_are_taken():
    """By rounding, in the last of them; numpy refuses a sum above 1."""
    prob = torch.tensor([[0.5, 0.25, 0.25 + 1e-9], [0.2, 0.3, 0.5]], dtype=torch.float64)
    for draws in samplers():
        assert draws.counts(1000, prob).sum(1).tolist() == [1000, 1000]


class Counting:
    """A source that says what it was asked for."""

    def __init__(self, number):
        self.number, self.asked = number, []

    def counts(self, total, prob):
        self.asked.append(total)
        return torch.full_like(prob, float(self.number * total))

    def binomial(self, counts, prob):
        return self.number * counts + prob


def test_parts_draw_from_their_own_source_until_their_own_horizon():
    sources = [Counting(1), Counting(2)]
    draws = DrawsOfParts(sources, [5.0, 12.0])
    prob = torch.arange(4.0)[:, None].expand(4, 2)
    found = [draws.counts(4, prob)[:, 0].tolist() for _ in range(4)]
    assert found == [[4, 4, 8, 8], [1, 1, 8, 8], [0, 0, 8, 8], [0, 0, 0, 0]]
    assert [source.asked for source in sources] == [[4, 1], [4, 4, 4]]
    counts = torch.full((4, 1), 10.0)
    assert draws.binomial(counts, prob[:, :1])[:, 0].tolist() == [10, 11, 22, 23]
