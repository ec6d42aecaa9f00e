from hashlib import shake_256

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import kstest, norm

from repro.labels.privacy import exact_normal
from repro.labels.privacy.exact_normal import BITS, FURTHEST, normal, on_grid, quantile


class FixedBits:
    """Stands in for ``os``: the same bits every time."""

    def __init__(self, seed=b"0"):
        self._seed, self._drawn = seed, 0

    def urandom(self, count):
        self._drawn += 1
        return shake_256(self._seed + b"%d" % self._drawn).digest(count)


@pytest.fixture
def fixed(monkeypatch):
    def fix(seed=b"0"):
        monkeypatch.setattr(exact_normal, "os", FixedBits(seed))

    fix()
    return fix


MIDDLE = 1 << (BITS - 1)
WORDS = (0, 1, 3 << 100, 1 << 200, MIDDLE - 1, MIDDLE, (7 << 253) + 5, 2 * MIDDLE - 1)


@pytest.mark.parametrize("word", WORDS)
def test_a_quantile_has_the_share_of_its_word_below_it_to_2_to_the_minus_180(word):
    with mpmath.workprec(900):
        z = mpmath.mpf(quantile(word))
        share = mpmath.erfc(abs(z) / mpmath.sqrt(2)) / 2
        wanted = mpmath.mpf(2 * word + 1) / (1 << (BITS + 1))
        wanted = min(wanted, 1 - wanted)
        density = mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)
        assert abs(share - wanted) / density < mpmath.mpf(2) ** -180
        assert abs(z) < FURTHEST
        assert (z > 0) == (word >= MIDDLE)


def test_quantiles_are_those_of_doubles_to_their_precision():
    words = [k * (1 << BITS) // 97 for k in range(1, 97)]
    found = np.array([float(quantile(word)) for word in words])
    np.testing.assert_allclose(found, ndtri(np.arange(1, 97) / 97), rtol=1e-13, atol=1e-15)


def test_normals_have_the_law_of_normals(fixed):
    assert kstest(normal(3.0, 2000) / 3, norm.cdf).pvalue > 1e-3


def test_what_is_released_is_the_real_sum_rounded(fixed):
    values, deviation, grid = np.array([0.1, -2.7, 1e6]), 0.3, 2.0**-12
    found = on_grid(values, deviation, grid)
    fixed()
    stream = exact_normal.random_quantiles()
    with mpmath.workprec(900):
        real = [mpmath.mpf(v) + mpmath.mpf(deviation) * next(stream) for v in values.tolist()]
        nearest = [float(mpmath.floor(one / grid + 0.5) * grid) for one in real]
    assert found.tolist() == nearest


def test_each_grid_point_has_the_probability_of_its_cell(fixed):
    """At a coarse grid, where a wrong cell would show."""
    found = on_grid(np.full(4000, 0.2), 1.0, 0.5)
    for point in (-0.5, 0.0, 0.5, 1.0):
        share = norm.cdf(point + 0.25 - 0.2) - norm.cdf(point - 0.25 - 0.2)
        error = (share * (1 - share) / 4000) ** 0.5
        assert abs((found == point).mean() - share) < 4 * error


def test_values_beyond_the_whole_numbers_of_doubles_are_refused(fixed):
    with pytest.raises(ValueError, match="grid"):
        on_grid(np.array([1e18]), 1.0, 2.0**-10)
