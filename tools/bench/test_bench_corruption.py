"""The adversary at n = 1e13 costs what it costs at n = 1e4: compare the two in one run."""

from __future__ import annotations

import numpy as np
import pytest

from repro.p4.adversaries.adversary import STRONG
from repro.p4.debiased_mle.estimation import estimation_error
from repro.p4.debiased_mle.labels import SampledPairs
from repro.p4.label_cells.choices import CellsChoice


@pytest.mark.parametrize("n_pairs", [10**4, 10**13])
def test_bench_strong_adversary(benchmark, n_pairs):
    cells = CellsChoice(
        kind="cells", num_features=2, min_eigenvalue=0.3, reward_diff=0.3, reward_bound=4.0
    )
    labels = SampledPairs(
        instance=cells, epsilon=1.0, n_pairs=n_pairs, corruption=1e-2, adversary=STRONG
    )
    error = benchmark(lambda: estimation_error(labels, np.random.default_rng(0), 1))
    assert error.item() > 0
