"""Direct dependencies: each with a reason and a bound, used, and pinned to a tested version."""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PINS = ("constraints.txt", "constraints-llm.txt", "constraints-cluster.txt")
OURS = {"repro", "theorems", "tests", "tools", "sitecustomize"}  # the last: of the caller
MODULES = {
    "pillow": "PIL", "scikit-learn": "sklearn", "pyyaml": "yaml", "hydra-core": "hydra",
    "hydra-submitit-launcher": "hydra_plugins",
}  # fmt: skip
"""Where the module is not named as the package."""
NOT_IMPORTED = {
    "dvc": "the command `dvc repro`",
    "mkdocs-material": "the theme in mkdocs.yml",
    "build": "run as `python -m build` by tests/packaging",
    "pytest-benchmark": "a plugin: the fixture benchmark in tools/bench",
    "pytest-cov": "a plugin: --cov",
    "pytest-xdist": "a plugin: -n",
    "ipykernel": "the kernel of the notebook in docs/",
    "ruff": "a command",
    "pyright": "a command",
    "import-linter": "the command lint-imports",
    "pre-commit": "a command",
}
BROUGHT = {
    "annotated_types": "pydantic",
    "grimp": "import-linter", "coverage": "pytest-cov", "packaging": "pytest",
    "sqlalchemy": "mlflow",
}  # fmt: skip
"""Imported by tests, and brought by a declared package that cannot be without it."""


def requirements(text):
    """Every direct dependency, extras included, with the reason in the comment of its line."""
    project = tomllib.loads(text)["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    found = []
    for words in (one for group in groups for one in group):
        lines = [line for line in text.splitlines() if f'"{words}"' in line]
        comments = [line.rpartition('"')[2].partition("#")[2].strip() for line in lines]
        found.append((Requirement(words), max(comments, key=len)))
    return found


def faults(text, pins, modules):
    """One line per dependency without a reason, a lower bound, a use or a fitting pin."""
    for wanted, comment in requirements(text):
        name = canonicalize_name(wanted.name)
        if len(comment) < 4:
            yield f"{name}: no reason"
        if not any(one.operator in (">=", "==", "~=") for one in wanted.specifier):
            yield f"{name}: no lower bound"
        if name not in NOT_IMPORTED and MODULES.get(name, name.replace("-", "_")) not in modules:
            yield f"{name}: imported nowhere"
        if name not in pins:
            yield f"{name}: no tested version in {', '.join(PINS)}"
        elif pins[name] not in wanted.specifier:
            yield f"{name}: the tested version {pins[name]} is outside of {wanted.specifier}"


def pins_of(*texts):
    """Tested version by package."""
    lines = (line for text in texts for line in text.splitlines() if "==" in line)
    pairs = (line.partition("==")[::2] for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def imported(source):
    """Top names of the third-party modules that a file imports, by text or by name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in ("library", "import_module", "importorskip", "find_spec"):
                found.add(str(node.args[0].value))
    return {name.partition(".")[0] for name in found} - OURS - set(sys.stdlib_module_names)


def imported_in(*rooms):
    files = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    return set().union(*(imported(path.read_text(encoding="utf-8")) for path in files))


def declared():
    """Modules of the declared packages."""
    names = (canonicalize_name(one.name) for one, _ in requirements(PYPROJECT))
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def test_every_direct_dependency_has_a_reason_a_bound_a_use_and_a_tested_version():
    pins = pins_of(*((ROOT / name).read_text() for name in PINS))
    assert len(requirements(PYPROJECT)) > 30
    assert list(faults(PYPROJECT, pins, imported_in("repro", "theorems", "tests", "tools"))) == []


def test_every_import_of_the_package_is_declared():
    assert imported_in("repro", "theorems") - declared() == set()


def test_every_import_of_the_tests_is_declared_or_brought():
    unknown = imported_in("tests", "tools") - declared() - set(BROUGHT)
    local = {path.stem for path in (ROOT / "tests").rglob("*.py")}
    assert unknown - local == set()


def test_what_is_called_unused_is_not_imported_after_all():
    modules = imported_in("repro", "theorems", "tests", "tools")
    used = {name for name in NOT_IMPORTED if name.replace("-", "_") in modules}
    assert used <= {"build", "hatchling"}  # find_spec asks whether they are there


@pytest.mark.parametrize(
    ("line", "pins", "modules", "found"),
    [
        ('"numpy>=2.0",  # streams', "numpy==2.4.6", {"numpy"}, []),
        ('"numpy>=2.0",', "numpy==2.4.6", {"numpy"}, ["numpy: no reason"]),
        ('"numpy",  # streams', "numpy==2.4.6", {"numpy"}, ["numpy: no lower bound"]),
        ('"numpy<3",  # streams', "numpy==2.4.6", {"numpy"}, ["numpy: no lower bound"]),
        ('"numpy>=2.0",  # streams', "numpy==2.4.6", set(), ["numpy: imported nowhere"]),
        ('"numpy>=2.0",  # streams', "# numpy==2.4.6", {"numpy"}, ["numpy: no tested version"]),
        ('"numpy>=2.5",  # streams', "numpy==2.4.6", {"numpy"}, ["numpy: the tested version"]),
        ('"Scikit_Learn>=1",  # x, y', "scikit-learn==1.9.1", {"sklearn"}, []),
    ],
)
def test_a_fault_is_found(line, pins, modules, found):
    text = f"[project]\ndependencies = [\n  {line}\n]\n[project.optional-dependencies]\n"
    wrong = list(faults(text, pins_of(pins), modules))
    assert len(wrong) == len(found)
    assert all(one.startswith(start) for one, start in zip(wrong, found, strict=True))


def test_an_undeclared_import_is_found():
    source = "import os\nfrom numpy.linalg import norm\ndef f():\n    library('peft').x\n"
    assert imported(source) == {"numpy", "peft"}


def test_python_is_declared_where_it_was_tested():
    """The versions named in CONTRIBUTING are those that the tests were seen to pass on."""
    project = tomllib.loads(PYPROJECT)["project"]
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if ":: 3." in one]
    (line,) = re.findall(
        r"Tested on Python ([\d., and]+\d)", (ROOT / "CONTRIBUTING.md").read_text()
    )
    assert named == re.findall(r"3\.\d+", line)
    assert project["requires-python"] == f">={named[0]}"


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="this process runs all tests")
def test_tests_that_share_a_run_go_to_one_process(request):
    """Where xdist cannot read the groups of tests/conftest.py each process makes every run anew."""
    assert request.node.nodeid.endswith("@packaging/dependencies")


def test_the_workflow_runs_the_script_on_every_declared_python():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["run"]
    named = tomllib.loads(PYPROJECT)["project"]["classifiers"]
    versions = [one.rpartition(" ")[2] for one in named if ":: 3." in one]
    assert job["strategy"]["matrix"]["python"] == versions
    command = [step["run"] for step in job["steps"] if "run" in step][-1]
    assert command.startswith(".ci/run ${{ contains")
    assert "&& '--thorough' || ''" in command


@pytest.mark.parametrize("name", PINS)
def test_the_lists_with_hashes_have_the_same_versions(name):
    pinned = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
    text = (ROOT / name.replace("constraints", "requirements-hashed")).read_text()
    listed = re.findall(r"^([\w.-]+)==(\S+) \\\n((?:    --hash=.*\n)+)", text, re.MULTILINE)
    assert {(canonicalize_name(one), at) for one, at in pinned} == {
        (canonicalize_name(one), at) for one, at, _ in listed
    }
    assert len(listed) == text.count("==")  # none without hashes
    assert set(re.findall("--hash=(.*?)[ \n]", text)) == set(
        re.findall(r"--hash=(sha256:[0-9a-f]{64})\b", text)
    )
