"""A small made-up run: every kind of check, controls, a failed replicate."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from repro.core.claims import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.core.results import (
    AssumptionResult,
    CheckResult,
    Fit,
    Outcome,
    Result,
    Series,
)

os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}  # before mlflow is here

BLOCKS, REPLICATES = 4, 5


def series_of(grid, curve, noise: float = 0.02, seed: int = 0) -> Series:
    """Replicates around ``curve(grid)``, with relative noise."""
    grid = np.asarray(grid, dtype=float)
    rng = np.random.default_rng(seed)
    spread = 1 + noise * rng.standard_normal((len(grid), BLOCKS, REPLICATES))
    return Series(grid, np.asarray(curve(grid), dtype=float)[:, None, None] * spread)


def slope_outcome(check: SlopeCheck, method: str, slope: float, verdict) -> Outcome:
    """An outcome whose data follow an exact power law."""
    log_axis = check.axis != "reward_bound"
    t = np.log(check.grid) if log_axis else np.array(check.grid)
    series = series_of(check.grid, lambda _: 3.0 * np.exp(slope * t))
    numbers = {
        "claimed": check.claimed,
        "direction": check.direction,
        "slope": slope,
        "ci95": [slope - 0.0042, slope + 0.0042],
        "tolerance": check.tolerance,
    }
    return Outcome(method, verdict, numbers, series, Fit(slope, math.log(3.0), log_axis))


def slope_result() -> CheckResult:
    """Slope −1 in n, one control that is caught, one failed replicate."""
    check = SlopeCheck(
        name="n_pairs",
        axis="n_pairs",
        grid=(1e3, 1e4, 1e5, 1e6),
        quantity="suboptimality [nats]",
        method="pessimistic",
        controls=("naive_likelihood",),
        claim="the gap falls like 1/n",
        evidence="measured",
        settings={"epsilon": 1.0},
        claimed=-1.0,
    )
    outcome = slope_outcome(check, "pessimistic", -1.002, "supported")
    outcome.series.values[1, 2, 3] = np.nan
    control = slope_outcome(check, "naive_likelihood", 0.003, "contradicted")
    return CheckResult(check, outcome, (control,))


def ratio_result() -> CheckResult:
    """Measured over predicted, close to 1."""
    check = RatioCheck("constant", "num_features", (2.0, 4.0, 8.0), "gap / prediction", "mle")
    series = series_of(check.grid, lambda x: np.ones_like(x))
    numbers = {"claimed": 1.0, "value": 0.99, "ci95": [0.985, 0.995], "tolerance": 0.05}
    return CheckResult(check, Outcome("mle", "supported", numbers, series), ())


def inequality_result() -> CheckResult:
    """Left-hand side over right-hand side."""
    check = InequalityCheck("bound", "horizon", (10.0, 100.0), "regret / bound", "online")
    series = series_of(check.grid, lambda x: 0.5 + 0 * x)
    return CheckResult(
        check, Outcome("online", "supported", {"max_ratio": 0.53, "cases": 40}, series), ()
    )


def frequency_result() -> CheckResult:
    """How often an event fails; its control is not caught."""
    check = FrequencyCheck(
        "event", "n_pairs", (100.0, 1000.0), "failures", "wide", controls=("narrow",), allowed=0.05
    )
    zeros = Series(np.array(check.grid), np.zeros((2, BLOCKS, REPLICATES)))
    numbers = {
        "claimed": 0.05,
        "allowed": 0.05,
        "value": 0.0,
        "ci95": [0.0, 0.19],
        "max_ratio": 0.0,
        "cases": 40,
    }
    outcome = Outcome("wide", "inconclusive", numbers, zeros)
    return CheckResult(check, outcome, (replace(outcome, method="narrow"),))


def make_result(*checks: CheckResult, **changes) -> Result:
    """A run of the given checks, of all four kinds by default."""
    checks = checks or (slope_result(), ratio_result(), inequality_result(), frequency_result())
    base = Result(
        theorem="offline_gap",
        statements=("p1.thm_4_2", "p1.lem_b_1"),
        title="Offline gap under label privacy",
        verdict="inconclusive",
        expected="supported",
        as_expected=False,
        checks=checks,
        assumptions=(AssumptionResult("bounded_reward", True, "max |r| = 0.9 ≤ 1"),),
        config={
            "theorem": {"name": "offline_gap", "epsilon": math.inf, "grid": (1, 2)},
            "seed": 0,
            "budget": {"name": "smoke"},
        },
        config_hash="abc123",
        seed=0,
        replicates=20,
        budget="smoke",
    )
    return replace(base, **changes)


@pytest.fixture
def result() -> Result:
    """A run with every kind of check."""
    return make_result()


@pytest.fixture(name="make_result", scope="session")
def _make_result() -> Callable[..., Result]:
    """Builder: ``make_result(*checks, **changes)``, all kinds of checks by default."""
    return make_result


@pytest.fixture
def make_series() -> Callable[..., Series]:
    """Builder: ``make_series(grid, curve, noise=…, seed=…)``."""
    return series_of


@pytest.fixture(scope="session")
def shared_result() -> Result:
    """As ``result``, for tests that only read it."""
    return make_result()


@pytest.fixture(scope="session")
def tracking_of() -> Callable[[Path], dict[str, str]]:
    """Settings of a tracker whose database lies in a folder."""
    return lambda folder: {
        "kind": "mlflow",
        "uri": f"sqlite:///{folder}/mlflow.db",
        "experiment": "repro",
    }
