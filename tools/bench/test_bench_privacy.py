"""Benchmarks: privatising, certified audits, exact audits.  Excluded from the normal run."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal

import numpy as np
import pytest

import repro
from repro.labels.privacy.black_box import threshold_attack
from repro.labels.privacy.exact_response import ExactResponse
from repro.labels.privacy.gaussian import GaussianShift
from repro.p3.objective_perturbation.calibration import Calibration, tied_otherwise
from repro.p3.objective_perturbation.one_dimension import LogisticRecords

LINES = 20_000
COINS = 100_000


def test_bench_exact_coins(benchmark):
    coin = ExactResponse.at(Decimal("0.5"))
    benchmark(lambda: sum(itertools.islice(coin.flips(), COINS)))


def test_bench_opendp_coins(benchmark):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    mechanism = dp.m.make_randomized_response_bool(0.6224593312018546)
    benchmark(lambda: sum(mechanism(True) for _ in range(COINS // 100)))


def test_bench_privatise(benchmark, tmp_path):
    source = tmp_path / "in.jsonl"
    with source.open("w") as file:
        for i in range(LINES):
            record = {"prompt": f"{i} " * 20, "chosen": "a" * 200, "rejected": "b" * 200}
            file.write(json.dumps(record) + "\n")
    numbers = itertools.count()

    def release():
        run = next(numbers)
        repro.privatize(source, 1, output=tmp_path / f"{run}.jsonl", ledger=tmp_path / f"l{run}")

    benchmark(release)


def test_bench_black_box_of_a_million_runs_a_side(benchmark):
    mechanism = GaussianShift(0.2)

    def attack():
        rng = np.random.default_rng(0)
        sides = [mechanism.scores(rng, side, 1_000_000) for side in (False, True)]
        return threshold_attack(sides[0], sides[1], 1e-3)

    benchmark(attack)


def test_bench_exact_objective_perturbation(benchmark):
    def audit():
        pair = tied_otherwise(Calibration(10.0, 3.0), 2.0, (), (LogisticRecords(2.0),))
        return pair.exact_epsilon(1e-6)

    benchmark(audit)
