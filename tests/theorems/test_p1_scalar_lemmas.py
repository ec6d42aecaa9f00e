"""P1's scalar lemmas end to end: sharp, and every planted fault is found."""

import pytest

from repro.families.offline_kl import proofs_scalar


def test_every_lemma_holds_and_every_planted_fault_is_found(smoke, surprises, contradicted_rows):
    assert surprises(smoke) == []
    assert contradicted_rows == set()


@pytest.mark.parametrize(
    "name", ["ville", "lipschitz", "freedman", "quadratic", "inverse_lipschitz"]
)
def test_the_search_comes_near_equality(smoke, name):
    (item,) = [item for item in smoke.result.checks if item.check.name == name]
    assert item.outcome.numbers["max_ratio"] > 0.93


def test_a_fault_inside_a_lemma_turns_the_verdict(turned):
    def wrong(right, x):
        return 1 / right(x)

    found = turned("inverse_lipschitz", proofs_scalar, "inverse_slope", wrong)
    assert found == ("supported", "contradicted")
