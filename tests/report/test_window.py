"""Which part of the y axis a panel shows, by hand."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from repro.core.results import Series
from repro.report.window import Curve, allowed_range, curve, has_worst, level_of, window


def flat(mean, half=0.0, worst=None):
    """A curve of two points at one height."""
    mean = np.full(2, float(mean))
    worst = mean if worst is None else np.full(2, float(worst))
    return Curve(np.array([1.0, 10.0]), mean, np.full(2, half), worst)


def item(kind, **check) -> Any:
    numbers = check.pop("numbers", {})
    return SimpleNamespace(
        check=SimpleNamespace(kind=kind, **check), outcome=SimpleNamespace(numbers=numbers)
    )


def test_a_curve_has_its_mean_its_interval_and_its_worst():
    values = np.array([[[1.0, 3.0, np.nan], [2.0, 2.0, 7.0]], [[np.nan] * 3] * 2])
    found = curve(Series(np.array([1.0, 2.0]), values))
    assert found.mean[0] == pytest.approx(3.0)
    spread = np.std([1, 3, 2, 2, 7], ddof=1) / math.sqrt(5)
    assert found.half_width[0] == pytest.approx(1.96 * spread)
    assert found.worst[0] == 7
    assert found.half_width[1] == 0
    assert np.isnan(found.mean[1])


def test_a_flat_slope_beside_a_far_control_keeps_half_a_decade():
    slope = item("slope", claimed=0.0)
    low, high = window(slope, [flat(1), flat(1e5)], True)
    assert (low, high) == pytest.approx((10**-0.1, 10**0.1))
    assert window(slope, [flat(1), flat(9)], True) is None  # within two spans of half a decade
    assert window(slope, [flat(1), flat(1e-5), flat(5)], True) == pytest.approx(
        (10 ** (-0.2 * math.log10(5)), 10 ** (1.2 * math.log10(5)))
    )
    assert window(slope, [flat(1), flat(1e5)], False) is None
    assert window(slope, [flat(-1), flat(1e5)], True) is None


def test_around_a_constant_its_tolerance_is_seen_beside_a_far_control():
    ratio = item("ratio", claimed=1.0, tolerance=0.1)
    assert window(ratio, [flat(1, 0.05), flat(100)], False) == pytest.approx((0.78, 1.22))
    assert window(ratio, [flat(1, 0.2), flat(100)], False) == pytest.approx((0.56, 1.44))
    assert window(ratio, [flat(1, 0.05), flat(2.05)], False) is None
    assert window(ratio, [flat(1, 0.05), flat(2.15)], False) is not None


def test_of_a_bound_the_level_is_seen():
    bound = item("inequality")
    low, high = window(bound, [flat(0.1, worst=0.5), flat(0.2, worst=1e40)], True)
    span = math.log10(1) - math.log10(0.1)
    assert (low, high) == pytest.approx((10 ** (-1 - 0.05 * span), 10 ** (0.05 * span)))
    assert window(bound, [flat(0.1, worst=0.5), flat(0.2, worst=1e10)], True) is None
    assert window(bound, [flat(0.1, worst=0.5), flat(0.2, worst=20)], False) is None
    low, high = window(bound, [flat(0.1, worst=0.5), flat(0.2, worst=40)], False)
    assert (low, high) == pytest.approx((-0.6, 1.6))


@pytest.mark.parametrize(
    ("one", "level", "margin", "allowed"),
    [
        (item("ratio", claimed=2.0, tolerance=0.5), 2.0, 0.5, (1.5, 2.5)),
        (item("slope", claimed=2.0, tolerance=0.5, direction="at_most"),
         2.0, 0.5, (-math.inf, 2.5)),
        (item("slope", claimed=2.0, tolerance=0.5, direction="at_least"),
         2.0, 0.5, (1.5, math.inf)),
        (item("ratio", claimed=2.0, numbers={"claimed": 3.0, "tolerance": 1.0}),
         3.0, 1.0, (2.0, 4.0)),
        (item("inequality"), 1.0, 0.0, (-math.inf, 1.0)),
        (item("inequality", allowed=0.05), 0.05, 0.0, (-math.inf, 0.05)),
        (item("privacy"), None, 0.0, None),
    ],
)  # fmt: skip
def test_what_a_check_allows(one, level, margin, allowed):
    assert level_of(one) == (level, margin)
    assert allowed_range(one) == allowed
    assert has_worst(one) == (one.check.kind == "inequality" and level == 1.0)
