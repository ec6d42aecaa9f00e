"""What a sweep says at its end of the numbers that its jobs do not share."""

import json
import math

import pytest

from repro.commands.runs.sweep import Job, changes, print_summary


def verdict(name, slopes):
    """``verdict.json`` of slopes by check, as far as a sweep reads it."""
    checks = [
        {"name": check, "kind": "slope", "slope": slope, "ci95": [slope - 0.01, slope + 0.01],
         "verdict": "supported", "expected": "supported"}
        for check, slope in slopes.items()
    ]  # fmt: skip
    return {"theorem": name, "verdict": "supported", "rows": [2, 2], "checks": checks}


class Told:
    """A job with its verdict."""

    overrides, levels = ("seed=1",), {}

    def __init__(self, found):
        self.verdict = found


JOBS = [
    verdict("offline_gap", {"n_pairs": slope, "coverage": 1.0})
    for slope in (-1.0, -0.99, -1.02, -1.01)
]


UNMEASURED = {
    **JOBS[0],
    "checks": [{"name": "n_pairs", "verdict": "inconclusive", "expected": "supported"}],
}


def test_checks_whose_numbers_changed_are_told():
    assert list(changes(JOBS[:2])) == ["offline_gap n_pairs"]
    assert changes([JOBS[0], JOBS[0], {}]) == {}
    one, none, other = changes([JOBS[0], {}, JOBS[1]])["offline_gap n_pairs"]
    assert none is None
    assert (one.slope, other.slope) == (-1.0, -0.99)


def test_levels_are_compared_where_more_than_the_seed_differs(capsys):
    def ran(words, level):
        job = Told(JOBS[0])
        job.overrides, job.levels = words, {"offline_gap n_pairs: gap at n = 1e9": level}
        return job

    print_summary([ran(("seed=1",), 1.0), ran(("seed=2",), 2.0)])
    assert "interpolated at one value" not in capsys.readouterr().out
    print_summary([ran(("epsilon=1",), 1.0), ran(("epsilon=2",), 2.0)])
    assert "interpolated at one value" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("jobs", "row"),
    [
        (JOBS[:2], "offline_gap n_pairs -1.000 ± 0.010 -0.990 ± 0.010"),
        ([JOBS[0], {}, JOBS[1]], "offline_gap n_pairs -1.000 ± 0.010 – -0.990 ± 0.010"),
        (JOBS, "offline_gap n_pairs -1.020 ± 0.010 (job 3) -0.990 ± 0.010 (job 2)"),
        ([*JOBS, UNMEASURED], "offline_gap n_pairs not measured (job 5) -0.990 ± 0.010 (job 2)"),
    ],
)
def test_their_numbers_stand_beside_each_other_or_between_their_ends(capsys, jobs, row):
    print_summary([Told(one) for one in jobs])
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert row in lines
    assert not any("coverage" in line for line in lines)


def test_levels_that_differ_stand_beside_each_other(tmp_path, capsys):
    """Of both checks the curve at one value; not where only the labels differ."""
    import pyarrow
    from pyarrow.parquet import write_table

    jobs = []
    for number, (scaled, cost) in enumerate(((1.0, 1.0), (4.0, 4.0))):
        folder, rows, checks = tmp_path / str(number), [], []
        for axis, grid in (("n_pairs", (1e2, 1e4, 1e6)), ("coverage", (1.0, 1e2, 1e4))):
            grid = [scaled * value for value in grid] if axis == "n_pairs" else grid
            for value in grid:  # of unequal blocks, the last without a replicate
                parts = (("m", 2, 10), ("m", 0.5, 20), ("m", math.nan, 0), ("control", 9, 20))
                for method, times, count in parts:
                    mean = times * cost / value
                    rows.append({"check": axis, "method": method, "value": value, "mean": mean,
                                 "count": count})  # fmt: skip
            checks.append({
                "name": axis, "axis": axis, "slope": -1.0, "method": "m", "quantity": "gap [nats]",
                "settings": {"labels_scaled_by": scaled}, "verdict": "supported",
                "expected": "supported",
            })  # fmt: skip
        checks.append({**checks[0], "name": "bound", "slope": None})
        rows += [{**row, "check": "bound"} for row in rows if row["check"] == "n_pairs"]
        folder.mkdir()
        write_table(pyarrow.Table.from_pylist(rows), folder / "measurements.parquet")
        content = {"theorem": "t", "verdict": "supported", "rows": [2, 2], "checks": checks}
        (folder / "verdict.json").write_text(json.dumps(content))
        jobs.append(Job((f"++theorem.sweeps.n_pairs.epsilon={scaled}",), folder))
    print_summary(jobs)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "t n_pairs: gap at n = 1e4 0.0001 0.0004" in lines
    assert "2 theorem.sweeps.n_pairs.epsilon=4.0 ✓ supported 3 of 3 checks" in lines
    assert not any(name in line for line in lines for name in ("coverage", "bound"))


def test_where_no_number_changed_no_table_is_shown(capsys):
    print_summary([Told(JOBS[0]), Told(JOBS[0])])
    assert "numbers that changed" not in capsys.readouterr().out
