"""The private binary channels, from the inside and from their flip probabilities."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
