"""Sweeps a thousand times too small or too large: one line that names the grid, or a plan.

The plan's worlds and checks are built, which is all that happens before anything is written.
"""

import copy
import random

import pytest

from repro.base.errors import BadInput
from repro.cli.composition import compose_values
from repro.study.discovery import slugs
from repro.study.plan import built
from repro.study.settings import session_of

LLM = "llm_"
ROWS = 2


def scaled(values, row, factor):
    """The config with all values of a row's grid times the factor."""
    found = copy.deepcopy(values)
    probe = sweeps_of(found)[row]
    probe["grid"] = [value * factor for value in probe["grid"]]
    return found


def sweeps_of(values):
    """How the rows of a composed config are swept, by name."""
    theorem = values["theorem"]
    return theorem.get("sweeps", theorem.get("probes", {}))


def swept(values):
    """Rows of the first group that have a grid, two of them by the experiment's own draw."""
    probes = sweeps_of(values)
    rows = [row for row, probe in probes.items() if probe.get("grid")]
    return random.Random(values["theorem"]["name"]).sample(rows, min(ROWS, len(rows)))


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("slug", [slug for slug in slugs() if not slug.startswith(LLM)])
def test_a_sweep_out_of_reach_is_one_line(slug, factor):
    values = compose_values(slug, {})
    for row in swept(values):
        try:
            assert built(session_of(scaled(values, row, factor)).plan).trials
        except BadInput as problem:
            line = str(problem)
            assert "\n" not in line
            assert "allowed: " in line or "nothing here depends on it" in line
        except MemoryError:
            pass


def test_a_formula_without_a_value_is_one_line():
    values = compose_values("central_dp_privacy", {})
    values["theorem"]["sweeps"]["audit_corrected"]["grid"] = [300, 400, 500]
    with pytest.raises(BadInput, match=r"^theorem\.sweeps\.audit_corrected\.grid=\[300,400"):
        built(session_of(values).plan)


def test_a_world_that_refuses_names_its_field():
    values = compose_values("log_regret", {})
    values["theorem"]["sweeps"]["kl_weight"]["grid"] = [1e-7, 1e-6, 1e-5, 1e-4]
    with pytest.raises(BadInput, match=r"kl_weight=1e-07: allowed: greater than"):
        built(session_of(values).plan)
