"""What an axis can take, and that a grid outside is refused while nothing is written."""

import copy

import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.settings import session_of


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
