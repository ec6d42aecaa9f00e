"""The corrected Theorem 5.2 end to end, and what happens when its parts are broken."""

import pytest

from repro.p1.pokl import bonus, runs


@pytest.mark.parametrize(
    ("check", "slope"),
    [("estimation_eps_inf", 1), ("estimation_eps_one", 2), ("printed_eps_inf", 2),
     ("repaired_eps_inf", 1), ("repaired_eps_16", 1), ("repaired_eps_one", 2),
     ("cap_one", 0), ("cap_two_bounds", -1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.06)


def test_the_contradictions_are_the_cap_and_the_abstract(contradicted_rows):
    assert contradicted_rows == {"cap_one", "abstract"}


def test_a_lost_term_of_privacy_turns_the_exponent(turned):
    """W without κV²: Γ² grows like e^B at ε = 1."""

    def wrong(right, bound, epsilon):
        return right(bound, float("inf"))

    found = turned("repaired_eps_one", bonus, "inverse_information", wrong, replicates=400,
                   blocks=20)  # fmt: skip
    assert found[0] == "supported" != found[1]


def test_a_missing_debias_turns_the_verdict(turned):
    found = turned("estimation_eps_one", runs, "label_signal", lambda right, epsilon: 1.0,
                   replicates=400, blocks=20)  # fmt: skip
    assert found == ("supported", "contradicted")


def test_the_constant_at_every_b_keeps_its_epsilon(swept_of):
    """At ε = 0.3 and B = 10 the regret is not yet that of T → ∞."""
    worlds = swept_of(epsilon=0.3)["constant_b"].sweep.worlds
    assert {world.epsilon for world in worlds} == {1}
