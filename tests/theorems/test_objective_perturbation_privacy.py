"""Privacy of P3's objective perturbation, and what happens when it is broken."""

from dataclasses import replace

from theorems import objective_perturbation_privacy


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "contradicted"
    assert all(one.holds for one in smoke.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == {
        "printed", "printed_two_dimensions", "printed_noise_two_dimensions", "tolerance_printed",
        "printed_added",
    }  # fmt: skip


def test_audit_bounds_lie_below_the_exact_epsilon(smoke):
    audits = [item for item in smoke.result.checks if item.check.kind == "privacy"]
    assert max(item.outcome.numbers["audit_lower_bound"] for item in audits) > 0.1
    for item in audits:
        for one in (item.outcome, *item.controls):
            assert 0 <= one.numbers["audit_lower_bound"] <= one.numbers["exact_epsilon"]


def test_without_noise_nothing_is_private(nothing_is_private):
    nothing_is_private("corrected")


def test_half_the_distance_of_two_gradients_turns_the_verdict(turned):
    def wrong(right, *records):
        found = right(*records)
        points = tuple((length / 2, count) for length, count in found.points)
        return replace(found, distance=found.distance / 2, points=points)

    found = turned(
        "corrected_two_dimensions",
        objective_perturbation_privacy,
        "pairs_under",
        wrong,
        "theorem.sweeps.corrected_two_dimensions.grid=[1]",
    )
    assert found == ("supported", "contradicted")
