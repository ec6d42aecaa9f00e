"""A stage of dvc.yaml depends on the modules that its experiment measures with, and on no mere
reader; the metrics of two runs of it are compared by DVC."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from repro.study.sources import MEASURING, closure

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
THEOREMS = yaml.safe_load((ROOT / "conf" / "suite.yaml").read_text())["theorems"]
EXPERIMENT = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]["experiment"]["do"]


def filled(text, theorem):
    """A line of the stage, for one theorem."""
    for name, value in {"item": theorem, "budget": "laptop"}.items():
        text = text.replace(f"${{{name}}}", value)
    return text


def test_a_stage_depends_on_its_modules_and_its_numbers():
    depended = {filled(line, "offline_gap") for line in EXPERIMENT["deps"]}
    assert {"outputs/modules/offline_gap.txt", "conf/theorem/offline_gap.yaml"} <= depended
    assert not any(line.startswith("repro") for line in depended)


def test_the_findings_depend_on_all_that_is_written_of_statements():
    """Standing, proofs, slips: what no run reads is read by the page of results."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    of_runs = {"conf/config.yaml", "conf/suite.yaml"}
    files = {f"conf/{path.name}" for path in (ROOT / "conf").glob("*.yaml")}
    assert files - of_runs <= set(stages["results"]["deps"])


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the pipeline, every stage of it recorded as run, with stand-ins for its outputs."""
    folder = tmp_path_factory.mktemp("pipeline")
    for name in ("repro", "theorems", "conf"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "dvc.yaml", folder)
    own = [
        filled(next(iter(out)) if isinstance(out, dict) else out, theorem)
        for theorem in THEOREMS
        for out in EXPERIMENT["outs"]
    ]
    others = yaml.safe_load((folder / "dvc.yaml").read_text())["stages"]
    shared = [out for stage in others.values() for out in stage.get("outs", ())]
    for name in {*own, *shared} - {"outputs/modules"}:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    dvc(folder, "init", "--no-scm", "--quiet")
    dvc(folder, "repro", "--quiet", "modules")
    dvc(folder, "commit", "--force", "--quiet")
    return folder


def dvc(folder, *words, silent=False):
    command = [sys.executable, "-m", "dvc", *words]
    env = os.environ | {"PYTHONPATH": str(folder), "DVC_NO_ANALYTICS": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert not (silent and done.stderr)
    return done.stdout


def changed_stages(folder):
    return set(json.loads(dvc(folder, "status", "--json")))


def touched(folder, room):
    """Adds a line to every module of a room."""
    modules = list((folder / room).rglob("*.py"))
    assert modules
    for module in modules:
        module.write_text(module.read_text() + '"""One more sentence."""\n')


def importers(room):
    """Experiments that measure with some module of a room of repro."""
    modules = {name: closure(f"theorems.{name}", MEASURING) for name in THEOREMS}
    return {name for name in THEOREMS if any(m.startswith(f"repro.{room}.") for m in modules[name])}


@pytest.mark.xdist_group("stages")
def test_a_changed_room_stales_the_experiments_that_import_it_and_no_other(repository):
    assert changed_stages(repository) == set()
    touched(repository, "repro/report")
    dvc(repository, "repro", "--quiet", "modules")
    assert changed_stages(repository) == {"results"}
    touched(repository, "repro/p1/hypercube")
    assert changed_stages(repository) == {"results", "modules"}
    dvc(repository, "repro", "--quiet", "modules")
    using = importers("p1.hypercube")
    assert 1 <= len(using) < len(THEOREMS) / 2
    assert changed_stages(repository) == {"results"} | {f"experiment@{name}" for name in using}


EXPERIMENT_RUN = "tightness_private_robust"
"""Quick at smoke; of its slopes only ``attained_n_pairs`` is of drawn labels."""


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A repository of git with a committed run of one experiment at seed 0."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("repro", "theorems", "conf"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dvc.yaml", ".gitignore"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "proofs", folder / "proofs")
    suite = folder / "conf" / "suite.yaml"
    suite.write_text(suite.read_text().replace("budget: laptop", "budget: smoke"))
    git(folder, "init", "--quiet")
    git(folder, "config", "user.name", "A. N. Author")
    git(folder, "config", "user.email", "author@example.org")
    dvc(folder, "init", "--quiet")
    shutil.copytree(ROOT / ".dvc" / "plots", folder / ".dvc" / "plots")
    dvc(folder, "repro", "--quiet", f"experiment@{EXPERIMENT_RUN}")
    dvc(folder, "repro", "--quiet", "--single-item", "results")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "seed 0")
    return folder


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="dvc exp needs git")
@pytest.mark.xdist_group("stages")
def test_an_experiment_at_another_seed_shows_its_changed_slopes(committed):
    """As docs/howto/suite_with_dvc.md says; what is exact stays, what is drawn moves a little."""
    stage = f"experiment@{EXPERIMENT_RUN}"
    dvc(committed, "exp", "run", "--quiet", "-S", "conf/suite.yaml:seed=1", stage)
    dvc(committed, "repro", "--quiet", "--single-item", "results")
    printed = dvc(committed, "metrics", "diff", "--all", "--json", silent=True)
    rows = json.loads(printed)[f"outputs/metrics/{EXPERIMENT_RUN}.json"]
    dvc(committed, "plots", "show", silent=True)
    dvc(committed, "plots", "diff", silent=True)
    assert f'"title": "outputs/curves/{EXPERIMENT_RUN}.csv"' in (
        committed / "dvc_plots" / "index.html"
    ).read_text("utf-8")
    drawn, exact = (rows[f"{name}.measured"] for name in ("attained_n_pairs", "n_pairs"))
    assert drawn["old"] != drawn["new"]
    assert drawn["diff"] == pytest.approx(drawn["new"] - drawn["old"])
    assert abs(drawn["new"] + 0.5) < 0.05
    assert exact["diff"] == 0
