"""A stage of dvc.yaml depends on what its experiment measures with, and on no mere reader."""

import json
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
import yaml

from repro.study.sources import MEASURING, closure

ROOT = Path(__file__).parents[2]
FAMILIES = yaml.safe_load((ROOT / "conf" / "suite.yaml").read_text())["theorems"]
EXPERIMENT = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]["experiment"]["do"]


def filled(text, theorem):
    """A line of the stage, for one theorem."""
    for name, value in {"key": theorem, "item": FAMILIES[theorem], "budget": "laptop"}.items():
        text = text.replace(f"${{{name}}}", value)
    return text


@pytest.mark.parametrize("theorem", FAMILIES)
def test_a_stage_depends_on_every_file_that_its_experiment_imports(theorem):
    needed = {path.relative_to(ROOT) for path in closure(f"theorems.{theorem}", MEASURING).values()}
    depended = {Path(filled(line, theorem)) for line in EXPERIMENT["deps"]}
    assert len(needed) > 20
    assert [path for path in needed if depended.isdisjoint({path, *path.parents})] == []


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the pipeline, every stage of it recorded as run, with stand-ins for its outputs."""
    folder = tmp_path_factory.mktemp("pipeline")
    for name in ("repro", "theorems", "conf"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "dvc.yaml", folder)
    own = [
        filled(next(iter(out)) if isinstance(out, dict) else out, theorem)
        for theorem in FAMILIES
        for out in chain(EXPERIMENT["outs"], EXPERIMENT["metrics"], EXPERIMENT["plots"])
    ]
    others = yaml.safe_load((folder / "dvc.yaml").read_text())["stages"]
    shared = [out for stage in others.values() for out in stage.get("outs", ())]
    for name in (*own, *shared):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    dvc(folder, "init", "--no-scm", "--quiet")
    dvc(folder, "commit", "--force", "--quiet")
    return folder


def dvc(folder, *words):
    command = [sys.executable, "-m", "dvc", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def changed_stages(folder):
    return set(json.loads(dvc(folder, "status", "--json")))


def touched(folder, room):
    """Adds a line to every module of a room."""
    modules = list((folder / room).rglob("*.py"))
    assert modules
    for module in modules:
        module.write_text(module.read_text() + '"""One more sentence."""\n')


@pytest.mark.xdist_group("stages")
def test_what_is_changed_in_the_report_or_in_one_family_stales_no_other_experiment(repository):
    assert changed_stages(repository) == set()
    touched(repository, "repro/report")
    assert changed_stages(repository) == {"results"}
    touched(repository, "repro/families/chipo")
    of_family = {f"experiment@{name}" for name, family in FAMILIES.items() if family == "chipo"}
    assert len(of_family) >= 5
    assert changed_stages(repository) == {"results"} | of_family
