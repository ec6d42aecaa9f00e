"""The tool itself, on a module of two functions: what is tested dies, what is not survives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools.mutation.equivalent import Stale, equivalents
from tools.mutation.mutants import mutants
from tools.mutation.run import sample
from tools.mutation.score import report

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TOY = '''"""Toy."""

LIMIT = 10


def clipped(x, most=LIMIT):
    """Never mutated: 1 < 2."""
    if x > most:
        raise ValueError(f"{x + 1}")
    return x + 1


def forgotten(x):
    return x * 2


def unseen(x):
    return -x


class Base:
    def double(self, x):
        return x + x


class Child(Base):
    def double(self, x):
        if x is None:
            return None
        return super().double(x)


def endless(x):
    while x > 0:
        x = x - 1
    return x
'''
TESTS = """
import pytest
from toy import Child, clipped, endless, forgotten

def test_clipped():
    assert clipped(3) == 4
    with pytest.raises(ValueError):
        clipped(10.5)

def test_forgotten():
    forgotten(0)

def test_double():
    assert Child().double(2) == 4

def test_endless():
    assert endless(5) == 0
"""
LIST = {
    "toy.py": [
        {"line": "if x > most:", "change": "x > most: ops → GtE", "reason": "10 is not tried"}
    ]
}


def run(folder: Path, *words: str) -> subprocess.CompletedProcess:
    path = os.pathsep.join([str(ROOT), str(folder)])
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "PYTEST"))}
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    (folder / "toy.py").write_text(TOY, "utf-8")
    (folder / "test_toy.py").write_text(TESTS, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (folder / "listed.yaml").write_text(yaml.safe_dump(LIST, allow_unicode=True), "utf-8")
    done = run(folder, "pytest", "-q", "--cov=toy", "--cov-context=test", "--cov-report=")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def tried(folder: Path, *words: str) -> tuple[int, list[str]]:
    every = ("--coverage", ".coverage", "--size", "99", "--seconds", "1")
    done = run(folder, "tools.mutation.run", *every, *words, "toy.py", "--", "test_toy.py")
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def fate_of(lines: list[str], change: str) -> str:
    (line,) = [line for line in lines if f"   {change}   [" in line or f" {change}   " in line]
    return line[:11].strip()


def test_each_kind_of_fate(toy):
    status, lines = tried(toy, "--equivalent", "listed.yaml")
    fates = {
        "x + 1: op → Sub": "killed",
        "10: value → 11": "killed",
        "return x * 2: value → None": "SURVIVED",
        "2: value → 3": "SURVIVED",
        "return -x: value → None": "not reached",
        "return super().double(x): value → None": "killed",
        "x - 1: op → Add": "timeout",
        "x > most: ops → GtE": "equivalent",
    }
    assert {change: fate_of(lines, change) for change in fates} == fates
    assert any(line.endswith("10 is not tried") for line in lines)
    dead = sum(line.startswith(("killed", "timeout")) for line in lines[:-1])
    tried_in_all = len(mutants(toy / "toy.py")) - 1
    assert lines[-1].startswith(f"{toy.name}: {dead} of {tried_in_all} killed, ")
    assert lines[-1].endswith("; 1 equivalent")
    assert status == 1


def test_the_sample_is_the_seeds(toy):
    path = [toy / "toy.py"]
    once, again, other = (sample(path, 4, seed) for seed in (1, 1, 2))
    assert once == again != other
    assert len(set(once)) == 4
    assert sample(path, 99, 0) == mutants(path[0])


def test_a_listed_mutant_that_a_test_kills_fails_the_list(toy, tmp_path):
    wrong = {"toy.py": [{"line": "return x + 1", "change": "x + 1: op → Sub", "reason": "hope"}]}
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump(wrong, allow_unicode=True), "utf-8")
    assert tried(toy, "--equivalent", str(tmp_path / "wrong.yaml"), "--try-listed")[0] == 1


def test_tests_that_fail_on_the_code_as_it_is_are_refused(toy):
    broken = "import toy\n\ndef test_it():\n    assert toy.clipped(1) == 7\n"
    (toy / "test_broken.py").write_text(broken, "utf-8")
    words = ("--coverage", ".coverage", "toy.py", "--", "test_broken.py")
    done = run(toy, "tools.mutation.run", *words)
    assert done.returncode != 0
    assert "killed" not in done.stdout


@pytest.mark.parametrize(
    "entry",
    [
        {"line": "return x + 2", "change": "x + 1: op → Sub", "reason": "moved"},
        {"line": "return x + 1", "change": "x + 1: op → Mul", "reason": "moved"},
        {"line": "return x + 1", "change": "x + 1: op → Sub", "reason": "", "place": 1},
        {"line": "return x + 1", "change": "x + 1: op → Sub", "reason": "no", "place": 2},
        {"line": "return x + 1", "change": "x + 1: op → Sub", "reason": "no", "why": 2},
    ],
)
def test_an_entry_that_fits_no_mutant_is_an_error(toy, tmp_path, entry):
    (tmp_path / "list.yaml").write_text(yaml.safe_dump({"toy.py": [entry]}, allow_unicode=True))
    with pytest.raises(Stale):
        equivalents([toy / "toy.py"], toy, tmp_path / "list.yaml")


def test_what_is_changed_and_what_is_left_alone(toy):
    found = mutants(toy / "toy.py")
    assert {m.line for m in found} == {3, 8, 10, 14, 18, 23, 28, 30, 34, 35, 36}
    assert [m.text for m in found if m.of_module] == ["10: value → 11"]
    assert all(compile_changes(m) for m in found)


def compile_changes(mutant) -> bool:
    return mutant.compiled() != compile(TOY, str(mutant.path), "exec")


def test_the_score_counts_what_could_be_killed(toy):
    one = mutants(toy / "toy.py")[0]
    fates = ["killed", "timeout", "SURVIVED", "not reached", "unfit", "equivalent"]
    line = report([(one, fate) for fate in fates])
    assert line == f"{toy.name}: 2 of 4 killed, 0.500 [0.068, 0.932]; 1 equivalent; 1 unfit"
    assert report([(one, "unfit")]).endswith("nothing to kill")
