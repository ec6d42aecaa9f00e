"""The page on printed privacy claims has the numbers that the command computes."""

from pathlib import Path

import pytest

from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.calibration import Calibration, tied_otherwise
from repro.p3.objective_perturbation.one_dimension import LogisticRecords
from repro.p3.objective_perturbation.with_covariance import REPLACEMENT, WithGaussian, printed_shift
from theorems import central_dp_privacy, covariance_privacy, objective_perturbation_privacy
from tools import printed_privacy as tool
from tools.printed_privacy import ADDED, AT_BOUNDS, PROVED, STATEMENTS, estimate, proved_row, row

PAGE = Path("docs/explanations/printed_privacy.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("at", [*STATEMENTS, *ADDED], ids=str)
def test_the_page_has_the_row(at):
    name, dimension = at
    assert row(name, dimension, {**STATEMENTS, **ADDED}[at]) in PAGE


@pytest.mark.parametrize("bound", AT_BOUNDS)
@pytest.mark.parametrize("name", PROVED)
def test_the_page_has_what_is_proved(name, bound):
    assert proved_row(name, bound) in PAGE


SURVIVES = {
    "A.7,": ("covariance_privacy", ["printed_delta"], ["printed_delta_added"]),
    "A.10, noise": (
        "objective_perturbation_privacy",
        ["printed_noise_two_dimensions"],
        ["printed_noise_added", "printed_noise_added_two_dimensions"],
    ),
    "A.10, ridge": ("objective_perturbation_privacy", ["printed"], ["printed_added"]),
    "4.1, noises": (
        "central_dp_privacy",
        ["pairs_printed_plane"],
        ["printed_noise_added", "printed_noise_added_plane"],
    ),
    "4.1, ridge": (
        "central_dp_privacy",
        ["pairs_printed", "trajectory_printed"],
        ["pairs_printed_added", "trajectory_printed_added"],
    ),
    "4.3 and B.6": (
        "central_dp_privacy",
        ["kwise_printed", "kwise_estimate_printed", "kwise_any_constant"],
        ["kwise_printed_added", "kwise_estimate_printed_added"],
    ),
    "B.5": ("covariance_privacy", ["kwise"], ["kwise_added"]),
}
"""Line of the page's first table → its experiment, and the rows of either adjacency."""
CHECKS = {
    one.__name__: {check.name: check for check in one.THEOREM.checks}
    for one in (central_dp_privacy, covariance_privacy, objective_perturbation_privacy)
}


@pytest.mark.parametrize("begins", SURVIVES)
def test_what_survives_in_which_adjacency_is_what_the_rows_found(begins):
    """Runs of the experiments hold rows to their pinned verdicts."""
    theorem, *rows = SURVIVES[begins]
    (line,) = (line for line in PAGE if line.startswith(f"| {begins}"))
    for cell, names in zip(line.split("|")[2:4], rows, strict=True):
        pinned = {CHECKS[f"theorems.{theorem}"][name].expected for name in names}
        # What also holds somewhere else is said behind it.
        fails = "fails" in cell or "the same" in cell
        assert pinned == {"contradicted" if fails else "supported"}


def over_the_claim(delta, moved):
    """δ(ε/2) over δ/2 of the printed Σ̃ at ε = 1."""
    return float(gaussian_delta(moved * printed_shift(1.0, delta), 0.5)) / (delta / 2)


def test_the_thresholds_of_lemma_a_7():
    said = " ".join(" ".join(PAGE).split())
    for moved, threshold in ((1.0, 2.7e-4), (REPLACEMENT, 0.063)):
        assert over_the_claim(threshold / 1.02, moved) > 1 > over_the_claim(threshold * 1.02, moved)
    assert f"{over_the_claim(1e-4, 1.0):.1f} times δ/2 at 1e-4" in said
    assert f"{over_the_claim(1e-6, 1.0):.1f} times at 1e-6" in said


def test_how_far_the_printed_ridge_is_off_where_one_item_is_added():
    added = tool._line(tool.PAIRS, 4.0, 1e-3, 0.0)
    both = tool._line(tool.PAIRS, 4.0, 1e-3, printed_shift(1.0, 1e-3))
    said = " ".join(" ".join(PAGE).split())
    assert f"{added.exact_delta(0.5) / 5e-4:.0f} times δ/2 at δ = 1e-3" in said
    assert f"{both.exact_delta(1.0) / 1e-3:.0f} times δ at δ = 1e-3" in said


@pytest.mark.slow
@pytest.mark.parametrize("bound", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_an_added_record_is_below_the_proved_bound_and_above_it_with_a_smaller_ridge(bound, delta):
    ridge, _ = tool._certified_ridge(1.0)
    sigma, shift = tool.printed(1.0, delta, 1.0, 1, 0.05).sigma, printed_shift(1.0, delta)

    def exact(ridge):
        alone = tied_otherwise(Calibration(sigma, ridge), bound, (), (LogisticRecords(2.0),))
        return WithGaussian(alone, shift).exact_delta(1.0) / delta

    assert exact(ridge) <= tool.noise_of_both(bound, delta)
    assert exact(ridge / 100) > tool.noise_of_both(bound, delta)


def test_a_claim_that_holds_is_said_not_to_fail():
    assert row("none", 1, lambda bound, delta: False) == "| none | 1 | – | – | – | – |"
    assert not estimate(2, 0.25, 1e-3)


def test_larger_factors_of_k_do_not_mend_theorem_4_3():
    made = tool.printed(1.0, 1e-6, tool.RANKINGS.gamma(6.0), 1, 0.05)
    made = Calibration(10 * made.sigma, 27e6 * made.ridge)
    alone = tied_otherwise(made, 6.0, (), tool.RANKINGS.one)
    shift = tool.RANKINGS.moved * printed_shift(1.0, 1e-6) / 10
    both = WithGaussian(alone, shift)
    said = " ".join(" ".join(PAGE).split())
    assert f"reaches {alone.exact_delta(0.5) / 5e-7:.2g} times δ/2 for B.6" in said
    assert f"and {both.exact_delta(1.0) / 1e-6:.1g} times δ for 4.3" in said
