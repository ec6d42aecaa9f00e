"""What is shipped is complete, holds nothing else, and works without the source tree."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from repro.commands.process.table import COMMANDS
from tests.docs.fences import blocks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DATA = ("j2", "css", "js", "txt", "sql")
"""Templates of the report, of a new experiment and of MLflow's tables."""
BILL = "sboms/repro-rlhf.cdx.json"
INFO = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", BILL}


@pytest.fixture(scope="session")
def in_wheel(dists) -> set[str]:
    (wheel,) = dists.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def files(folder: str, pattern: str) -> set[str]:
    found = (ROOT / folder).rglob(pattern)
    return {str(path.relative_to(ROOT)) for path in found if "__pycache__" not in path.parts}


def test_wheel_holds_the_code_the_config_and_nothing_else(in_wheel):
    code = files("repro", "*.py") | {f"repro/{name}" for name in files("theorems", "*.py")}
    conf = {f"repro/{name}" for name in files("conf", "*.yaml") | files("conf", "*.json")}
    assert {name.split("/")[0] for name in in_wheel if ".dist-info/" not in name} == {"repro"}
    data = {name for ending in DATA for name in files("repro", f"*.{ending}")}
    info = {name for name in in_wheel if ".dist-info/" in name}
    assert {name.split(".dist-info/")[1] for name in info} == INFO
    assert in_wheel - info == code | conf | data | {"repro/py.typed"}
    assert {Path(name).suffix for name in data} == {f".{ending}" for ending in DATA}
    assert len(conf) > 40


def test_wheel_has_its_bill_of_materials(dists):
    (wheel,) = dists.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(BILL))
        bill = json.loads(archive.read(name))
        (info,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = archive.read(info).decode()
    pinned = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert {(one["name"], one["version"]) for one in bill["components"]} == {
        (re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in pinned
    }
    (root,) = bill["dependencies"]
    asked = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    assert set(root["dependsOn"]) == set(asked)
    assert len(asked) > 20


def test_sdist_builds_and_tests_the_wheel(dists):
    (sdist,) = dists.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tops = {name.split("/")[0] for name in names}
    assert tops - {".gitignore"} == {
        "repro", "theorems", "conf", "tests", "tools", "changelog.d", "CHANGELOG.md", "README.md",
        "LICENSE", "CONTRIBUTING.md", "constraints.txt", "constraints-llm.txt",
        "constraints-cluster.txt", "requirements-hashed.txt", "requirements-hashed-llm.txt",
        "requirements-hashed-cluster.txt", "pyproject.toml", "PKG-INFO",
    }  # fmt: skip
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".db"))]
    assert files("tests", "test_*.py") <= names


def test_a_theorem_is_added_in_an_empty_folder_as_the_page_says(installed, outside, tmp_path):
    page = (ROOT / "docs" / "howto" / "add_theorem.md").read_text(encoding="utf-8")
    said = ""
    for block in blocks(page):
        assert block.reason is None
        words = f'export PATH="{installed.parent}:$PATH"\n{block.code}'
        done = outside("bash", "-euo", "pipefail", "-c", words, cwd=tmp_path)
        said += done.stdout
        assert done.returncode == block.status, f"{block.code}\n{done.stdout}{done.stderr}"
    found = [json.loads(file.read_text()) for file in tmp_path.glob("outputs/*/*/verdict.json")]
    verdicts = {(one["theorem"], one["budget"], one["verdict"]) for one in found}
    assert ("sharper_bound", "laptop", "supported") in verdicts
    assert re.search(r"\b7 passed, \d+ deselected", said)
    assert re.search(r"own result .* ✓ supported .* sharper_bound", said)
    listed = (tmp_path / "conf" / "suite.yaml").read_text()
    assert "theorems:\n- sharper_bound\n" in listed
    assert not list(installed.parents[1].rglob("**/sharper_bound*"))


def test_the_installed_package_is_the_wheel(installed, outside, tmp_path):
    asked = "import repro, repro.theorems; print(repro.__file__, repro.theorems.__file__)"
    done = outside(installed, "-c", asked, cwd=tmp_path)
    for path in done.stdout.split():
        assert Path(path).is_relative_to(installed.parents[1])


SMOKE = ("budget=smoke", "tracking=none", "compute.workers=1")


@pytest.fixture(scope="session")
def ran(installed, outside, tmp_path_factory):
    """A folder far from the source tree, with a run of the default experiment in it."""
    folder = tmp_path_factory.mktemp("anywhere")
    done = outside(installed, "-m", "repro", "theorem=offline_gap", *SMOKE, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_an_experiment_runs_from_an_unrelated_folder(ran):
    (file,) = ran.glob("outputs/offline_gap/*/verdict.json")
    verdict = json.loads(file.read_text())
    assert verdict["verdict"] == verdict["expected"] == "contradicted"
    assert {path.suffix for path in file.parent.iterdir()} == {
        ".json", ".parquet", ".png", ".svg", ".yaml",
    }  # fmt: skip


def test_the_report_finds_its_templates_in_the_wheel(installed, outside, ran):
    done = outside(installed, "-m", "repro", "report", cwd=ran)
    assert done.returncode == 0, done.stderr
    text = (ran / "outputs" / "report.html").read_text(encoding="utf-8")
    assert "offline_gap" in text
    assert "<math " in text
    assert "Algorithm 1" in text  # the docstring of the theorem's file


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("plan", "epsilon=1", "n_pairs=1e5", "replicates=100"), "gap = "),
        (("features", "tables"), "400 pairs, 12 features"),
        (("suite", "table"), "error: folder=outputs/suite"),
        (("catalogue", "--slips"), "# Suspected errors"),
    ],
)
def test_small_commands_answer_without_the_source_tree(installed, outside, ran, words, answer):
    done = outside(installed, "-m", "repro", *words, cwd=ran)
    assert answer in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_bad_input_is_one_line_without_the_source_tree(installed, outside, tmp_path):
    done = outside(installed, "-m", "repro", "theorem=offline_gpa", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: theorem=offline_gpa: no such experiment; did you mean")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_sdist_installs_and_runs(from_sdist, outside, tmp_path):
    done = outside(from_sdist, "-m", "repro", "theorem=label_masks", *SMOKE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.glob("outputs/label_masks/*/verdict.json")
    assert json.loads(file.read_text())["verdict"] == "supported"


def test_the_catalogue_finds_its_file_in_the_wheel(installed, outside, tmp_path):
    done = outside(installed, "-m", "repro", "catalogue", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "randomized_response" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(installed, outside, tmp_path, command):
    done = outside(installed, "-m", "repro", command, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"repro {command}" in done.stdout or command == "run"
    assert list(tmp_path.iterdir()) == []


def test_the_script_runs_the_same_command(installed, outside, tmp_path):
    done = outside(installed.parent / "repro", "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "python -m repro" in done.stdout
