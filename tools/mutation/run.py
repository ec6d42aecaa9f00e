"""A seeded sample of wrong versions, each run against the tests that reach its line.

    pytest tests/worlds/estimators --cov=repro.worlds.estimators --cov-context=test
    python -m tools.mutation.run --coverage .coverage repro/worlds/estimators/*.py \
        -- tests/worlds/estimators

The tests are collected once; every wrong version is a fork in which the code of the functions is
exchanged in place, and which ends at the first failing test.  The unchanged code goes the same way
first and must survive.  One line each, then the score.  Mutants listed in ``equivalent.yaml`` are
printed with their reason and leave the score; ``--try-listed`` tries exactly those instead, and
fails if a test kills one.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import coverage
import pytest

from tools.mutation.equivalent import LISTED, equivalents
from tools.mutation.killing import Killing
from tools.mutation.mutants import Mutant, mutants
from tools.mutation.score import report, scored


def sample(paths: list[Path], size: int, seed: int) -> list[Mutant]:
    """``size`` mutants of all files together, each as likely as any other, in their order."""
    every = [mutant for path in paths for mutant in mutants(path)]
    picked = random.Random(seed).sample(range(len(every)), min(size, len(every)))
    return [every[place] for place in sorted(picked)]


def main(words: list[str]) -> int:
    """Run the sample; 0 where the score is at least ``--least``."""
    asked, tests = _asked(words)
    data = coverage.CoverageData(asked.coverage)
    data.read()
    paths = [path.resolve() for path in asked.paths]
    reasons = equivalents(paths, listed=asked.equivalent)
    if asked.try_listed:
        chosen, reasons = list(reasons), {}
    else:
        chosen = sample(paths, asked.size, asked.seed)
    plugin = Killing(chosen, reasons, data, asked.seconds)
    status = pytest.main([*tests, "-q", "-p", "no:cacheprovider"], plugins=[plugin])
    if len(plugin.found) < len(chosen):
        return int(status) or 2
    print(report(plugin.found))
    dead, tried = scored(plugin.found)
    if asked.try_listed:
        return int(dead > 0)
    return 0 if dead >= asked.least * tried else 1


def _asked(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--coverage", required=True, help="data with --cov-context=test")
    parser.add_argument("--size", type=int, default=300, help="mutants of all files together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60, help="least processor time of one")
    parser.add_argument("--least", type=float, default=0.85)
    parser.add_argument("--equivalent", type=Path, default=LISTED)
    parser.add_argument("--try-listed", action="store_true")
    cut = words.index("--") if "--" in words else len(words)
    return parser.parse_args(words[:cut]), words[cut + 1 :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
