"""The corrected Theorem 4.2 end to end, and what happens when its factor is broken."""

import pytest

import repro
from repro.preferences import label_information
from tools.draw_crossover import crossover


def test_every_verdict_is_the_pinned_one_and_every_control_is_caught(smoke, surprises):
    assert surprises(smoke) == []


@pytest.mark.parametrize(
    ("check", "slope"),
    [("eps_tenth", 2), ("eps_one", 2), ("eps_16", 1), ("printed_eps_one", 2),
     ("printed_eps_16", 1), ("bonus_printed_growth", 0.5), ("bonus_repaired", 0),
     ("algorithm_eps_one", 2), ("algorithm_eps_16", 1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.03)


def test_slopes_are_taken_on_one_side_of_the_crossover(plan_of):
    for trial in plan_of(budget="smoke").trials:
        if trial.row.name in ("eps_tenth", "eps_one"):
            assert trial.grid[0] > crossover(trial.cases[0].epsilon) + 5
        if trial.row.name in ("eps_16", "printed_eps_16"):
            assert trial.grid[-1] < crossover(16.0) - 4


def test_steps_are_near_equality(smoke, by_name):
    names = ("two_term_below", "hellinger", "log_likelihood", "table_error_sharp", "lower",
             "constants_apart")  # fmt: skip
    ratios = [by_name(smoke)[name].outcome.numbers["max_ratio"] for name in names]
    assert min(ratios) > 0.9


def test_the_chance_of_a_mistake_is_half_of_its_bound_for_many_labels(smoke, by_name):
    """P(N > √(2x)) ≤ ½·e^(−x), attained at x = 0; only the constant in the exponent is sharp."""
    ratio = by_name(smoke)["in_sample"].outcome.numbers["max_ratio"]
    assert ratio == pytest.approx(0.5, abs=0.02)


def test_a_lost_square_breaks_the_steps(monkeypatch, by_name):
    """κ·V for κ·V², as after the paper's eq. (15)."""
    spread, excess = label_information.inverse_slope, label_information.privacy_excess
    monkeypatch.setattr(
        label_information, "inverse_information", lambda x, e: spread(x) * (1 + excess(e))
    )
    few = ["budget.replicates=40", "compute.workers=1"]
    done = repro.run("corrected_offline_gap", budget="smoke", only=["hellinger", "in_sample"],
                     overrides=few)  # fmt: skip
    assert {c.outcome.verdict for c in by_name(done).values()} == {"contradicted"}
