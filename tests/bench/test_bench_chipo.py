"""A ladder of instances in one tensor against one instance at a time; compare the two means."""

from __future__ import annotations

import numpy as np

from repro.corruption.huber_reports import HuberReports
from repro.families.chipo.algorithms_tabular import ChipoStudy
from repro.families.chipo.variants import RIGHT
from repro.families.chipo.worlds import RareGoodArm, gap_ladder

STUDY = ChipoStudy(RareGoodArm(16, 4.0, 1.0), 10**8, HuberReports(1.0))
LADDER = gap_ladder(1.0)


def test_bench_ladder_batched(benchmark):
    found = benchmark(STUDY.expected_gaps, RIGHT, LADDER)
    assert found.shape == LADDER.shape


def test_bench_ladder_looped(benchmark):
    found = benchmark(lambda: [STUDY.expected_gaps(RIGHT, LADDER[k : k + 1]) for k in range(181)])
    assert np.concatenate(found).shape == LADDER.shape
