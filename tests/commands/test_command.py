"""The command as users meet it: files, exit status, same bytes."""

import ast
import json
import subprocess
import sys

import pytest

from repro.base.places import shipped

FILES = {
    "verdict.json",
    "measurements.parquet",
    "figure.png",
    "figure.svg",
    "config.yaml",
    "run.json",
}


def only_run(tmp_path):
    (folder,) = (tmp_path / "outputs" / "offline_gap").iterdir()
    return folder


def test_a_run_writes_its_files_and_says_where(command, quick, tmp_path):
    status, out, err = command(*quick)
    folder = only_run(tmp_path)
    verdict = json.loads((folder / "verdict.json").read_text())
    assert {path.name for path in folder.iterdir()} == FILES
    assert folder.name == verdict["config_hash"]
    assert err.startswith("running offline_gap: ")
    assert "controls rejected, of all that are wrong on purpose" in out
    assert max(map(len, out.splitlines()[:-2])) <= 80
    assert status == (0 if "as expected)" in out else 1)


def test_same_bytes_twice_and_with_two_workers(command, quick, tmp_path):
    for name, workers in (("a", 1), ("b", 1), ("c", 2)):
        words = (f"output_dir={name}", f"hydra.run.dir={name}/run", f"compute.workers={workers}")
        command(*quick, *words)
    for file in ("verdict.json", "measurements.parquet"):
        contents = {(tmp_path / name / "run" / file).read_bytes() for name in "abc"}
        assert len(contents) == 1


def test_hydra_run_dir_is_where_files_go(command, quick, tmp_path):
    command(*quick, "hydra.run.dir=mine")
    assert {path.name for path in (tmp_path / "mine").iterdir()} == FILES
    assert not (tmp_path / "outputs" / "offline_gap").exists()


def test_an_unexpected_verdict_leaves_with_1_and_keeps_files(command, quick, tmp_path):
    status, out, _ = command(*quick, "stages.labels=fair_coins")
    verdict = json.loads((only_run(tmp_path) / "verdict.json").read_text())
    check = next(c for c in verdict["checks"] if c["name"] == "n_pairs_no_bonus")
    assert status == 1
    assert (check["verdict"], check["expected"]) == ("contradicted", "supported")
    assert "NOT" in out


def test_multirun_keeps_one_folder_a_job(command, quick, tmp_path):
    _, out, _ = command("-m", *quick, "seed=0,1")
    assert len(list((tmp_path / "outputs" / "offline_gap").iterdir())) == 2
    assert "job 1 of 2: seed=0" in out
    assert any(line.split()[:2] == ["1", "seed=0"] for line in out.splitlines())
    (heads,) = (line for line in out.splitlines() if line.startswith("numbers that changed"))
    assert heads.split()[-4:] == ["job", "1", "job", "2"]


def test_a_sweep_ends_with_the_checks_whose_verdicts_differ(command, quick):
    _, out, _ = command("-m", *quick, "stages.labels=null,fair_coins")
    assert "offline_gap n_pairs_no_bonus: supported in 1; contradicted in 2" in out


@pytest.fixture
def tracked(quick):
    """The words of a quick run that is recorded."""
    return [word for word in quick if word != "tracking=none"]


def test_without_a_tracker_nothing_of_it_is_imported(command, quick, monkeypatch):
    monkeypatch.setitem(sys.modules, "repro.report.tracking", None)
    assert command(*quick)[0] == 0


def test_tracking_records_the_run(command, tracked, tmp_path):
    command(*tracked)
    assert (tmp_path / "outputs" / "mlflow.db").stat().st_size > 0


def test_the_verdict_does_not_wait_for_the_figure(command, quick, monkeypatch):
    def stops(*_):
        raise SystemExit(7)

    monkeypatch.setattr("repro.report.figure.figures", stops)
    status, out, _ = command(*quick)
    assert status == 7
    assert "offline_gap: " in out.splitlines()[-1]


def test_the_verdict_does_not_wait_for_the_tracker(command, tracked, monkeypatch):
    def stops(*_):
        raise SystemExit(7)

    monkeypatch.setattr("repro.report.tracking.log_result", stops)
    status, out, _ = command(*tracked)
    assert status == 7
    assert out.splitlines()[-2].startswith("files: ")


@pytest.mark.parametrize("leaves", [OSError(32, "Broken pipe"), SystemExit(1)])
def test_a_run_is_recorded_though_its_reader_has_gone(
    command, tracked, monkeypatch, tmp_path, leaves
):
    def gone(*_):
        raise leaves

    recorded = []
    monkeypatch.setattr("repro.report.terminal.print_result", gone)
    monkeypatch.setattr("repro.report.tracking.log_result", lambda *given: recorded.append(given))
    assert command(*tracked)[0] != 0
    assert len(recorded) == 1
    assert len(list(tmp_path.rglob("verdict.json"))) == 1


def test_ctrl_c_keeps_finished_blocks_and_says_how_to_go_on(command, quick, tmp_path, monkeypatch):
    from repro.study import parallel

    def stops(function, blocks):
        for done, block in enumerate(blocks):
            if done == 3:
                raise KeyboardInterrupt
            yield block, function(block)

    many = [*quick, "budget.replicates=4000"]
    with monkeypatch.context() as patch:
        patch.setattr("repro.api._mapper", lambda session, later: (stops, 1))
        status, _, err = command(*many)
    assert status == 130
    assert "3 of 10" in err
    assert "run the same command to go on" in err
    assert not list((tmp_path / "outputs" / "offline_gap").rglob("verdict.json"))
    done = []
    monkeypatch.setattr(
        "repro.api._mapper",
        lambda session, later: (lambda f, blocks: (done.append(b) or (b, f(b)) for b in blocks), 1),
    )
    command(*many)
    total = len(list((tmp_path / "outputs" / ".cache" / "blocks").rglob("*.npy")))
    assert len(done) == total - 3
    assert parallel.in_process is not None


def test_a_refusal_of_a_process_of_its_own(tmp_path):
    """As a user's shell runs it, from any directory."""
    done = own_process("theorem=offline_gpa", folder=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_lists_every_experiment_below_its_paper_with_its_title(tmp_path):
    """Read from what the process prints: no title is empty, none stands below another paper."""
    done = own_process("--help", folder=tmp_path)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])
    listed, heading = {}, ""
    for line in lines[next(i for i, line in enumerate(lines) if "by paper" in line) + 1 :]:
        if line.startswith("  "):
            name, title = line.split(maxsplit=1)
            listed[name] = heading.split()[0], title.strip("… -")
        else:
            heading = line
    assert sorted(listed) == shipped().names()
    for name, (label, begins) in listed.items():
        title = title_of(name)
        label_of_title, _, after_label = title.partition(" ")
        own = label_of_title not in ("P1", "P2", "P3", "P4")
        assert label == ("Own" if own else label_of_title), name
        assert len(begins) > 9, name
        assert (title if own else after_label).startswith(begins), name
    headings = dict.fromkeys(label for label, _ in listed.values())
    assert [*headings] == ["P1", "P2", "P3", "P4", "Own"]


def title_of(name):
    """As Python reads the file: the constant that is given as ``title``."""
    tree = ast.parse(shipped().code(name).read_text(encoding="utf-8"))
    keywords = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    return next(
        node.value.value
        for node in keywords
        if node.arg == "title" and isinstance(node.value, ast.Constant)
    )


def own_process(*words, folder):
    """What a new process of the command prints, and how it ends."""
    return subprocess.run(
        [sys.executable, "-m", "repro", *words],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        env=environment(),
    )  # fmt: skip


def environment():
    import os
    from pathlib import Path

    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
