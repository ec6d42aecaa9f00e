"""``python -m repro theorem=offline_gap``: the only Hydra application of the project."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("HYDRA_FULL_ERROR", "1")

import hydra
from omegaconf import DictConfig, OmegaConf

from repro.base.paths import conf_dir

_statuses: list[int] = []
"""Exit status of every job of this process."""


def _config_hash(*, _root_: DictConfig) -> str:
    from repro.cli.validation import session_of_config

    return session_of_config(_root_).config_hash


OmegaConf.register_new_resolver("config_hash", _config_hash, replace=True)


@hydra.main(config_path=str(conf_dir()), config_name="config", version_base="1.3")
def _job(config: DictConfig) -> None:
    from pathlib import Path

    from hydra.core.hydra_config import HydraConfig

    from repro.cli.job import run_job, status_of

    hydra_config = HydraConfig.get()
    try:
        status = run_job(config, Path(hydra_config.runtime.output_dir))
    except (Exception, KeyboardInterrupt) as problem:
        found = status_of(problem)
        if found is None:
            raise
        status = found
    _statuses.append(status)
    if status and not str(hydra_config.launcher._target_).endswith("BasicLauncher"):
        raise RuntimeError(f"status {status}")


def main() -> int:
    """Run; the exit status of the contract: 0, 1 or 2, and 130 on Ctrl-C."""
    from repro.cli.job import status_of
    from repro.cli.validation import refuse_names_of_code

    try:
        refuse_names_of_code(sys.argv[1:])
        _job()
    except (Exception, KeyboardInterrupt) as problem:
        status = status_of(problem)
        if status is None:
            raise
        return status
    return max(_statuses, default=0)


if __name__ == "__main__":
    sys.exit(main())
