"""LTC(α) against CTL((1−τ)c(ε)α) end to end, and couplings that are broken."""

import math

import numpy as np
import pytest

from repro.core.stream import stream
from repro.labels.corruption import protocols
from repro.labels.corruption.protocols import (
    Sequential,
    alike,
    arrived,
    by_labels,
    interactive,
    no_label,
)
from theorems import order_of_corruption as order


def test_laws_agree_to_rounding_and_randomized_response_needs_all_that_is_allowed(smoke, by_name):
    found = by_name(smoke)
    for name in ("law_response", "law_k_ary", "law_unary", "law_laplace", "law_interactive"):
        assert found[name].outcome.numbers["max_ratio"] < 1e-4  # of 1e-9
    assert found["replaced_interactive"].outcome.numbers["max_ratio"] > 0.5
    assert found["stopped"].outcome.numbers["max_ratio"] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("randomizer", ["response", "asymmetric", "laplace", "erased"])
def test_twelve_users_who_are_enumerated(randomizer):
    """Every vector of twelve labels and every transcript of two messages; of three, of seven users.

    All that is compared is the law of labels and messages behind the coupling and in front.
    """
    channel = protocols.RANDOMIZERS[randomizer](0.7)
    users, rng = (12 if channel.shape[1] == 2 else 7), np.random.default_rng(3)
    law = rng.dirichlet(np.ones(2**users))
    protocol = Sequential(law, alike(channel, users))
    apart = changed = 0.0
    for laws in arrived(protocol, by_labels(rng, protocol), 1, order.COUPLED):
        apart += np.abs(laws.behind.sum(0) - laws.front).sum()
        changed += np.abs(laws.honest - laws.front).sum()
    assert changed > 0.1
    assert apart < 1e-14


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_channels_spend_their_budget_and_no_more(epsilon):
    for name, of in protocols.RANDOMIZERS.items():
        rows = of(epsilon)
        assert rows.sum(axis=1) == pytest.approx(np.ones(2))
        most = np.abs(np.log(rows[0] / rows[1])).max()
        assert most <= epsilon * (1 + 1e-12)
        if name != "laplace":  # noise spends it in its tails
            assert most == pytest.approx(epsilon)


def test_a_law_of_two_users_by_hand():
    """Randomized response, the first label turned where it is 0: TV and what is replaced."""
    channel = np.array([[0.75, 0.25], [0.25, 0.75]])
    protocol = Sequential(np.array([1.0, 0.0, 0.0, 0.0]), alike(channel, 2))
    wishes = (np.ones((4, 1), bool), np.zeros((4, 2), bool))
    (laws,) = arrived(protocol, wishes, 1, order.COUPLED)
    assert laws.honest[0] == pytest.approx([0.5625, 0.1875, 0.1875, 0.0625])
    assert laws.front[0] == pytest.approx([0.1875, 0.0625, 0.5625, 0.1875])
    assert laws.behind.sum(0)[0] == pytest.approx(laws.front[0])
    assert laws.behind.sum((1, 2)) == pytest.approx([0.5, 0.5])


def test_interactive_channels_differ_by_what_was_sent():
    channels = interactive(np.random.default_rng(0), 1.0, 3, 3)
    assert [one.shape for one in channels] == [(1, 2, 3), (3, 2, 3), (9, 2, 3)]
    assert np.ptp(channels[2], axis=0).max() > 0.1


@pytest.mark.parametrize("name", ["law_response", "law_interactive", "drawn", "alone_response"])
def test_an_idle_adversary_leaves_nothing_to_compare(name, swept_of):
    swept = swept_of()[name].instead(adversary=no_label)
    found = swept.at(0, stream(0, "idle"), 2)[swept.check.right.__name__]
    assert np.isnan(found).all()


def test_a_control_that_forgets_privacy_or_the_order_is_left_out_at_infinity(swept_of):
    """Both orders are one there, and c(ε) = 1."""
    algorithms = swept_of(epsilon=math.inf)["error_of_image"].algorithms
    assert [one.__name__ for one in algorithms] == ["image", "image_left_alone"]
