"""The private binary channels, from the inside and from their flip probabilities."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.base.errors import BadInput
from repro.labels.preferences.label_mixture import LabelMixture, mixture_of_flips
from repro.labels.privacy.channels import channel_epsilon, matrix_of

SHARES = st.tuples(st.floats(0.05, 1), st.floats(0, 1))


@given(SHARES, st.floats(0.1, 5))
def test_every_mixture_is_private_and_comes_back_from_its_flips(shares, epsilon):
    truth, share = shares
    mixture = LabelMixture(truth, (1 - truth) * share)
    assert channel_epsilon(matrix_of(mixture, epsilon)) <= epsilon * (1 + 1e-9)
    low, signal = mixture.base(epsilon), mixture.signal(epsilon)
    found = mixture_of_flips(low, 1 - low - signal, epsilon)
    assert (found.truth, found.yes) == pytest.approx((mixture.truth, mixture.yes), abs=1e-9)


def test_a_constant_answer_on_an_edge_spends_the_whole_budget():
    assert channel_epsilon(matrix_of(LabelMixture(0.5, 0.0), 1.0)) == pytest.approx(1.0)
    assert channel_epsilon(matrix_of(LabelMixture(0.5, 0.25), 1.0)) < 0.9


def test_noise_is_the_variance_of_the_report_after_either_label():
    mixture = LabelMixture(0.6, 0.3)
    low = mixture.base(1.0)
    high = low + mixture.signal(1.0)
    assert mixture.noise(1.0) == pytest.approx((low * (1 - low), high * (1 - high)))
    assert LabelMixture(0.7, 0.3).noise(60.0)[1] == pytest.approx(0.7 * math.exp(-60))


def test_flips_that_turn_the_label_or_spend_more_are_refused():
    with pytest.raises(BadInput, match="p0=0.6, p1=0.4: allowed: p0 \\+ p1 < 1"):
        mixture_of_flips(0.6, 0.4, 1.0)
    for flips in ((0.01, 0.3), (0.3, 0.01), (0.6, 0.1), (0.1, 0.6)):
        with pytest.raises(BadInput, match="not 1-private; allowed: .* = 0.3679"):
            mixture_of_flips(*flips, 1.0)
