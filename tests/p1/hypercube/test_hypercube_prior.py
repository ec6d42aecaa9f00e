"""The hypercube of P1's lower bound."""

import math

import numpy as np
import pytest

from repro.p1.hypercube.prior import HypercubePrior, bernoulli_kl, draw_counts


def prior(**changed):
    values = {
        "num_states": 4, "coverage": 5.0, "kl_weight": 0.25, "reward_bound": 4.0,
        "tilt": 0.5, "epsilon": math.log(3),
    }  # fmt: skip
    return HypercubePrior(**{**values, **changed})


def test_numbers_by_hand():
    world = prior()
    assert world.base == pytest.approx(0.25 * math.log(4))
    assert world.cell_prob == pytest.approx(2 * 4 / (4 * 25))
    assert world.log_odds == 2.0
    sigmoid = 1 / (1 + math.exp(-(world.base + 0.5)))
    assert world.win_prob(math.log(3))[0] == pytest.approx(0.25 + 0.5 * sigmoid)
    assert world.win_prob(math.inf)[0] == pytest.approx(sigmoid)


@pytest.mark.parametrize(("q", "p"), [(0.3, 0.6), (0.5, 0.5 + 1e-9), (0.2, 0.2), (0.9, 0.1)])
def test_kl_against_the_textbook_form(q, p):
    with np.errstate(all="ignore"):
        textbook = q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))
    near = (q - p) ** 2 / (2 * p * (1 - p))
    expected = near if abs(q - p) < 1e-6 else textbook
    assert bernoulli_kl(q, p) == pytest.approx(expected, rel=1e-6, abs=1e-300)


def test_pair_kl_is_the_cell_share_of_the_label_kl():
    world = prior()
    q, p = world.win_prob(world.epsilon)
    assert world.pair_kl == pytest.approx(0.08 * max(bernoulli_kl(q, p), bernoulli_kl(p, q)))


def test_counts_have_the_law_of_private_labels():
    world = prior()
    signs, pairs, wins = draw_counts(world, np.random.default_rng(1), 10**6, 500)
    assert signs.shape == pairs.shape == wins.shape == (500, 4)
    assert abs(signs.mean()) < 0.1
    assert pairs.mean() == pytest.approx(0.08 * 10**6, rel=1e-3)
    above, below = world.win_prob(world.epsilon)
    share = wins / pairs
    assert share[signs > 0].mean() == pytest.approx(above, abs=3e-4)
    assert share[signs < 0].mean() == pytest.approx(below, abs=3e-4)


def test_under_a_uniform_reference_both_responses_are_equally_likely():
    even = prior().under_uniform_reference()
    assert (even.coverage, even.base) == (2.0, 0.0)
    assert even.cell_prob == pytest.approx(1 / (4 * 2))
    assert (even.tilt, even.epsilon) == (prior().tilt, prior().epsilon)
