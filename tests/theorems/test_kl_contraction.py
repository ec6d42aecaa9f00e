"""Contraction of divergences by private channels, and what happens when it is broken."""

import numpy as np
import pytest

from repro.labels.privacy import channels
from theorems import kl_contraction


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "supported"
    assert all(one.holds for one in smoke.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_random_channels_are_private_and_varied():
    drawn = kl_contraction.random_channels(np.random.default_rng(0), 0.3, 500)
    assert drawn.sum(axis=2) == pytest.approx(1)
    spent = np.ptp(np.log(drawn), axis=1).max(axis=1)
    assert spent.max() <= 0.3 + 1e-12
    assert np.quantile(spent, 0.9) > 0.25


def test_a_label_kept_too_often_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return right(1.1 * epsilon)

    found = turned("tight", channels, "keep_prob", wrong)
    assert found == ("supported", "contradicted")
