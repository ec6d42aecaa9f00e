"""``python -m repro suite list | modules | table | metrics | stability | power``: all experiments.

  repro suite list                       rewrite the list behind ``dvc repro``
  repro suite modules                    what each experiment measures with
  repro suite table                      print docs/results.md
  repro suite metrics                    numbers, curves and figures, for DVC
  repro suite stability seeds=20         how often a pinned verdict fails
  repro suite power write=true           plan the replicates of every check

DVC cannot list a folder, so the list of experiments is a file, conf/suite.yaml; a test compares it
with ``theorems/``.  DVC cannot read imports either: ``modules`` writes outputs/modules/NAME.txt, a
digest of every module that the experiment's file imports, in turn, and a run depends on that file.
Experiments that need an optional extra are not in it: run them by name.  In a folder of your own,
``list`` writes that folder's, and a dvc.yaml where there is none; seed and budget in it are kept.
The page of results is read from the verdicts of the last ``dvc repro``.  ``metrics`` reads
the same verdicts and writes outputs/metrics, outputs/curves and outputs/figures, a file a run.
``stability`` and ``power`` take theorem=NAME, else the experiments of the current folder.  In a
folder without any they take every experiment, and ``power`` writes nothing.
``stability`` runs them at seeds 0, 1, ….  It names the checks with another verdict than the
recorded one, or with an accepted control, and then has status 1.
only=CHECK or "only=[CHECK,CHECK]" runs some checks of theorem=NAME, for ``power`` as well.
``power`` runs a pilot at budget=smoke.  It names the checks that have too few replicates for their
recorded verdict, or too narrow a grid, and then has status 1.  write=true writes the number that
they need to conf/theorem.  lower=true also writes it where a check has at least twice as many.
From Python: ``repro.suite.stability("offline_gap", seeds=5)``, ``power`` and ``results``.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import yaml

from repro.base.errors import BadInput, among, number_of
from repro.base.files import write_together, write_whole, yaml_mapping
from repro.base.places import PAIR, place_of
from repro.base.schema import validate
from repro.base.words import keyword_values
from repro.catalogue import machine_checked
from repro.catalogue.papers import load
from repro.report.html.runs import StoredRun, read_run, say_changes
from repro.report.results_page import results_page
from repro.report.run_numbers import run_numbers
from repro.study.discovery import find, without_extra
from repro.study.sources import MEASURING, closure, files_fingerprint

if TYPE_CHECKING:
    from repro.commands.runs.power import Planned
    from repro.commands.runs.stability import Stability

HEADER = (
    "# The experiments of `dvc repro`; `python -m repro suite list` rewrites it from theorems/.\n"
)
SUITE = Path("outputs", "suite")
DEFAULTS = {"seed": 0, "budget": "laptop"}
"""What ``dvc repro`` runs at; `dvc exp run -S conf/suite.yaml:seed=1` changes it for once."""


def write_list() -> str:
    """Rewrite the current folder's conf/suite.yaml; returns what was done.

    Raises:
        BadInput: the folder has no theorem.
    """
    if not (experiments := without_extra(Path.cwd())):
        raise BadInput("folder", Path.cwd(), PAIR)
    path = Path("conf", "suite.yaml")
    earlier = yaml_mapping("suite", path) if path.exists() else {}
    at = {key: earlier.get(key, value) for key, value in DEFAULTS.items()}
    content = yaml.safe_dump({**at, "theorems": experiments}, sort_keys=False)
    write_whole(path, HEADER + content)
    if not Path("dvc.yaml").exists():
        stages = files("repro.commands.scaffold").joinpath("dvc.txt").read_text(encoding="utf-8")
        write_whole(Path("dvc.yaml"), stages)
    return f"conf/suite.yaml: {number_of(len(experiments), 'experiment')}"


def write_modules() -> str:
    """Write outputs/modules/NAME.txt for the current folder's experiments; returns what was done.

    A line is the digest and the name of a module that the experiment's numbers depend on: those
    that ``repro.study.sources.closure`` finds, to which the key of the block cache answers too.
    The names do not depend on where the folder is.
    """
    folder = Path("outputs", "modules")
    folder.mkdir(parents=True, exist_ok=True)
    names = without_extra(Path.cwd())
    for slug in names:
        module = find(slug).module
        package = module.rpartition(".")[0]
        modules = sorted(
            (re.sub(rf"^{re.escape(package)}\b", "theorems", name), path)
            for name, path in closure(module, MEASURING).items()
        )
        lines = [f"{files_fingerprint({name: path})} {name}\n" for name, path in modules]
        write_whole(folder / f"{slug}.txt", "".join(lines))
    return f"{folder}: {number_of(len(names), 'experiment')}"


def suite_runs(folder: Path) -> list[StoredRun]:
    """The runs below a folder, by name.

    Raises:
        BadInput: there is none, or one cannot be read.
    """
    paths = sorted(folder.glob("*/verdict.json"))
    if not paths:
        raise BadInput("folder", folder, "has no verdict.json of a suite; run dvc repro")
    return [read_run(path) for path in paths]


def results(folder: str | Path = SUITE) -> str:
    """The page of results of a suite's runs, as Markdown.

    Args:
        folder: where they are, each in a folder of its own.

    Raises:
        repro.base.errors.BadInput: there is none, or one cannot be read.
    """
    return _results(suite_runs(Path(folder)))


def _results(runs: Sequence[StoredRun]) -> str:
    catalogue = load()
    papers = {name: paper.said for name, paper in catalogue.papers.items()}
    proved = machine_checked.by_statement(catalogue.theorems)
    return results_page(runs, papers, catalogue.items, proved)


def stability(
    theorem: str | None = None,
    *,
    only: Sequence[str] | None = None,
    seeds: int = 20,
    budget: Literal["smoke", "laptop", "paper"] = "smoke",
    output_dir: str | Path | None = None,
) -> Stability:
    """How often a check fails to come out as pinned with every control caught, over seeds.

    Args:
        theorem: a name, several with commas between them, or ``glob(…)``; None for those of the
            current folder, or for every one where it has none.
        only: names of its checks; None for all.
        seeds: how many: 0, 1, …, seeds − 1.
        budget: of each run.
        output_dir: keep finished blocks below this folder; by default nothing is kept.

    Raises:
        repro.base.errors.BadInput: a value that cannot be used.

    >>> stability("rdpo_identity", seeds=2).unstable  # doctest: +SKIP
    ()
    """
    from repro.commands.runs.stability import StabilityRequest, stability

    with _folder(output_dir) as folder:
        given = {"theorem": theorem, "only": only, "output_dir": folder}
        given |= {"seeds": seeds, "budget": budget}
        return stability(validate(StabilityRequest, given))


def power(
    theorem: str | None = None,
    *,
    only: Sequence[str] | None = None,
    budgets: Literal["smoke", "laptop", "paper"] = "paper",
    seed: int = 0,
    output_dir: str | Path | None = None,
) -> list[Planned]:
    """How many replicates each check needs for its pinned verdict, by a pilot at budget=smoke.

    Args:
        theorem: a name, several with commas between them, or ``glob(…)``; None for those of the
            current folder, or for every one where it has none.
        only: names of its checks; None for all.
        budgets: the largest that a pinned verdict is to hold at.
        seed: of the pilot.
        output_dir: keep finished blocks below this folder; by default nothing is kept.

    Raises:
        repro.base.errors.BadInput: a value that cannot be used.

    >>> [check.enough for check in power("rdpo_identity", budgets="smoke")]  # doctest: +SKIP
    [True, True, True, True]
    """
    from repro.commands.runs.power import PowerRequest, power

    with _folder(output_dir) as folder:
        given = {"theorem": theorem, "only": only, "output_dir": folder}
        given |= {"budgets": budgets, "seed": seed}
        return power(validate(PowerRequest, given))


@contextmanager
def _folder(given: str | Path | None) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as scratch:
        yield str(given or scratch)


def main(words: list[str]) -> int:
    """Do what the first word says; 0; 1 for changed files or an unstable check; 2 for bad input."""
    jobs = {
        "list": _list, "modules": _modules, "table": _table, "metrics": _metrics,
        "stability": _stability, "power": _power,
    }  # fmt: skip
    if not words or words[0] not in jobs:
        word = words[0] if words else "(none)"
        raise BadInput("argument", word, among(word, jobs))
    return jobs[words[0]](words[1:])


def _list(words: list[str]) -> int:
    _refuse_more(words)
    print(write_list())
    return 0


def _modules(words: list[str]) -> int:
    _refuse_more(words)
    print(write_modules())
    return 0


def _table(words: list[str]) -> int:
    _refuse_more(words)
    runs = suite_runs(SUITE)
    print(_results(runs), end="")
    return say_changes(runs)


def _metrics(words: list[str]) -> int:
    _refuse_more(words)
    runs = suite_runs(SUITE)
    for kind in ("metrics", "figures", "curves"):
        Path("outputs", kind).mkdir(parents=True, exist_ok=True)
    for run in runs:
        numbers = json.dumps(run_numbers(run), indent=1, ensure_ascii=False)
        name, figure = run.folder.name, (run.folder / "figure.png").read_bytes()
        write_together(
            {
                Path("outputs", "figures", f"{name}.png"): figure,
                Path("outputs", "curves", f"{name}.csv"): _curves(run.folder),
                Path("outputs", "metrics", f"{name}.json"): f"{numbers}\n".encode(),
            }
        )
    return say_changes(runs)


def _curves(folder: Path) -> bytes:
    """Return the mean of every check and control at each point of its grid, as CSV."""
    import pandas as pd

    blocks = pd.read_parquet(folder / "measurements.parquet")
    blocks = blocks[blocks["count"] > 0]
    blocks["total"] = blocks["mean"] * blocks["count"]
    columns = ["check", "method", "axis", "value", "quantity"]
    grouped = blocks.groupby(columns, sort=False, as_index=False)
    sums = pd.DataFrame(grouped[["total", "count"]].sum())
    sums["mean"] = sums["total"] / sums["count"]
    return sums.to_csv(columns=[*columns, "mean"], index=False).encode()


def _stability(words: list[str]) -> int:
    from repro.commands.runs.stability import StabilityRequest, printed_lines, stability

    outcome = stability(validate(StabilityRequest, keyword_values(words, StabilityRequest)))
    print(printed_lines(outcome))
    return 1 if outcome.failed_runs else 0


def _power(words: list[str]) -> int:
    from repro.commands.runs.power import PowerRequest, power, printed_lines

    request = validate(PowerRequest, keyword_values(words, PowerRequest))
    configs = [place_of(name).config(name) for name in request.theorems()] if request.write else []
    before = [config.read_text(encoding="utf-8") for config in configs]
    checks = power(request)
    print(printed_lines(checks))
    for config, text in zip(configs, before, strict=True):
        same = config.read_text(encoding="utf-8") == text
        print(f"{config}: {'unchanged' if same else 'replicates written'}")
    return 0 if all(check.enough for check in checks) else 1


def _refuse_more(words: list[str]) -> None:
    if words:
        raise BadInput(
            "argument", words[0], "usage: python -m repro suite list | modules | table | metrics"
        )
