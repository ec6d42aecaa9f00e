"""Lower bounds behind P2's and P4's claims of tightness, and what happens when it is broken."""

from repro.families.robust import bounds_two_point


def test_every_row_is_supported_and_every_control_is_caught(smoke, surprises, contradicted_rows):
    assert surprises(smoke) == []
    assert contradicted_rows == set()


def test_an_adversary_at_the_wrong_place_turns_the_verdict(turned):
    def wrong(right, *setting):
        return right(*setting[:-1], "ctl")

    found = turned(
        "privacy_cost_ltc",
        bounds_two_point,
        "observed_mean",
        wrong,
        "theorem.probes.privacy_cost_ltc.grid=[1.1,4,20]",
        replicates=20,
    )
    assert found == ("supported", "contradicted")
