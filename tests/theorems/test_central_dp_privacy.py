"""P3's estimate and covariance released together, and what happens when it is broken."""

from repro.p3.objective_perturbation import calibration


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "contradicted"
    assert all(one.holds for one in smoke.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == {
        "pairs_printed", "kwise_printed", "trajectory_printed", "any_constant",
        "kwise_estimate_printed", "trajectory_estimate_printed",
        "pairs_printed_plane", "kwise_any_constant", "kwise_estimate_any_constant",
        "pairs_printed_added", "kwise_printed_added", "trajectory_printed_added",
        "kwise_estimate_printed_added", "trajectory_estimate_printed_added",
    }  # fmt: skip


def test_audit_bounds_lie_below_the_exact_epsilon(smoke):
    audits = [item for item in smoke.result.checks if item.check.kind == "privacy"]
    judged = [one for item in audits for one in (item.outcome, *item.controls)]
    assert max(one.numbers["audit_lower_bound"] for one in judged) > 0.1
    for one in judged:
        assert 0 <= one.numbers["audit_lower_bound"] <= one.numbers["exact_epsilon"]


def test_without_noise_nothing_is_private(nothing_is_private):
    nothing_is_private("kwise_estimate")


def test_a_quarter_of_the_distance_of_two_gradients_turns_the_verdict(turned):
    def wrong(right, records, sigma, ridge, epsilon):
        return right(records, 4 * sigma, ridge, epsilon)

    found = turned(
        "kwise_estimate",
        calibration,
        "hockey_stick_bound",
        wrong,
        "theorem.sweeps.kwise_estimate.grid=[1,3]",
    )
    assert found == ("supported", "contradicted")
