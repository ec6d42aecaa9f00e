"""P1's scalar lemmas end to end: sharp, and every planted fault is found."""

import pytest

import repro
from repro.families.offline_kl import searches_scalar


@pytest.fixture(scope="module")
def smoke():
    return repro.run("p1_scalar_lemmas", budget="smoke", overrides=["compute.workers=1"])


def test_every_lemma_holds_and_every_planted_fault_is_found(smoke):
    assert smoke.result.as_expected
    for item in smoke.result.checks:
        assert item.outcome.verdict == "supported", item.check.name
        assert item.caught, item.check.name


@pytest.mark.parametrize(
    "name", ["ville", "lipschitz", "freedman", "quadratic", "inverse_lipschitz"]
)
def test_the_search_comes_near_equality(smoke, name):
    (item,) = [item for item in smoke.result.checks if item.check.name == name]
    assert item.outcome.numbers["max_ratio"] > 0.93


def test_a_fault_inside_a_lemma_turns_the_verdict(monkeypatch):
    monkeypatch.setattr(searches_scalar, "inverse_constant", lambda bound, keep: 2 / (2 * keep - 1))
    done = repro.run(
        "p1_scalar_lemmas", budget="smoke", only=["inverse_lipschitz"],
        overrides=["compute.workers=1"],
    )  # fmt: skip
    assert done.result.verdict == "contradicted"
