"""Worlds with labels: how many more of them a stricter budget takes."""

import pytest

from repro.base.notation import privacy_cost
from repro.worlds.instances.labelled import HuberLabels


def test_a_stricter_budget_takes_the_square_of_the_cost_more_labels():
    usual, strict = HuberLabels(epsilon=1.0), HuberLabels(epsilon=0.1)
    wanted = (privacy_cost(0.1) / privacy_cost(1.0)) ** 2
    assert usual.more_labels(strict) == pytest.approx(wanted)
    assert strict.more_labels(usual) == pytest.approx(1 / wanted)
