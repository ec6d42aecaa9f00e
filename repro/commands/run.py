"""Running experiments: the only Hydra application of the project."""

from __future__ import annotations

import os
import sys

os.environ["HYDRA_FULL_ERROR"] = "1"  # without it Hydra ends with 1, which is a verdict

import hydra
from omegaconf import DictConfig, OmegaConf

from repro.base.paths import conf_dir

_statuses: list[int] = []
"""Exit status of every job of this process."""


def _config_hash(*, _root_: DictConfig) -> str:
    from repro.commands.runs.validation import named_by

    return named_by(_root_)


def _experiments() -> str:
    from repro.commands.process.listing import listing

    return listing()


OmegaConf.register_new_resolver("config_hash", _config_hash, replace=True)
OmegaConf.register_new_resolver("experiments", _experiments, replace=True)


@hydra.main(config_path=str(conf_dir()), config_name="config", version_base="1.3")
def _job(config: DictConfig) -> None:
    from pathlib import Path

    from hydra.core.hydra_config import HydraConfig

    from repro.commands.runs.job import run_job, status_of
    from repro.commands.runs.sweep import has_failed

    hydra_config = HydraConfig.get()
    folder = Path(hydra_config.runtime.output_dir)
    try:
        status = run_job(config, folder)
    except Exception as problem:  # noqa: BLE001 - one job's trouble is not the next one's
        has_failed(folder)
        status = status_of(problem)
    _statuses.append(status)
    if status and not str(hydra_config.launcher._target_).endswith("BasicLauncher"):
        raise RuntimeError(f"status {status}")


def main(words: list[str]) -> int:
    """Run what the words of a command line say; the exit status of the contract."""
    from repro.commands.process.table import options_first, refuse_words_without_key
    from repro.commands.runs.job import status_of
    from repro.commands.runs.validation import refuse_names_of_code
    from repro.report.secret_address import hide_secrets
    from repro.study.search_path import with_search_path

    if "--version" in words:
        from repro.commands.process.version import versions

        print(versions())
        return 0
    try:
        words = options_first(words)
        refuse_names_of_code(words)
        refuse_words_without_key(words)
        sys.argv[1:] = with_search_path(hide_secrets(words))
        _job()
    except (Exception, KeyboardInterrupt) as problem:  # noqa: BLE001 - each has its status
        return status_of(problem)
    finally:
        if pool := sys.modules.get("repro.study.pool"):
            pool.stop()
    return max(_statuses, default=0)
