"""Sweeps a thousand times too small or too large: one line that names the grid, or a plan.

The plan's worlds and checks are built, which is all that happens before anything is written.
"""

import copy
import random

import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.discovery import slugs
from repro.study.plan import built
from repro.study.settings import session_of

LLM = "llm_"
CHECKS = 2


def scaled(values, check, factor):
    """The config with all values of a check's grid times the factor."""
    found = copy.deepcopy(values)
    sweep = found["theorem"]["sweeps"][check]
    sweep["grid"] = [value * factor for value in sweep["grid"]]
    return found


def some(values):
    """Names of two checks, by the theorem's own draw."""
    checks = list(values["theorem"]["sweeps"])
    return random.Random(values["theorem"]["name"]).sample(checks, min(CHECKS, len(checks)))


@pytest.mark.some(4)
@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("slug", [slug for slug in slugs() if not slug.startswith(LLM)])
def test_a_sweep_out_of_reach_is_one_line(slug, factor):
    values = compose_values(slug, {})
    for check in some(values):
        try:
            assert built(session_of(scaled(values, check, factor)).plan).swept
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
