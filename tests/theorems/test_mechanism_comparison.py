"""Three private mechanisms, and what happens when one of them is broken."""

from repro.families.central import cases_mechanisms


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
        cases_mechanisms,
        "output_perturbation",
        wrong,
        "theorem.probes.output_released.grid=[1]",
    )
    assert found == ("supported", "contradicted")
