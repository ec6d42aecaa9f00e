"""One shape measures what the rows before it measured: a few experiments, every algorithm.

``numbers_of_7bcfe1e.json`` has the mean over grid, blocks and replicates of commit 7bcfe1e at
budget=smoke, seed 0.  ``tools/compare_suites.py`` compares whole suites, byte by byte, on one
machine; processors differ by up to 2.2e-10.  Checks that have been rebuilt since are left out.
"""

import json
import math
from pathlib import Path

import pytest

import repro

pytestmark = pytest.mark.slow

REBUILT = {"fast_rate_offline": {"printed_floor_any_ctl", "printed_floor_any_ltc"}}
KEPT = json.loads((Path(__file__).parent / "numbers_of_7bcfe1e.json").read_text("utf-8"))


@pytest.mark.parametrize("theorem", KEPT)
def test_every_algorithm_measures_what_it_did(theorem, kept_blocks):
    alone = ["compute.workers=1"]
    run = repro.run(theorem, budget="smoke", seed=0, overrides=alone, output_dir=kept_blocks)
    checks = {item.check.name: (item.outcome, *item.controls) for item in run.result.checks}
    assert checks.keys() - KEPT[theorem].keys() == REBUILT.get(theorem, set())
    for check, before in KEPT[theorem].items():
        for outcome in checks[check]:
            mean, error = outcome.series.means.mean(), outcome.series.standard_errors
            # other draws since: six standard errors of the difference of two such means
            noise = 6 * math.sqrt(2) * math.hypot(*error) / len(error)
            wanted = pytest.approx(before[outcome.method], rel=1e-8, abs=noise, nan_ok=True)
            assert mean == wanted, (check, outcome.method)
