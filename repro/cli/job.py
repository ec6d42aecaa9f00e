"""One job: check, measure, write, record, show."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from omegaconf import DictConfig

from repro.base.errors import one_line

UNEXPECTED, REFUSED, INTERRUPTED = 1, 2, 130


def run_job(config: DictConfig, folder: Path) -> int:
    """Run a composed config and write its files to a folder.

    Returns:
        0 where every verdict is the pinned one, else 1; 0 too for a job of a multirun that is
        skipped because an optional extra is not installed.
    """
    from repro.api import execute
    from repro.cli.validation import session_of_config
    from repro.report.files import write_files
    from repro.report.progress import progress
    from repro.report.terminal import print_result
    from repro.report.tracking import log_result
    from repro.study.extras import missing_library

    session = session_of_config(config)
    if library := missing_library(session.plan.slug):
        print(f"skipped {session.plan.slug}: {library} is not installed", file=sys.stderr)
        return 0
    done = execute(session, progress)
    write_files(done.result, folder, done.seconds, done.workers, session.plan.setting.device)
    log_result(replace(done.result, seconds=done.seconds), folder, session.tracking_values())
    print_result(done.result, folder)
    return 0 if done.result.as_expected else UNEXPECTED


def status_of(problem: BaseException) -> int | None:
    """Say in one line what went wrong, and with which status to leave; None for a bug."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from repro.cli.messages import as_bad_input
    from repro.study.runner import Interrupted

    if isinstance(problem, KeyboardInterrupt | Interrupted):
        rest = str(problem) or "finished blocks are kept"
        print(f"interrupted: {rest}; run the same command to go on", file=sys.stderr)
        return INTERRUPTED
    if isinstance(problem, OSError) and problem.strerror:
        where = f"output_dir={problem.filename}" if problem.filename else "output_dir"
        print(one_line(f"error: {where}: {problem.strerror}"), file=sys.stderr)
        return REFUSED
    if isinstance(problem, HydraException | OmegaConfBaseException | ValueError | OSError):
        print(f"error: {as_bad_input(problem)}", file=sys.stderr)
        return REFUSED
    return None
