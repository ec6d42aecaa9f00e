"""Between which values checks are made, as a config says."""

from repro.catalogue.ranges import ranges
from repro.catalogue.summaries import summaries


def test_an_axis_takes_the_place_of_the_field_that_it_sets():
    checks = [one for one in summaries()["lower_bound"].checks if "epsilon" in one.name]
    named = {one.name: ranges("lower_bound", [one]) for one in checks}
    assert named["epsilon_minus_one_small"] == "(e^ε−1) 0.001 to 0.03, n = 1e+15, B = 2"


def test_an_experiment_that_is_gone_has_no_ranges():
    assert ranges("gone", summaries()["lower_bound"].checks[:1]) == ""
