"""Windows: where nothing is drawn, every local slope lies within half a tolerance of the claim."""

import numpy as np
import pytest
from repro.study.row import Evidence

from repro.base.notation import LINEAR_AXES
from repro.cli.composition import compose_values
from repro.study.claims import Slope
from repro.study.discovery import find, slugs
from repro.study.plan import blocks_of, built, measure_block
from repro.study.settings import session_of

WITHOUT_DRAWS = (Evidence.EXACT, Evidence.COMPUTED)


def windows():
    """(experiment, row) of every two-sided slope that is known in closed form."""
    for slug in slugs():
        for row in find(slug).rows:
            two_sided = isinstance(row.claim, Slope) and row.claim.direction == "two_sided"
            closed = row.measure.evidence in WITHOUT_DRAWS and row.expected == "supported"
            if two_sided and closed and not find(slug).extra:
                yield slug, row.name


@pytest.mark.parametrize(("slug", "name"), list(windows()))
def test_the_whole_window_lies_within_half_the_tolerance(slug, name):
    plan = session_of(compose_values(slug, {"budget": "smoke"}, [f"only=[{name}]"])).plan
    (trial,) = built(plan).trials
    values = measure_block(plan, blocks_of(plan)[0])[:, 0, :].mean(axis=1)
    grid = np.array(trial.grid)
    along = grid if trial.row.over in LINEAR_AXES else np.log(grid)
    local = np.diff(np.log(values)) / np.diff(along)
    assert local == pytest.approx(trial.row.claim.exponent, abs=trial.row.claim.tolerance / 2)
