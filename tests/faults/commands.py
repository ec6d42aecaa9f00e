"""Whole commands that write, each a function of its folder, for ``Writers`` of ``injection.py``.

A command runs in its folder as ``python -m`` would run it there, temporary files included, but for
the drawing of a run's figures, which takes a second and writes nothing.
"""

import importlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass

QUICK = (
    "budget=smoke", "budget.replicates=20", "budget.blocks=5", "tracking=none", "compute.workers=1",
)  # fmt: skip
ONE = "theorem=kl_contraction"
SUITE = "outputs/suite"
FEW = ("kl_contraction", "rdpo_identity")
TIMED = ("run.json",)
"""Files that say when and how long."""


def called(module, *words):
    """The status of ``python -m`` a module, as its process would end with it."""
    from repro.commands.process import command

    main = importlib.import_module(module).main
    return command._flushed(command.status_of(main, list(words)))


def repro(*words):
    """A run whose figures are not drawn."""
    from repro.commands import run
    from repro.commands.process import command
    from repro.report import files

    files._figures = lambda result: {"figure.png": b"png", "figure.svg": b"svg"}
    return command._flushed(command.status_of(run.main, [*words, *QUICK]))


def suite(*words):
    """``python -m repro suite`` where there are two experiments."""
    from repro.commands import suite as found

    found.listed = lambda: list(FEW)
    return called("repro.commands.suite", *words)


def report(*words):
    """``python -m repro report``."""
    return called("repro.commands.report", *words)


def stage():
    """The command of an experiment in dvc.yaml."""
    return repro(ONE, f"hydra.run.dir={SUITE}/kl_contraction")


def results():
    """The stage of dvc.yaml that is made of all runs, but for the shell's redirection."""
    said = ("--runs", SUITE)
    return (
        suite("metrics")
        or report(*said, "--findings", "outputs/findings.md")
        or report(*said, "--output", "outputs/report.html")
        or report(*said, "--gallery", "--output", "outputs/gallery.html")
    )


def features():
    """The table of text pairs, on which the next stage depends."""
    return called("repro.commands.features", f"{SUITE}/features")


def text():
    """The run of dvc.yaml that reads the table of text pairs."""
    only = ("theorem=offline_gap", "only=[n_pairs_no_bonus]", "instance=preference_text")
    kept = (f"feature_cache={SUITE}/features", f"hydra.run.dir={SUITE}/offline_gap_text")
    return repro(*only, *kept)


def earlier_run():
    """Of another seed."""
    repro(ONE, "hydra.run.dir=outputs/place", "seed=7")
    shutil.rmtree("outputs/.cache")


def suite_runs():
    """Two runs of a suite."""
    for name in FEW:
        repro(f"theorem={name}", f"hydra.run.dir={SUITE}/{name}")
    shutil.rmtree("outputs/.cache")


def nothing():
    """An empty folder."""


@dataclass(frozen=True)
class Command:
    """What runs, what makes what is there before it, and whether it is refused when it is done."""

    call: Callable[[], int]
    before: Callable[[], object] = nothing
    once: bool = False


COMMANDS = {
    "repro": Command(lambda: repro(ONE)),
    "repro over a run": Command(lambda: repro(ONE, "hydra.run.dir=outputs/place"), earlier_run),
    "repro -m": Command(lambda: repro("-m", ONE, "seed=0,1")),
    "stage experiment": Command(stage, suite_runs),
    "stage features": Command(features),
    "stage modules": Command(lambda: suite("modules")),
    "stage text": Command(text, features),
    "stage results": Command(results, suite_runs),
    "report": Command(report, suite_runs),
    "report --latex": Command(lambda: report("--latex", "tex"), suite_runs),
    "suite list": Command(
        lambda: called("repro.commands.suite", "list"),
        lambda: called("repro.commands.new_theorem", "mine"),
    ),
    "suite metrics": Command(lambda: suite("metrics"), suite_runs),
    "new_theorem": Command(lambda: called("repro.commands.new_theorem", "mine"), once=True),
    "new_paper": Command(lambda: called("repro.commands.new_paper", "mine"), once=True),
    "ablate": Command(lambda: called("repro.commands.ablate", "theorem=kl_contraction")),
    "which_loss": Command(
        lambda: called(
            "repro.commands.which_loss", "margin=1", "epsilon=1", "n_pairs=1000", "figure=found.svg"
        )
    ),
}


def in_folder(call):
    """A writer: the call in the folder that it is given."""

    def writer(folder):
        os.chdir(folder)
        tempfile.tempdir = str(folder / "tmp")
        return call()

    return writer


def made(before):
    """A writer of what is there before."""

    def writer(folder):
        (folder / "tmp").mkdir(parents=True)
        in_folder(before)(folder)
        return 0

    return writer


WRITERS = {name: in_folder(one.call) for name, one in COMMANDS.items()}
WRITERS |= {f"before {name}": made(one.before) for name, one in COMMANDS.items()}


def warm():
    """Import what the commands do, so that a fork is quick."""
    import matplotlib
    import torch

    matplotlib.use("Agg")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    names = ("ablate", "features", "which_loss", "new_theorem", "new_paper", "suite", "report")
    for name in (*names, "run", "runs.validation", "runs.sweep"):
        importlib.import_module(f"repro.commands.{name}")
    for name in ("files", "figure", "terminal", "tracking", "progress", "latex", "html.page"):
        importlib.import_module(f"repro.report.{name}")
    for name in (
        "repro.report.html.gallery",
        "repro.report.html.findings",
        "sklearn.decomposition",
    ):
        importlib.import_module(name)
    importlib.import_module("pyarrow.parquet")
