"""What writes: a run, the tracker, the report.  Each is warm when it is forked."""

import functools
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
warnings.simplefilter("ignore")

import mlflow.store.artifact.local_artifact_repo  # noqa: E402
import mlflow.store.tracking.sqlalchemy_store  # noqa: E402, F401
import torch  # noqa: E402

from repro.api import execute  # noqa: E402
from repro.cli.composition import compose_values  # noqa: E402
from repro.cli.job import status_of  # noqa: E402
from repro.report import __main__ as report  # noqa: E402
from repro.report import files  # noqa: E402
from repro.report.tracking import log_result  # noqa: E402
from repro.study.plan import built  # noqa: E402
from repro.study.settings import session_of  # noqa: E402

torch.set_num_threads(1)
FEW = (
    "budget=smoke", "budget.replicates=60", "budget.blocks=10",
    "tracking=none", "compute.workers=1",
)  # fmt: skip
EXPERIMENT = "kl_contraction"


@functools.cache
def _session():
    session = session_of(compose_values(EXPERIMENT, {}, FEW))
    built(session.plan)
    return session


@functools.cache
def _result():
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        return execute(replace(_session(), output_dir=Path(scratch))).result


def _no_figures(result, folder, workers):
    return [files._write(folder / f"figure.{end}", b"drawn") for end in ("png", "svg")]


def run(folder):
    """Measure, judge and write, as the command does; drawing takes a second and is left out."""
    files._write_figures = _no_figures
    try:
        done = execute(replace(_session(), output_dir=folder))
        files.write_files(done.result, folder / EXPERIMENT, 1.0, 1, "cpu")
    except Exception as problem:  # noqa: BLE001 - as repro.__main__ does
        return status_of(problem)
    return 0 if done.result.as_expected else 1


def track(folder):
    """Record a finished run; 0 if it is recorded, 3 if a line says why not."""
    tracking = {"kind": "mlflow", "uri": f"sqlite:///{folder}/mlflow.db", "experiment": "repro"}
    return 0 if log_result(_result(), folder / "run", tracking) else 3


def page(folder):
    """The report's page."""
    return report.main(["--runs", str(folder / "runs"), "--output", str(folder / "page.html")])


def findings(folder):
    """Its findings."""
    return report.main(["--runs", str(folder / "runs"), "--findings", str(folder / "found.md")])


def latex(folder):
    """Its tables and figures."""
    return report.main(["--runs", str(folder / "runs"), "--latex", str(folder / "tex")])


_session()
_result()
WRITERS = {"run": run, "track": track, "page": page, "findings": findings, "latex": latex}
sys.stdout.flush()
