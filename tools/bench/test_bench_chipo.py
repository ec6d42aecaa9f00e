"""A ladder of instances in one tensor against one instance at a time; compare the two means."""

from __future__ import annotations

import numpy as np

from repro.p2.chipo.tabular import RareGoodResponse, gap_ladder

TABLE = RareGoodResponse(epsilon=1.0, n_pairs=10**8, num_states=16, coverage=4.0, reward_bound=1.0)
LADDER = gap_ladder(1.0)


def test_bench_ladder_batched(benchmark):
    found = benchmark(TABLE.expected_gaps, LADDER)
    assert found.shape == LADDER.shape


def test_bench_ladder_looped(benchmark):
    found = benchmark(lambda: [TABLE.expected_gaps(LADDER[k : k + 1]) for k in range(181)])
    assert np.concatenate(found).shape == LADDER.shape
