"""P2's private XPO, and what happens when its implementation is broken."""

from repro.families.xpo import quantities


def test_nothing_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_bad_numbers_are_one_line(refused):
    refused("n_pairs", n_pairs=100)


def test_a_clean_likelihood_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 1 - 1e-12

    found = turned("horizon", quantities, "label_signal", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")
