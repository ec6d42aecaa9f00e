"""What an axis can take, and that a grid outside is refused while nothing is written."""

import copy
import math

import pytest

from repro.base.axis_domains import DOMAINS, Domain, domain_of
from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.settings import session_of
from tests.at_each import at_each


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (Domain(), (1e-300, 1e300), (0, -1, math.inf, math.nan)),
        (Domain(1, closed=True, whole=True), (1, 7.0), (0, 1.5, math.inf)),
        (Domain(0, 0.5), (1e-9, 0.4999), (0, 0.5)),
    ],
)
def test_ends_belong_to_it_where_it_is_closed(domain, inside, outside):
    assert all(domain.allows(value) for value in inside)
    assert not any(domain.allows(value) for value in outside)


@at_each("axis", sorted(DOMAINS))
def test_words_say_the_ends(axis):
    domain = domain_of(axis)
    assert f"{domain.least:g}" in domain.words
    assert ("whole" in domain.words) == domain.whole
    assert ("at least" in domain.words) == domain.closed


def test_an_axis_without_a_domain_takes_positive_numbers():
    assert domain_of("kl_weight").allows(1e-12)
    assert not domain_of("kl_weight").allows(0)


@pytest.mark.parametrize(
    ("slug", "row", "grid", "line"),
    [
        ("square_chipo", "nonparametric_privacy_cost", [0.5, 2, 4, 8, 16],
            "theorem.sweeps.nonparametric_privacy_cost.grid.0=0.5: allowed: greater than 1"),
        ("square_chipo", "nonparametric_ctl", [0.1, 0.2, 0.3, 0.4, 0.5],
            "theorem.sweeps.nonparametric_ctl.grid.4=0.5: allowed: greater than 0 and less than"),
    ],
)  # fmt: skip
def test_a_value_outside_is_named(slug, row, grid, line):
    values = copy.deepcopy(compose_values(slug, {}))
    values["theorem"]["sweeps"][row]["grid"] = grid
    with pytest.raises(BadInput) as problem:
        session_of(values)
    assert str(problem.value).startswith(line)
