from __future__ import annotations

import itertools
import struct
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from repro.labels.privacy import exact_response
from repro.labels.privacy.exact_response import (
    WORDS,
    ExactResponse,
    flip_threshold,
    random_bytes,
    random_words,
)

BUDGETS = ["1e-6", "0.01", "0.1", "0.5", "1", "1.0986122886681098", "3", "10", "40"]


@pytest.mark.parametrize("text", BUDGETS)
def test_flip_probability_is_the_smallest_multiple_that_keeps_the_guarantee(text):
    epsilon = Decimal(text)
    threshold = flip_threshold(epsilon)
    with localcontext() as context:
        context.prec = 120
        odds = epsilon.exp()
        assert Decimal(WORDS - threshold) / threshold <= odds
        assert Decimal(WORDS - threshold + 1) / (threshold - 1) > odds


@pytest.mark.parametrize("text", BUDGETS)
def test_opendp_and_dp_accounting_agree_with_the_guarantee(text):
    coin = ExactResponse.at(Decimal(text))
    assert (
        Decimal("0.999") * Decimal(text) - Decimal("1e-12") <= coin.epsilon_spent <= Decimal(text)
    )
    if Decimal(text) > 20:
        return
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    mechanism = dp.m.make_randomized_response_bool(float(1 - coin.flip_prob))
    assert mechanism.map(1) == pytest.approx(float(text), rel=1e-8, abs=1e-12)
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    loss = pld.from_randomized_response(
        2 * float(coin.flip_prob), 2, value_discretization_interval=float(text) / 1000
    )
    assert loss.get_delta_for_epsilon(float(text) * 1.002) == 0
    assert loss.get_delta_for_epsilon(float(text) * 0.99) > 0


def test_words_below_the_threshold_flip(monkeypatch):
    coin = ExactResponse.at(Decimal("0.5"))
    words = [0, coin.threshold - 1, coin.threshold, WORDS - 1]
    monkeypatch.setattr(exact_response.os, "urandom", lambda size: struct.pack("4Q", *words))
    assert list(itertools.islice(coin.flips(), 6)) == [True, True, False, False, True, True]


def test_flips_come_at_their_rate():
    coin = ExactResponse.at(Decimal("0.5"))
    count = 100_000
    hits = sum(itertools.islice(coin.flips(), count))
    p = float(coin.flip_prob)
    assert abs(hits - count * p) < 7 * (count * p * (1 - p)) ** 0.5


def test_a_biased_sampler_would_be_seen():
    rounded_down = flip_threshold(Decimal("0.5")) - 1
    odds = Fraction(WORDS - rounded_down, rounded_down)
    with localcontext() as context:
        context.prec = 60
        assert Decimal(odds.numerator) / odds.denominator > Decimal("0.5").exp()


def test_the_budget_spent_has_thirty_digits():
    spent = ExactResponse.at(Decimal("0.5")).epsilon_spent
    assert len(spent.as_tuple().digits) == 30


def test_as_much_entropy_is_fetched_as_is_asked_for(monkeypatch):
    sizes = []

    def entropy(size):
        sizes.append(size)
        return bytes(range(size))

    monkeypatch.setattr(exact_response.os, "urandom", entropy)
    words = list(itertools.islice(random_words(2), 3))
    assert words[:2] == list(struct.unpack("2Q", bytes(range(16))))
    assert words[2] == words[0]
    assert list(itertools.islice(random_bytes(3), 4)) == [0, 1, 2, 0]
    assert sizes == [16, 16, 3, 3]


def test_words_have_64_bits():
    assert WORDS == 2**64
    assert flip_threshold(Decimal("1e-6")) / 2**64 == pytest.approx(0.5, abs=1e-6)
