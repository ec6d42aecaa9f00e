"""The tables of transients online, at few replicates."""

import numpy as np
import pytest

from repro.study.parallel import single_thread
from tools import class_transients_online

pytestmark = pytest.mark.slow

single_thread()


def test_classes_differ_before_the_limit_and_a_finite_one_stops(monkeypatch):
    monkeypatch.setattr(class_transients_online, "SIZES", (100, 10**6))
    classes = class_transients_online.CLASSES
    small, large = (
        {name: class_transients_online.estimation(classes[name], 60)[k] for name in classes}
        for k in (0, 1)
    )
    assert small["box"].mean() > 1.5 * small["ball"].mean()
    assert all(abs(large[name].mean() - 1) < 0.5 for name in ("ball", "box", "box, half-width .6"))
    assert large["finite, 1000"].max() < 1e-20
    alone, shares = class_transients_online.tables(5)
    assert alone.splitlines()[0] == "| class | t = 1e2 | t = 1e6 |"
    assert len(shares.splitlines()) == len(classes) + 2
    assert np.isclose(float(shares.splitlines()[2].split("|")[2].split("±")[0]), 1)
