"""Where a run would write, checked before Hydra makes a folder: nothing of the user's is lost."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from repro.base.errors import BadInput
from repro.base.files import not_too_deep, yaml_mapping

CONFIG = "config.yaml"
SWEEP = "multirun.yaml"
DRAFT = re.compile(r"\..*\.draft-.*")
_IN_THE_RUN = re.compile(r"(?!\.{1,2}$)[^/\\:]+")
ALLOWED = "allowed: a new or empty folder, or that of an earlier run of this theorem"


def refuse_folders(jobs: Sequence[DictConfig], key: str) -> None:
    """Each job has a folder of its own, which is new, empty or of the same experiment.

    Args:
        jobs: composed configs with their ``hydra`` node.
        key: ``hydra.run.dir`` or ``hydra.sweep.dir``.

    Raises:
        BadInput: a folder is no name, holds something else, or is that of two jobs; or
            ``hydra.job.chdir`` would change what relative paths mean; or Hydra would write its
            own files elsewhere than below the run's folder.
    """
    taken: set[Path] = set()
    for job in jobs:
        if _selected(job, "hydra.job.chdir"):
            raise BadInput(
                "hydra.job.chdir", True, "allowed: false; relative paths mean those of the shell"
            )
        if (below := _selected(job, "hydra.output_subdir")) and not _IN_THE_RUN.fullmatch(below):
            raise BadInput("hydra.output_subdir", below, "allowed: null, or a name such as .hydra")
        folder = folder_of(job, key)
        if folder is None:
            continue
        refuse_foreign(key, folder, str(_selected(job, "theorem.name")))
        if folder in taken:
            raise BadInput("hydra.sweep.subdir", folder.name, "allowed: another one for each job")
        taken.add(folder)


def refuse_foreign(key: str, folder: Path, theorem: str) -> None:
    """Refuse a folder with content that no earlier run of a theorem has written.

    A run writes its ``config.yaml`` first, so a folder without one is not a run's.
    """
    try:
        names = [name for name in os.listdir(folder) if not DRAFT.fullmatch(name)]
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise BadInput("output_dir", folder, "is a file, or below one; " + ALLOWED) from None
    except OSError as problem:
        raise BadInput(key, folder, f"cannot be read: {problem.strerror}") from None
    if names and _theorem_of(folder / CONFIG) != theorem:
        raise BadInput(key, folder, f"holds something else; {ALLOWED}")


def ready_folder(key: str, folder: Path) -> Path:
    """A folder that is there and can be written to.

    Raises:
        BadInput: it cannot be made, or nothing can be written there.
    """
    not_too_deep(key, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as problem:
        raise BadInput(key, folder, f"cannot be written: {problem.strerror}") from None


def refuse_foreign_sweep(config: DictConfig) -> None:
    """Hydra writes ``multirun.yaml`` over whatever is there."""
    path = Path(str(_selected(config, "hydra.sweep.dir"))) / SWEEP
    if os.path.lexists(path) and _mapping(path).keys().isdisjoint({"hydra"}):
        raise BadInput("hydra.sweep.dir", path.parent, f"{SWEEP} there is not Hydra's; {ALLOWED}")


def folder_of(job: DictConfig, key: str) -> Path | None:
    """Of one job, absolute; None where only the launcher knows, as with the job's number."""
    below = _selected(job, "hydra.sweep.subdir") if key == "hydra.sweep.dir" else ""
    above = _selected(job, key)
    if above is None or not str(above).strip():
        raise BadInput(key, "", "is empty; allowed: the name of a folder")
    folder = not_too_deep(key, Path(str(above)))
    return None if below is None else (folder / str(below)).absolute()


def _selected(config: DictConfig, key: str) -> Any:
    try:
        return OmegaConf.select(config, key)
    except OmegaConfBaseException:
        return None


def _theorem_of(path: Path) -> str | None:
    theorem = _mapping(path).get("theorem")
    return str(theorem.get("name")) if isinstance(theorem, dict) else None


def _mapping(path: Path) -> dict[str, Any]:
    """Content of a YAML file, empty where it is none."""
    try:
        return yaml_mapping("config", path)
    except BadInput:
        return {}
