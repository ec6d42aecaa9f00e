"""Sampling and fitting on the S=6, A=4, d=4 instance, against a loop of scipy.

python -m pytest tests/bench/test_bench_offline.py --benchmark-only --benchmark-disable-gc
"""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import expit

from repro.base.notation import flip_prob, label_signal
from repro.labels.preferences.label_counts import draw_label_counts
from repro.p1.pessimism.datasets import BuiltLabels
from repro.study.parallel import keep_freed_memory
from repro.worlds.instances.linear import random_linear_world

EPSILON, BATCH, LOOP = 1.0, 2000, 5


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def world():
    return random_linear_world(6, 4, 4, kl_weight=0.5, radius=1.0, theta_share=0.6, seed=1)


def counts(world, n_pairs, replicates):
    rng = np.random.default_rng(0)
    return draw_label_counts(rng, world.cell_prob, world.reward_diff, n_pairs, EPSILON, replicates)


def gap(world, n_pairs):
    rng = np.random.default_rng(0)
    problem = BuiltLabels(truth=world, n_pairs=n_pairs, epsilon=EPSILON).draw(rng, BATCH)
    return problem.gap(problem.error(problem.fit(EPSILON)))


def scipy_fit(features, pairs, wins):
    """Maximum likelihood of one dataset by BFGS with its gradient, to the same tolerance."""
    flip, signal = flip_prob(EPSILON), label_signal(EPSILON)

    def loss(theta):
        clean = expit(features @ theta)
        win = flip + signal * clean
        weight = signal * clean * (1 - clean)
        value = -(wins * np.log(win) + (pairs - wins) * np.log1p(-win)).sum()
        gradient = -((wins - pairs * win) * weight / (win * (1 - win))) @ features
        return value / pairs.sum(), gradient / pairs.sum()

    start = np.zeros(features.shape[1])
    return minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9}).x


def test_sampling_1e5(benchmark, world):
    benchmark.extra_info["replicates"] = BATCH
    benchmark(counts, world, 10**5, BATCH)


def test_batched_fit_1e5(benchmark, world):
    benchmark.extra_info["replicates"] = BATCH

    def sample_and_fit():
        rng = np.random.default_rng(0)
        source = BuiltLabels(truth=world, n_pairs=10**5, epsilon=EPSILON)
        return source.draw(rng, BATCH).fit(EPSILON)

    assert torch.isfinite(benchmark(sample_and_fit)).all()


def test_scipy_counts(benchmark, world):
    benchmark.extra_info["replicates"] = LOOP
    drawn = counts(world, 10**5, LOOP)
    features = world.feature_diff.numpy()

    def loop():
        fits = zip(drawn.pairs.numpy(), drawn.wins.numpy(), strict=True)
        return np.stack([scipy_fit(features, pairs, wins) for pairs, wins in fits])

    from repro.worlds.estimators.mixture_mle import mixture_mle

    ours = mixture_mle(drawn, world.feature_diff, EPSILON, world.radius).numpy()
    assert np.abs(benchmark(loop) - ours).max() < 1e-6


def test_scipy_rows(benchmark, world):
    """One row a label, as a data set comes; drawing the rows is not counted."""
    benchmark.extra_info["replicates"] = 1
    drawn = counts(world, 10**5, 1)
    cell = np.repeat(np.arange(len(world.cell_prob)), drawn.pairs[0].numpy().astype(int))
    first = np.concatenate(
        [np.arange(int(m)) < int(k) for m, k in zip(drawn.pairs[0], drawn.wins[0], strict=True)]
    )
    rows = world.feature_diff.numpy()[cell]
    benchmark.pedantic(scipy_fit, (rows, np.ones(len(rows)), first.astype(float)), rounds=3)


@pytest.mark.parametrize("power", [3, 12])
def test_sweep(benchmark, world, power):
    benchmark.name = f"test_sweep_1e{power}"
    benchmark.extra_info["replicates"] = BATCH
    benchmark(gap, world, 10**power)
