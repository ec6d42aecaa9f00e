"""Reports that are replaced through a coupling arrive by the wanted law, and no more are."""

import numpy as np
import pytest

from repro.labels.corruption.coupling import (
    exchanged,
    left_alone,
    maximal,
    redrawn,
    wanted_afresh,
)

RNG = np.random.default_rng(4)
SENT, WANTED = RNG.dirichlet(np.ones(4), (2, 30))
SENT[0], WANTED[0] = [1, 0, 0, 0], [0, 0.5, 0.5, 0]
SENT[1] = WANTED[1]


def arriving(kernel):
    """(30, 4) law of what arrives, and (30,) chance that a report is replaced."""
    rows = kernel(SENT, WANTED)
    kept = np.diagonal(rows, axis1=-2, axis2=-1)
    return np.einsum("tm,tmn->tn", SENT, rows), (SENT * (1 - kept)).sum(-1)


@pytest.mark.parametrize("kernel", [maximal, redrawn, exchanged, wanted_afresh, left_alone])
def test_every_report_becomes_some_report(kernel):
    rows = kernel(SENT, WANTED)
    assert rows.shape == (30, 4, 4)
    assert rows.min() >= 0
    np.testing.assert_allclose(rows.sum(-1), 1)


def test_a_maximal_coupling_has_the_wanted_law_and_replaces_as_few_as_can_be():
    law, replaced = arriving(maximal)
    np.testing.assert_allclose(law, WANTED, atol=1e-12)
    np.testing.assert_allclose(replaced, np.abs(SENT - WANTED).sum(-1) / 2, atol=1e-12)
    np.testing.assert_allclose(maximal(SENT, WANTED)[1], np.eye(4), atol=1e-12)


def test_a_fresh_report_has_the_wanted_law_and_replaces_more():
    law, replaced = arriving(redrawn)
    np.testing.assert_allclose(law, WANTED, atol=1e-12)
    assert (replaced[1:] > arriving(maximal)[1][1:] + 1e-3).all()


@pytest.mark.parametrize("wrong", [exchanged, wanted_afresh, left_alone])
def test_the_wrong_ones_have_another_law(wrong):
    law, _ = arriving(wrong)
    assert (np.abs(law - WANTED).max(-1)[2:] > 1e-3).all()
