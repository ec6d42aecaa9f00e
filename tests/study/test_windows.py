"""Windows: where nothing is drawn, every local slope lies within half a tolerance of the claim."""

import numpy as np
import pytest

from repro.base.notation import LINEAR_AXES
from repro.core.claims import Slope, SlopeCheck
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import blocks_of, built, measure_block
from repro.study.settings import session_of

CLOSED = ("exact", "computed")


def windows():
    """(theorem, check) of every two-sided slope that is known in closed form."""
    for slug in slugs():
        for check in find(slug).checks:
            two_sided = isinstance(check.claim, Slope) and check.claim.direction == "two_sided"
            closed = check.quantity.evidence in CLOSED and check.expected == "supported"
            if two_sided and closed and not find(slug).extra:
                yield slug, check.name


@pytest.mark.some(4)
@pytest.mark.parametrize(("slug", "name"), list(windows()))
def test_the_whole_window_lies_within_half_the_tolerance(slug, name):
    plan = session_of(compose_values(slug, {"budget": "smoke"}, [f"only=[{name}]"])).plan
    (check,) = built(plan).checks
    assert isinstance(check, SlopeCheck)
    values = measure_block(plan, blocks_of(plan)[0])[:, 0].mean(axis=(1, 2))
    grid = np.array(check.grid)
    along = grid if check.axis in LINEAR_AXES else np.log(grid)
    local = np.diff(np.log(values)) / np.diff(along)
    assert local == pytest.approx(check.claimed, abs=check.tolerance / 2)
