"""Exact Bayes risk of the cosine prior against cases that are known otherwise."""

import numpy as np
import pytest
from scipy import integrate, special

from repro.p1.corrected_gap.bounds import Cell
from repro.p1.corrected_gap.cosine_prior import CosinePrior
from repro.p1.hypercube.risk import binary_kl

PRIOR = CosinePrior(base=1.0, tilt=0.5, kl_weight=0.4, epsilon=2.0)


def test_without_labels_the_best_policy_is_even():
    """The posterior mean of the log odds is that of the symmetric prior, 0."""

    def loss(t):
        return np.cos(np.pi * t / 2) ** 2 * binary_kl(np.array(0.0), np.array(1.25 * t))

    expected = 0.4 * integrate.quad(loss, -1, 1)[0]
    assert PRIOR.bayes_risk(0) == pytest.approx(expected, rel=1e-6)


def test_one_label_by_quadrature():
    t = np.linspace(-1, 1, 20001)
    weight = np.cos(np.pi * t / 2) ** 2 * (t[1] - t[0])
    win = special.expit(-2.0) + np.tanh(1.0) * special.expit(1 + 0.5 * t)
    total = 0.0
    for chance in (win, 1 - win):
        joint = weight * chance
        mean = (joint * 1.25 * t).sum() / joint.sum()
        total += (joint * binary_kl(np.full_like(t, mean), 1.25 * t)).sum()
    assert PRIOR.bayes_risk(1) == pytest.approx(0.4 * total, rel=1e-6)


def test_more_labels_help_and_the_lower_bound_stays_below():
    risks = [PRIOR.bayes_risk(m) for m in (0, 10, 100, 1000)]
    assert risks == sorted(risks, reverse=True)
    cell = Cell(PRIOR.kl_weight, 1.0, PRIOR.epsilon)
    for m, risk in zip((0, 10, 100, 1000), risks, strict=True):
        assert cell.lower(PRIOR.base, PRIOR.tilt, m) < risk
