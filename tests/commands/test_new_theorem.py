"""``python -m repro new_theorem``: the scaffold runs, its control fails until it is filled in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repro.base.places import own
from repro.catalogue.summaries import statements_in
from repro.commands.new_paper import main as new_paper
from repro.commands.new_theorem import main
from repro.commands.process.command import status_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the source tree without tests and outputs."""
    root = tmp_path_factory.mktemp("tree")
    for name in ("repro", "theorems", "conf"):
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, root / name, ignore=skipped)
    return root


def status(words, root=None) -> int:
    """What the command ends with; what is wrong is said on stderr."""
    return status_of(lambda given: main(given, root), list(words))


def run(python_m: list[str], root: Path) -> tuple[int, dict]:
    """Exit status and verdict of the new experiment."""
    words = ["theorem=my_bound", "budget=smoke", "tracking=none", "compute.workers=1"]
    out = root / "out"
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(
        [*python_m, "repro", *words, f"output_dir={out}"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, timeout=300,
    )  # fmt: skip
    (path,) = out.glob("my_bound/*/verdict.json")
    return done.returncode, json.loads(path.read_text())


def test_the_scaffold_runs_and_its_control_fails_until_it_is_filled_in(python_m, tree, capsys):
    assert main(["my_bound"], tree) == 0
    printed = capsys.readouterr().out
    for path in ("theorems/my_bound.py", "conf/theorem/my_bound.yaml"):
        assert path in printed
        assert (tree / path).is_file()
    status, verdict = run(python_m, tree)
    (control,) = verdict["controls"]
    assert (status, verdict["verdict"], control["verdict"]) == (1, "inconclusive", "supported")
    told = subprocess.run(
        [*python_m, "repro", "catalogue"],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "my_bound (supported)" in told.stdout

    file = tree / "theorems" / "my_bound.py"
    before, after = file.read_text().rsplit("    return debiased(world, rng, replicates)\n", 1)
    file.write_text(before + "    return world.error(world.reported(rng, replicates))\n" + after)
    status, verdict = run(python_m, tree)
    (control,) = verdict["controls"]
    assert (status, verdict["verdict"], control["verdict"]) == (0, "supported", "contradicted")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "My_bound",
        "1bound",
        "a-b",
        "class",
        "null",
        "on",
        "inf",
        "../x",
        "a/b",
        "a__b",
        "_a",
        "b" * 61,
        "offline_gap",
    ],
)
def test_a_name_that_cannot_be_used_writes_nothing(tree, capsys, name):
    before = sorted(path for path in tree.rglob("*") if "__pycache__" not in path.parts)
    assert status([name], tree) == 2
    assert capsys.readouterr().err.count("\n") == 1
    after = sorted(path for path in tree.rglob("*") if "__pycache__" not in path.parts)
    assert before == after


def test_a_name_with_the_number_of_a_paper_of_the_folder_is_about_that_statement(tmp_path, capsys):
    assert new_paper(["kbr"], tmp_path) == 0
    capsys.readouterr()
    before = files_below(tmp_path)
    for name, line in {
        "kbr_thm_2": "conf/papers/kbr.yaml has no thm_2; did you mean thm_1? allowed: thm_1",
        "kber_thm_1": "no paper kber here; did you mean kbr?",
    }.items():
        assert status([name], tmp_path) == 2
        assert capsys.readouterr().err == f"error: name={name}: {line}\n"
    assert files_below(tmp_path) == before
    paper = tmp_path / "conf" / "papers" / "kbr.yaml"
    paper.write_text(paper.read_text() + "  thm_2: {title: a second one}\n")
    for name in ("kbr_thm_2", "kbr_square", "p1_thm_4_2"):
        assert main([name], tmp_path) == 0
    settled = {name: statements_in(own(tmp_path), name) for name in own(tmp_path).names()}
    assert settled == {
        "kbr_thm_1": ("kbr.thm_1",), "kbr_thm_2": ("kbr.thm_2",),
        "kbr_square": ("own.kbr_square",), "p1_thm_4_2": ("own.p1_thm_4_2",),
    }  # fmt: skip
    assert own(tmp_path).title("kbr_thm_2") == "KBR Theorem 2"
    assert own(tmp_path).title("kbr_square") == "kbr_square"


def test_the_files_are_written_into_the_current_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["my_bound"]) == 0
    told = capsys.readouterr().out.splitlines()[:2]
    assert told == [str(path.relative_to(tmp_path)) for path in files_below(tmp_path)[::-1]]
    assert told == ["theorems/my_bound.py", "conf/theorem/my_bound.yaml"]
    assert status(["offline_gap"]) == 2
    assert "name=offline_gap: allowed: a new name; " in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["a", "b"]])
def test_other_arguments_show_the_usage(tree, capsys, words):
    assert status(words, tree) == 2
    assert "usage: repro new_theorem NAME" in capsys.readouterr().err


def test_the_scaffold_is_written_as_the_rest_of_the_tree(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert main(["my_bound"], tmp_path) == 0
    words = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml")]
    done = subprocess.run([*words, str(tmp_path / "theorems")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def small_tree(tmp_path):
    """What a source tree has at least."""
    for name in ("theorems", "conf/theorem"):
        (tmp_path / "tree" / name).mkdir(parents=True)
    return tmp_path / "tree"


def files_below(folder):
    return sorted(path for path in folder.rglob("*") if not path.is_dir())


def test_a_link_out_of_the_tree_is_not_written_through(small_tree, tmp_path, capsys):
    (small_tree / "theorems" / "my_bound.py").symlink_to(tmp_path / "outside.py")
    assert status(["my_bound"], small_tree) == 2
    assert "theorems/my_bound.py exists" in capsys.readouterr().err
    assert files_below(tmp_path) == [small_tree / "theorems" / "my_bound.py"]


def test_a_folder_outside_the_tree_is_not_written_to(small_tree, tmp_path, capsys):
    (tmp_path / "elsewhere").mkdir()
    (small_tree / "conf" / "theorem").rmdir()
    (small_tree / "conf" / "theorem").symlink_to(tmp_path / "elsewhere")
    assert status(["my_bound"], small_tree) == 2
    assert "is outside" in capsys.readouterr().err
    assert files_below(tmp_path) == []


def test_all_files_or_none(tmp_path, monkeypatch):
    written = Path.write_bytes

    def full(path, content):
        if path.suffix == ".yaml":
            raise OSError(28, "No space left on device", str(path))
        return written(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        main(["my_bound"], tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_command_has_begun_is_finished_and_nothing_else_is(tmp_path, capsys):
    assert main(["my_bound"], tmp_path) == 0
    wanted = [path.read_bytes() for path in files_below(tmp_path)]
    (tmp_path / "conf" / "theorem" / "my_bound.yaml").unlink()
    assert main(["my_bound"], tmp_path) == 0
    assert [path.read_bytes() for path in files_below(tmp_path)] == wanted
    assert status(["my_bound"], tmp_path) == 2
    (tmp_path / "conf" / "theorem" / "my_bound.yaml").unlink()
    (tmp_path / "theorems" / "my_bound.py").write_text("mine")
    assert status(["my_bound"], tmp_path) == 2
    assert capsys.readouterr().err.count("my_bound.py exists") == 2
