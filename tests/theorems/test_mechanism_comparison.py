"""Three private mechanisms, and what happens when one of them is broken."""

from theorems import mechanism_comparison


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "supported"
    assert all(one.holds for one in smoke.result.assumptions)


def test_without_noise_nothing_is_private(nothing_is_private):
    nothing_is_private("output_released")


def test_half_the_distance_turns_the_verdict(turned):
    def wrong(right, *given, **ridge):
        return right(*given, **ridge).weakened(2.0)

    found = turned(
        "output_released",
        mechanism_comparison,
        "output_perturbation",
        wrong,
        "theorem.sweeps.output_released.grid=[1]",
    )
    assert found == ("supported", "contradicted")
