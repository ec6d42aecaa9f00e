"""Seconds a round of P2's online simulator: every round by itself, and rounds in blocks.

    pytest tests/bench/test_bench_xpo.py --benchmark-enable --benchmark-only

docs/performance.md has the same runs on the simulator as it first was.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from repro.labels.preferences.block_draws import NumpyDraws, geometric_times
from repro.p2.xpo.needles import NeedleClass, XpoBatch
from repro.p2.xpo.simulator import Start, average_gap, log_objective, square_objective
from repro.study.parallel import single_thread

RUNS, ROUNDS = 200, 1000
SETTING = {
    "reward_gap": 0.02, "kl_weight": 0.01, "optimism_weight": 1e-5, "label_scale": 0.4,
    "label_offset": 0.0, "label_shift": 0.0, "believed_signal": 0.4,
}  # fmt: skip


def gaps(times: list[int], actions: int, objective, start: Start) -> float:
    """Mean average gap of 200 runs."""
    tilts = torch.linspace(-4, 4, 17, dtype=torch.float64)
    batch = XpoBatch(**{k: torch.full((RUNS,), v).double() for k, v in SETTING.items()})
    draws = NumpyDraws(np.random.default_rng(0))
    policies = NeedleClass(actions, tilts, 2.0)
    return float(average_gap(policies, batch, objective, times, draws, start=start).mean())


@pytest.mark.parametrize("objective", [log_objective, square_objective])
@pytest.mark.parametrize("actions", [2, 8])
def test_bench_every_round(benchmark, actions, objective):
    """200 runs of 1000 rounds, an update after each."""
    single_thread()
    rounds = list(range(ROUNDS + 1))
    benchmark.pedantic(gaps, args=(rounds, actions, objective, Start()), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("n_pairs", [0, 10**6])
def test_bench_blocks(benchmark, n_pairs):
    """200 runs of 1e10 rounds in blocks that grow by half, with offline labels and without."""
    single_thread()
    blocks = geometric_times(10**10, 1.5)
    start = Start(n_pairs)
    benchmark.pedantic(gaps, args=(blocks, 2, log_objective, start), rounds=5, warmup_rounds=1)
