"""Replicate throughput of the blocked simulator of Algorithm 2 (P1).

    pytest tests/bench/test_bench_online.py --benchmark-enable --benchmark-only
    REPRO_BENCH_DEVICE=cuda pytest tests/bench/test_bench_online.py --benchmark-enable ...
    python tests/bench/test_bench_online.py cuda      ratio of devices, with the device's name

The baseline is Algorithm 2 as one writes it in numpy: one replicate, one round at a time.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from repro.base.device import built_at
from repro.labels.preferences.block_draws import geometric_times
from repro.p1.pokl.curves import simulate
from repro.p1.pokl.online_newton import label_by_label
from repro.p1.pokl.runs import Runs
from repro.study.parallel import single_thread
from repro.worlds.instances.linear import LinearWorld
from tools.bench.online import eight_features, small_run

DEVICE = os.environ.get("REPRO_BENCH_DEVICE", "cpu")
BONUS_WEIGHT = 8.0
WORLD = small_run(1, 2.0).linear
ROUNDS_OF_THE_BASELINE = 2_000


def one_replicate(instance: LinearWorld, rounds: int, seed: int) -> float:
    """Algorithm 2 for one replicate in plain numpy, the fit by three Gauss–Newton steps."""
    rng, x = np.random.default_rng(seed), instance.features.numpy()
    reference, reward = instance.reference.numpy(), instance.reward.numpy()
    states, actions, size = x.shape
    signal, weight = np.tanh(0.5), instance.kl_weight
    inverse, theta, regret = 4 * np.eye(size), np.zeros(size), 0.0
    seen, labels = np.zeros((rounds, size)), np.zeros(rounds)
    optimal = softmax(np.log(reference) + reward / weight)
    for t in range(rounds):
        values = x @ theta
        exploit = softmax(np.log(reference) + values / weight)
        c = x - np.einsum("sa,sad->sd", exploit, x)[:, None]
        width = np.sqrt(np.einsum("sad,de,sae->sa", c, inverse, c))
        bonus = np.minimum(1, BONUS_WEIGHT * width)
        explore = softmax(np.log(exploit) + bonus / weight)
        regret += weight * (explore * np.log(explore / optimal)).sum() / states
        s = rng.integers(states)
        a, b = rng.choice(actions, p=exploit[s]), rng.choice(actions, p=explore[s])
        win = (1 + signal * np.tanh((reward[s, a] - reward[s, b]) / 2)) / 2
        seen[t], labels[t] = x[s, a] - x[s, b], 2 * (rng.random() < win) - 1
        product = inverse @ seen[t]
        inverse -= np.outer(product, product) / (1 + product @ seen[t])
        theta = fit(theta, seen[: t + 1], labels[: t + 1], signal)
    return regret


def fit(theta, seen, labels, signal):
    for _ in range(3):
        shape = np.tanh(seen @ theta / 2)
        slope = signal * (1 - shape**2) / 2
        score = seen.T @ (slope * (labels - signal * shape))
        information = (seen * (slope**2)[:, None]).T @ seen + 1e-6 * np.eye(len(theta))
        theta = theta + np.linalg.solve(information, score)
        theta *= min(1, 1 / max(np.linalg.norm(theta), 1e-12))
    return theta


def softmax(logits):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def blocked(horizon: int, replicates: int, ratio: float, device: str = DEVICE) -> float:
    with built_at(Path("unused"), device):
        (curve,) = simulate([small_run(horizon, ratio)], replicates, np.random.default_rng(0))
    return float(curve.cumulative[-1].mean())


def test_bench_numpy_one_replicate_a_round(benchmark):
    """Per replicate and 2000 rounds; costs grow faster than rounds, so this flatters it."""
    benchmark.pedantic(
        one_replicate,
        args=(small_run(1, 2.0).linear, ROUNDS_OF_THE_BASELINE, 0),
        rounds=3,
        iterations=1,
    )


@pytest.mark.parametrize(("horizon", "ratio"), [(10**6, 1.25), (10**10, 1.25)])
def test_bench_blocked_two_hundred_replicates(benchmark, horizon, ratio):
    single_thread()
    benchmark.pedantic(blocked, args=(horizon, 200, ratio), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("replicates", [10_000])
def test_bench_blocked_many_replicates_on_the_device(benchmark, replicates):
    benchmark.pedantic(blocked, args=(10**6, replicates, 1.5), rounds=3, warmup_rounds=1)


def newton_rounds(runs: Runs) -> None:
    with torch.inference_mode():
        list(label_by_label(runs, [0, 300], np.random.default_rng(0)))


def test_bench_online_newton_label_by_label(benchmark):
    """A step and new policies every round: 1000 runs of 300 rounds, d = 8."""
    single_thread()
    runs = Runs([eight_features(300)], 1000)

    benchmark.pedantic(newton_rounds, args=(runs,), rounds=3, warmup_rounds=1)
    if benchmark.stats:
        benchmark.extra_info["rounds a second"] = 300_000 / benchmark.stats.stats.min


def seconds(function, *arguments, clock=time.perf_counter) -> float:
    """Best of three after one warm-up."""
    function(*arguments)
    found = []
    for _ in range(3):
        start = clock()
        function(*arguments)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        found.append(clock() - start)
    return min(found)


def main(device: str) -> None:
    """Print seconds, the ratio to the baseline, and the ratio of devices."""
    single_thread()
    rounds = ROUNDS_OF_THE_BASELINE
    start = time.process_time()
    one_replicate(WORLD, rounds, 0)
    baseline = (time.process_time() - start) / rounds * 10**6 * 200
    for horizon in (10**6, 10**10):
        took = seconds(blocked, horizon, 200, 1.25, "cpu", clock=time.process_time)
        blocks = len(geometric_times(horizon, 1.25)) - 1
        print(f"T = {horizon:.0e}, 200 replicates, {blocks} blocks, {took:.3f} CPU seconds")
        if horizon == 10**6:
            words = f"at least {baseline:.0f} CPU seconds: {baseline / took:.0f} x"
            print(f"  numpy, one replicate, a round at a time: {words}")
    runs = Runs([eight_features(300)], 1000)
    for name, clock in (("second", time.perf_counter), ("CPU second", time.process_time)):
        rate = 300_000 / seconds(newton_rounds, runs, clock=clock)
        print(f"online Newton steps, d = 8, 1000 runs, a step a label: {rate:.3g} rounds a {name}")
    torch.set_num_threads(2)
    for replicates in (2_000, 20_000):
        times = {name: seconds(blocked, 10**6, replicates, 1.5, name) for name in {"cpu", device}}
        name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
        shown = ", ".join(f"{k} {replicates / v:.0f} replicates/s" for k, v in times.items())
        print(f"T = 1e+06, {replicates} replicates: {shown}; {name} over two CPU threads: "
              f"{times['cpu'] / times[device]:.1f} x")  # fmt: skip
    if device == "cuda":
        took = seconds(blocked, 10**6, 200_000, 1.5, device)
        print(f"T = 1e+06, 200000 replicates on it: {200_000 / took:.0f} replicates/s")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DEVICE)
