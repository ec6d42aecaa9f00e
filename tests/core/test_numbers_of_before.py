"""One shape measures what the rows before it measured: a few experiments, every algorithm.

``numbers_of_7bcfe1e.json`` has the mean over grid, blocks and replicates of commit 7bcfe1e at
budget=smoke, seed 0.  ``tools/compare_suites.py`` compares whole suites, byte by byte, on one
machine; processors differ by up to 2.2e-10.  Checks that have been rebuilt since are left out.
"""

import json
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
    means = run.measurements.groupby(["check", "method"])["mean"].mean()
    found = {check: means[check].to_dict() for check in means.index.get_level_values(0).unique()}
    assert found.keys() - KEPT[theorem].keys() == REBUILT.get(theorem, set())
    for check, kept in KEPT[theorem].items():
        assert found[check] == pytest.approx(kept, rel=1e-8, nan_ok=True), check
