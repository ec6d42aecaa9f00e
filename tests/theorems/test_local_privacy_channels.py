"""Privacy of labels that are corrupted before or after the randomizer, also broken."""

import pytest

from repro.labels.preferences import label_law
from theorems import local_privacy_channels as channels


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "supported"
    assert all(one.holds for one in smoke.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_the_order_of_corruption_and_privacy():
    world = channels.CorruptedLabel(epsilon=0.5, corruption=0.2)

    def spent(algorithm):
        return algorithm(world).exact_epsilon(0.0)

    assert spent(channels.ltc) == pytest.approx(0.5)
    assert spent(channels.ctl) == pytest.approx(channels.ctl_epsilon(world))
    assert spent(channels.clc) < spent(channels.ctl) < 0.5 < spent(channels.raw_adversary)


def test_a_coin_that_flips_too_rarely_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 0.9 * right(epsilon)

    found = turned("ltc_exact", label_law, "flip_prob", wrong)
    assert found == ("supported", "contradicted")
