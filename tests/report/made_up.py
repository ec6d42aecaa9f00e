"""Made-up runs that between them reach every way in which a run is printed or written.

No number repeats where two could be exchanged, and some lie at a bound of what is printed.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from repro.core.claims import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.core.privacy_check import PrivacyCheck
from repro.core.results import AssumptionResult, CheckResult, Fit, Outcome, Result, Series

SPREAD = np.array([[0.9, 1.0, 1.1], [0.95, 1.02, 1.03]])
"""Two blocks of three replicates around a curve."""
PAIRS = (1e3, 1e4, 1e5)


def series(grid, curve, spread=SPREAD):
    """Replicates around the values of a curve."""
    return Series(np.array(grid), np.array(curve)[:, None, None] * spread)


def outcome(check, curve, verdict="supported", method=None, fit=None, spread=SPREAD, **numbers):
    """A judged algorithm of a check, the tested one unless it is named."""
    measured = series(check.grid, curve, spread)
    return Outcome(method or check.method, verdict, numbers, measured, fit)


def slopes():
    """Exponents: as claimed, on either side of a bound, curved, and not measured at all."""
    exact = SlopeCheck(
        "rate", "n_pairs", PAIRS, "suboptimality [nats]", "pessimistic", ("naive", "no_labels"),
        claim="the gap falls like 1/n", settings={"epsilon": 0.5, "labels_scaled_by": 3.16},
        evidence="measured", needs=("labels", "policy_order"), statements=("p1.thm_4_2",),
        claimed=-1.0, tolerance=0.05,
    )  # fmt: skip
    claim = {"claimed": -1.0, "tolerance": 0.05, "direction": "two_sided"}
    right = outcome(exact, (0.1, 0.01, 0.001), fit=Fit(-1.002, math.log(99.0), True),
                    slope=-1.002, ci95=[-1.0062, -0.9979], **claim)  # fmt: skip
    broken = right.series.values.copy()
    broken[1, 0, 2] = np.nan
    right = replace(right, series=Series(right.series.grid, broken))
    wrong = [
        outcome(exact, (0.3, 0.29, 0.28), "contradicted", "naive",
                Fit(-0.02, math.log(0.33), True), slope=-0.02, ci95=[-0.05, 0.03], **claim),
        outcome(exact, (0.2, 0.05, 0.003), "inconclusive", "no_labels",
                Fit(-0.9, math.log(70.0), True), slope=-0.9, ci95=[-1.31, -0.48], **claim),
    ]  # fmt: skip
    yield CheckResult(exact, right, tuple(wrong), ("p1.thm_4_2",))

    upper = replace(exact, name="corrected_rate_of_the_largest_gap", direction="at_most",
                    claimed=-0.5, controls=(), settings={"n_pairs": 1e9}, corrected="rate",
                    evidence="exact", statements=("p1.abs_1",), tolerance=0.0,
                    claim="at most <b>1/√n</b> & no more")  # fmt: skip
    yield CheckResult(
        upper,
        outcome(upper, (0.2, 0.21, 0.2), "contradicted", slope=0.01, claimed=-0.5, tolerance=0.0,
                fit=Fit(0.01, math.log(0.2), True), ci95=[0.002, 0.018], direction="at_most"),
        (),
        ("p1.abs_1",),
        {"from": 1e3, "at": 1e5, "measured_from": 0.2, "measured": 0.21, "factor": 1.05,
         "claimed": 0.1},
    )  # fmt: skip

    lower = SlopeCheck(
        "lower", "reward_bound", (2.0, 3.0, 5.0), "regret", "online", expected="inconclusive",
        claim="grows like e^B", settings={"horizon": 500}, evidence="measured", claimed=1.0,
        tolerance=0.1, direction="at_least",
    )  # fmt: skip
    yield CheckResult(
        lower,
        outcome(lower, (7.4, 20.1, 148.0), "inconclusive", slope=0.97, claimed=1.0, tolerance=0.1,
                fit=Fit(0.97, 0.1, False), ci95=[0.7, 1.2], direction="at_least",
                curvature_ci95=[0.1, 0.4], end_slope=1.234),
        (),
    )  # fmt: skip

    unknown = replace(exact, name="unmeasured", controls=(), settings={}, statements=())
    yield CheckResult(
        unknown,
        outcome(unknown, (np.nan,) * 3, "inconclusive", slope=None, reason="no finite value"), (),
    )  # fmt: skip


def constants():
    """Measured over predicted: drawn with a substitute, exact, and one-sided with its slack."""
    drawn = RatioCheck(
        "constant", "epsilon", (0.5, 1.0, 4.0), "gap / prediction", "mle", ("other",),
        claim="the constant is 1", evidence="measured", claimed=1.0, tolerance=0.05,
        settings={"n_pairs": 2e4, "horizon": 7}, substitute="linear rewards, not a language model",
    )  # fmt: skip
    claim = {"claimed": 1.0, "tolerance": 0.05, "direction": "two_sided"}
    yield CheckResult(
        drawn,
        outcome(drawn, (1.01, 0.99, 1.02), value=1.006, ci95=[0.97, 1.03], off_curve=1.0, **claim),
        (outcome(drawn, (40.0, 50.0, 60.0), "contradicted", "other", value=50.0,
                 ci95=[47.0, 53.5], **claim),),
        ("p2.fig_2", "p1.thm_4_5"),
    )  # fmt: skip
    exact = replace(drawn, name="exact_constant", controls=(), evidence="exact", substitute="",
                    expected="contradicted", settings={})  # fmt: skip
    yield CheckResult(
        exact,
        outcome(exact, (1.0, 1.0, 1.0), spread=np.ones((1, 1)), value=1.0 + 2e-12,
                ci95=[1.0 + 2e-12] * 2, off_curve=1.25, **claim),
        (),
    )  # fmt: skip
    slack = replace(exact, name="slack", direction="at_most", evidence="proved", claimed=3e5,
                    expected="supported", tolerance=2e3)  # fmt: skip
    yield CheckResult(
        slack,
        outcome(slack, (1.4e5, 1.5e5, 1.6e5), value=1.5e5, ci95=[1.4e5, 1.61e5], claimed=3e5,
                tolerance=2e3, direction="at_most", slack=2.0, slack_pinned=3.0),
        (),
    )  # fmt: skip


def bounds():
    """Inequalities, an event's frequency, and a claimed ε."""
    holds = InequalityCheck("bound", "horizon", (10.0, 100.0), "regret / bound", "online",
                            ("no_bonus",), claim="regret is below its bound",
                            evidence="searched", settings={"epsilon": math.inf})  # fmt: skip
    yield CheckResult(
        holds,
        outcome(holds, (0.5, 0.25), max_ratio=0.55, cases=12, tolerance=1e-9, slack=1.8,
                slack_pinned=1.81),
        (outcome(holds, (3.0, 900.0), "contradicted", "no_bonus", max_ratio=990.0, cases=1),),
        ("own.bound", "p1.def_3_3"),
    )  # fmt: skip
    fails = replace(holds, name="broken_bound", controls=(), evidence="proved", settings={},
                    expected="contradicted", corrected="other_experiment: row_that_holds",
                    quantity="exact ε(δ) / stated ε [nats]")  # fmt: skip
    yield CheckResult(
        fails,
        outcome(fails, (1.0, 1.0004), "contradicted", max_ratio=1.0004, cases=2),
        (),
        witness={"at": 100.0, "measured": 1.00040001, "claimed": 1.0, "block": 1, "replicate": 2},
    )
    often = FrequencyCheck("event", "n_pairs", (100.0, 1000.0), "failures", "wide", ("narrow",),
                           allowed=0.05, evidence="measured")  # fmt: skip
    share = {"claimed": 0.05, "allowed": 0.05, "cases": 40}
    ones = np.zeros((2, 3))
    ones[0, 1] = 1.0
    yield CheckResult(
        often,
        outcome(often, (0.0, 0.0), "inconclusive", value=0.0, ci95=[0.0, 0.19], max_ratio=0.0,
                **share),
        (outcome(often, (1.0, 1.0), "contradicted", "narrow", spread=ones, value=0.25,
                 ci95=[0.16, 0.4], max_ratio=5.0, **share),),
        witness={"at": 100.0, "failures": 3, "cases": 20, "measured": 0.15, "claimed": 0.05},
    )  # fmt: skip
    private = PrivacyCheck("private", "epsilon", (1.5,), "exact ε", "flips", ("fewer_flips",),
                           claimed_epsilon=1.5, dp_delta=1e-6, evidence="exact")  # fmt: skip
    claim = {"claimed_epsilon": 1.5, "dp_delta": 1e-6}
    yield CheckResult(
        private,
        outcome(private, (0.6,), exact_epsilon=1.499, audit_lower_bound=1.31, **claim),
        (outcome(private, (0.8,), "contradicted", "fewer_flips", audit_lower_bound=2.5, **claim),),
    )
    bare = InequalityCheck("alone", "n_pairs", (8.0,), "left / right", "any")
    yield CheckResult(bare, outcome(bare, (1.0,), max_ratio=1.0), ())


CONFIG = {
    "theorem": {"name": "gap_rate", "worlds": {"a": {"epsilon": 0.5}}, "grid": (1, 2)},
    "seed": 0,
    "budget": {"name": "smoke"},
}


def run(*checks, **fields):
    """A run of some checks, of all kinds without any."""
    usual = Result(
        theorem="gap_rate",
        statements=("p1.thm_4_2", "p1.abs_1"),
        title="Offline gap under label privacy",
        verdict="inconclusive",
        expected="supported",
        as_expected=False,
        checks=checks or (*slopes(), *constants(), *bounds()),
        assumptions=(
            AssumptionResult("bounded_reward", True, "max |r| = 0.9 ≤ 1"),
            AssumptionResult("coverage", True, "C = 7"),
        ),
        config=CONFIG,
        config_hash="abc123def456",
        seed=0,
        replicates=6,
        budget="smoke",
    )
    return replace(usual, **fields)


def runs():
    """By name: of all kinds of checks, as expected, a part, one that breaks an assumption, …"""
    rate, *_ = slopes()
    rate = replace(rate, controls=rate.controls[:1])
    flat = replace(rate, statements=("p1.thm_4_5",))
    constant, exact, slack = constants()
    exact = replace(exact, check=replace(exact.check, expected="supported"))
    chosen = {
        "instance": {"kind": "preference_text"},
        "channel": {"kind": "flips", "p0": 0.35, "p1": 0.4, "epsilon": 1},
        "regulariser": {"kind": "mixture", "terms": [[1, 2], [1, 1.5]]},
        "epsilon": 0.25, "n_pairs": 4096.0, "horizon": 30, "kl_weight": 2.5, "only": ["rate"],
        "changed": {"theorem.sweeps.rate.grid": [1e5, 2500000, 3], "instance.seed": 2,
                    "theorem.sweeps.other.epsilon": 0.125, "stages.pessimism": "none"},
    }  # fmt: skip
    broken = AssumptionResult("coverage", False, "C = inf, above [0, 9]")
    return {
        "every": run(),
        "expected": run(flat, constant, theorem="regret_rate", verdict="supported", seed=3,
                        as_expected=True, budget="laptop", replicates=2000,
                        statements=("p1.thm_4_5", "p2.fig_2", "p1.def_3_3"), title="Regret"),
        "not_in_every": run(rate, replace(exact, outcome=replace(exact.outcome,
                            verdict="inconclusive")), verdict="supported"),
        "part": run(rate, slack, theorem="part_rate", verdict="supported", defined_checks=15),
        "assumption": run(rate, theorem="assumed_rate", verdict="assumption_failed",
                          assumptions=(broken,)),
        "chosen": run(rate, config={**CONFIG, **chosen}, verdict="supported", as_expected=True,
                      expected="supported", budget="paper", seed=12),
        "bounds": run(*bounds(), theorem="own_bound", statements=("own.bound",), title="own",
                    verdict="contradicted", assumptions=()),
    }  # fmt: skip


def without_controls():
    """A run of which no check has a control, and one contradicts without a witness."""
    _, exact, slack = constants()
    wrong = replace(slack.outcome, verdict="contradicted")
    return run(exact, replace(slack, outcome=wrong), theorem="bare_rate", verdict="contradicted",
               expected="contradicted", as_expected=True, assumptions=())  # fmt: skip
