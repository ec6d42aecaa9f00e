"""The adversary at n = 1e13 costs what it costs at n = 1e4: compare the two in one run."""

from __future__ import annotations

import numpy as np
import pytest

from repro.corruption.orders import Order
from repro.families.robust.algorithms_estimation import Scene, estimation_error
from repro.families.robust.worlds_pairs import orthogonal_cells


@pytest.mark.parametrize("n_pairs", [10**4, 10**13])
def test_bench_strong_adversary(benchmark, n_pairs):
    world = orthogonal_cells([0.3, 0.3], [0.3, -0.3], 4.0)
    scene = Scene(world, Order.LTC, 1.0, 1e-2, "strong")
    error = benchmark(lambda: estimation_error(scene, n_pairs, np.random.default_rng(0), 1))
    assert error.item() > 0
