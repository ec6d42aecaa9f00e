"""``python -m repro theorem=offline_gap``: the only Hydra application of the project."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

os.environ["HYDRA_FULL_ERROR"] = "1"  # without it Hydra ends with 1, which is a verdict

import hydra
from omegaconf import DictConfig, OmegaConf

from repro.base.paths import conf_dir

_statuses: list[int] = []
"""Exit status of every job of this process."""


def _config_hash(*, _root_: DictConfig) -> str:
    from repro.cli.validation import named_by

    return named_by(_root_)


def _experiments() -> str:
    from repro.cli.listing import listing

    return listing()


OmegaConf.register_new_resolver("config_hash", _config_hash, replace=True)
OmegaConf.register_new_resolver("experiments", _experiments, replace=True)


@hydra.main(config_path=str(conf_dir()), config_name="config", version_base="1.3")
def _job(config: DictConfig) -> None:
    from pathlib import Path

    from hydra.core.hydra_config import HydraConfig

    from repro.cli.garbage import between_runs
    from repro.cli.job import run_job, status_of
    from repro.cli.sweep import has_failed

    if _statuses:
        between_runs()
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


def main() -> int:
    """Run; the exit status of the contract."""
    from repro.cli.commands import refuse_words_without_key
    from repro.cli.job import status_of
    from repro.cli.search_path import with_search_path
    from repro.cli.validation import refuse_names_of_code
    from repro.report.secret_address import hide_secrets

    try:
        refuse_names_of_code(sys.argv[1:])
        refuse_words_without_key(sys.argv[1:])
        sys.argv[1:] = with_search_path(hide_secrets(sys.argv[1:]))
        _job()
    except KeyboardInterrupt as stopped:
        _stop_workers(idle_too=True)
        return status_of(stopped)
    except Exception as problem:  # noqa: BLE001 - each has its status
        return status_of(problem)
    finally:
        _stop_workers()
    return max(_statuses, default=0)


def _stop_workers(idle_too: bool = False) -> None:
    """What they have begun for runs that do not come would be waited for."""
    if pool := sys.modules.get("repro.study.pool"):
        pool.stop_begun(idle_too)


def command() -> NoReturn:
    """Run as this process, and end it."""
    from repro.cli.command import run_command

    run_command(_version_or_run, begins_later=True)


def _version_or_run(words: list[str]) -> int:
    if "--version" not in words:
        return main()
    from repro.cli.version import versions

    print(versions())
    return 0


if __name__ == "__main__":
    command()
