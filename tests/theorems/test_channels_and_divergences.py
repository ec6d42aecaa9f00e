"""Channels and divergences end to end, and what happens when a factor is left out."""

import pytest


def test_every_verdict_is_the_pinned_one_and_every_control_is_caught(smoke, surprises):
    assert surprises(smoke) == []


@pytest.mark.parametrize(
    ("check", "slope"),
    [("rate_n", -1), ("rate_cost", 2), ("flat_n", -2 / 3), ("flat_cost", 4 / 3),
     ("flat_kl_weight", -1 / 3), ("sharp_n", -1.5), ("coverage_kl", 1),
     ("coverage_alpha_3_2", 0.5), ("coverage_chi_squared", 0), ("coverage_alpha_3", -1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.04)


def test_steps_are_near_equality(smoke, by_name):
    names = ("best_channel", "hellinger", "no_coverage")
    assert min(by_name(smoke)[name].outcome.numbers["max_ratio"] for name in names) > 0.95
