"""``repro new_paper``: a paper with one statement and its experiment, which run as they are."""

import subprocess

import pytest

from repro.base.errors import BadInput
from repro.catalogue.papers import load
from repro.commands.new_paper import main
from repro.study.discovery import find

FILES = ["conf/papers/mine.yaml", "conf/theorem/mine_thm_1.yaml", "theorems/mine_thm_1.py"]


def below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_files_belong_to_each_other(tmp_path, capsys):
    assert main(["mine"], tmp_path) == 0
    assert sorted(capsys.readouterr().out.splitlines()[:3]) == below(tmp_path) == FILES
    statements = [name for name in load(tmp_path).items if name.startswith("mine.")]
    assert statements == ["mine.thm_1"]
    theorem = find("mine_thm_1", tmp_path)
    assert theorem.statements == ("mine.thm_1",)
    assert theorem.title.startswith("MINE Theorem 1")


@pytest.mark.parametrize("name", ["", "own", "p1", "Mine", "my_paper", "9", "../x", "m" * 21])
def test_a_name_that_cannot_be_used_writes_nothing(tmp_path, name):
    with pytest.raises(BadInput, match="^name.*a small letter, then small letters|^name.*exists"):
        main([name], tmp_path)
    assert below(tmp_path) == []


@pytest.mark.parametrize("file", FILES)
def test_no_file_is_overwritten(tmp_path, file):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("mine")
    with pytest.raises(BadInput, match="exists"):
        main(["mine"], tmp_path)
    assert below(tmp_path) == [file]
    assert (tmp_path / file).read_text() == "mine"


@pytest.mark.parametrize("words", [[], ["a", "b"]])
def test_other_arguments_show_the_usage(tmp_path, words):
    with pytest.raises(BadInput, match="usage: repro new_paper NAME"):
        main(words, tmp_path)


@pytest.mark.slow
def test_it_runs_as_it_is_and_everything_answers_for_it(tmp_path, python_m, capsys):
    """The run, the catalogue, the report, the ablation and the list of the suite."""
    main(["mine"], tmp_path)
    capsys.readouterr()

    def said(*words):
        run = subprocess.run([*python_m, "repro", *words], cwd=tmp_path, text=True,
                             capture_output=True, timeout=300)  # fmt: skip
        assert run.returncode == 0, run.stderr
        return run.stdout + run.stderr

    assert "not run yet" in said("catalogue")
    assert "not run yet" in said("catalogue", "mine.thm_1").splitlines()[0]
    said("theorem=mine_thm_1", "budget=smoke", "tracking=none", "compute.workers=1")
    assert said("catalogue", "MINE Theorem 1").startswith("MINE Theorem 1: ✓ supported")
    assert "not run yet" not in said("catalogue")
    said("report", "paper=mine")
    page = (tmp_path / "outputs" / "report_mine.html").read_text("utf-8")
    assert 'data-paper="mine" data-kind="theorem" data-verdict="supported"' in page
    assert "4 of 4 ablations noticed" in said("ablate", "theorem=mine_thm_1")
    said("suite", "list")
    assert "- mine_thm_1" in (tmp_path / "conf" / "suite.yaml").read_text("utf-8")
