"""What writes to MLflow's store, warm when it is forked."""

import functools
import tempfile
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
from repro.report.tracking import log_result  # noqa: E402
from repro.study.composition import compose_values  # noqa: E402
from repro.study.settings import session_of  # noqa: E402

torch.set_num_threads(1)
FEW = (
    "budget=smoke", "budget.replicates=60", "budget.blocks=10",
    "tracking=none", "compute.workers=1",
)  # fmt: skip


@functools.cache
def _result():
    session = session_of(compose_values("kl_contraction", {}, FEW))
    with tempfile.TemporaryDirectory() as scratch:
        return execute(replace(session, output_dir=Path(scratch))).result


def track(folder):
    """Record a finished run; 0 if it is recorded, 3 if a line says why not."""
    tracking = {"kind": "mlflow", "uri": f"sqlite:///{folder}/mlflow.db", "experiment": "repro"}
    return 0 if log_result(_result(), folder / "run", tracking) else 3


WRITERS = {"track": track}


def warm():
    """Measure, once for all forks."""
    _result()
