"""The table of transients, at few replicates."""

import numpy as np
import pytest

from tools import class_transients

pytestmark = pytest.mark.slow


def test_classes_differ_before_the_limit_and_only_a_finite_one_leaves_it(monkeypatch):
    small = class_transients.scaled_gaps(100, 200)
    assert small["box"].mean() > 1.5 * small["ball"].mean()
    assert all(one.mean() < 0.5 for one in small.values())
    large = class_transients.scaled_gaps(10**7, 200)
    assert abs(large["ball"].mean() - 1) < 0.2
    np.testing.assert_allclose(large["box"], large["ball"], rtol=1e-6)
    assert large["finite, 10000"].max() == 0
    monkeypatch.setattr(class_transients, "SIZES", (100, 1000))
    lines = class_transients.table(20).splitlines()
    assert len(lines) == len(class_transients.CLASSES) + 2
    assert lines[0] == "| class | n = 1e2 | n = 1e3 |"
