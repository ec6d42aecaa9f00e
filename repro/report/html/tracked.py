"""Where a run is in the comparison UI of MLflow; empty where that is unknown."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HOME = "http://127.0.0.1:5000/#"


def run_address(facts: Mapping[str, Any]) -> str:
    """Address of a run.

    >>> run_address({"mlflow": {"experiment_id": "1", "run_id": "0a1b"}})
    'http://127.0.0.1:5000/#/experiments/1/runs/0a1b'
    """
    identifiers = _ids(facts)
    return f"{HOME}/experiments/{identifiers[0]}/runs/{identifiers[1]}" if identifiers else ""


def compare_address(facts: Mapping[str, Any]) -> str:
    """Address that holds all checks of a run side by side, where it has two or more.

    >>> ids = {"experiment_id": "1", "run_id": "0a", "checks": {"printed": "1b", "corrected": "2c"}}
    >>> compare_address({"mlflow": ids})
    'http://127.0.0.1:5000/#/compare-runs?runs=[%221b%22,%222c%22]&experiments=[%221%22]'
    """
    identifiers = _ids(facts)
    checks = facts["mlflow"].get("checks") if identifiers else None
    runs = [str(identifier) for identifier in checks.values()] if isinstance(checks, dict) else []
    if len(runs) < 2 or not all(identifier.isalnum() for identifier in runs):
        return ""
    quoted = ",".join(f"%22{identifier}%22" for identifier in runs)
    return f"{HOME}/compare-runs?runs=[{quoted}]&experiments=[%22{identifiers[0]}%22]"


def ui_command(folder: Path) -> str:
    """What opens the store in which a run of that folder is; without one, MLflow's usual store."""
    store = folder.parent.parent / "mlflow.db"
    uri = shlex.quote(f"sqlite:///{store}")
    return f"mlflow ui --backend-store-uri {uri}" if store.is_file() else "mlflow ui"


def _ids(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Experiment and run, or nothing."""
    tracked = facts.get("mlflow")
    if not isinstance(tracked, dict):
        return ()
    ids = tuple(str(tracked.get(key, "")) for key in ("experiment_id", "run_id"))
    return ids if all(identifier.isalnum() for identifier in ids) else ()
