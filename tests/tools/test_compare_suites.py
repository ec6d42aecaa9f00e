"""Two folders of runs are compared row by row, and byte by byte."""

import json

import pytest

from tools.compare_suites import main


@pytest.fixture
def folders(tmp_path):
    """Two suites of two experiments, alike."""

    def suite(name):
        for theorem in ("lower_bound", "offline_gap"):
            run = tmp_path / name / theorem
            run.mkdir(parents=True)
            row = {"name": "n_pairs", "verdict": "supported"}
            wrong = {"name": "naive", "check": "n_pairs", "verdict": "contradicted"}
            content = {"checks": [row], "controls": [wrong]}
            (run / "verdict.json").write_text(json.dumps(content))
            (run / "measurements.parquet").write_bytes(b"numbers")
        return tmp_path / name

    return suite("before"), suite("after")


def compared(folders):
    return main([str(one) for one in folders])


def test_equal_suites_are_the_same(folders, capsys):
    assert compared(folders) == 0
    assert capsys.readouterr().out == (
        "lower_bound: same\noffline_gap: same\n2 of 2 experiments the same\n"
    )


def test_a_changed_verdict_and_a_changed_byte_are_named(folders, capsys):
    run = folders[1] / "offline_gap"
    text = (run / "verdict.json").read_text()
    (run / "verdict.json").write_text(text.replace("contradicted", "supported"))
    (run / "measurements.parquet").write_bytes(b"Numbers")
    assert compared(folders) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "offline_gap: n_pairs / naive: verdict contradicted → supported; "
        "measurements.parquet differs",
        "1 of 2 experiments the same",
    ]


def test_an_assumption_that_fails_on_one_side_is_named(folders, capsys):
    for folder, holds in zip(folders, (True, False), strict=True):
        path = folder / "offline_gap" / "verdict.json"
        assumptions = [{"name": "coverage", "holds": holds}, {"name": "bound", "holds": True}]
        path.write_text(json.dumps(json.loads(path.read_text()) | {"assumptions": assumptions}))
    assert compared(folders) == 1
    line = "offline_gap: : assumptions hold True → False\n"
    assert line in capsys.readouterr().out


def test_an_experiment_of_one_side_is_named(folders, capsys):
    (folders[0] / "lower_bound" / "verdict.json").unlink()
    assert compared(folders) == 1
    assert capsys.readouterr().out.startswith(f"lower_bound: only in {folders[1]}\n")


def test_a_folder_without_runs_is_refused(folders, tmp_path, capsys):
    assert main([str(folders[0]), str(tmp_path / "none")]) == 2
    assert "allowed: two folders of runs" in capsys.readouterr().err
