"""Running experiments: the only Hydra application of the project."""

from __future__ import annotations

import errno
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import hydra
from omegaconf import DictConfig, OmegaConf

from repro.base.places import conf_dir
from repro.commands.process.outcome import explained, say
from repro.commands.process.signals import GO_ON, KEPT, stop_if_received

if TYPE_CHECKING:
    from repro.core.results import Result
    from repro.study.settings import Session

UNEXPECTED = 1
COMPOSERS = ("hydra", "omegaconf")


def run_job(config: DictConfig, folder: Path) -> int:
    """Run a composed config and write its files to a folder.

    Returns:
        0 where every verdict is the pinned one, else 1; 0 too for a job of a multirun that is
        skipped because an optional extra is not installed.
    """
    from repro.api import block_store, execute
    from repro.catalogue.to_do import left_to_do
    from repro.commands.runs.validation import later, session_of_config
    from repro.report.files import replaced_words, write_files
    from repro.report.progress import progress
    from repro.report.record import NOT_PRIVATE
    from repro.report.terminal import print_folder, print_result
    from repro.study.discovery import missing_library
    from repro.study.sources import outside_of_key

    session = session_of_config(config)
    if library := missing_library(session.plan.theorem):
        print(f"skipped {session.plan.slug}: {library} is not installed", file=sys.stderr)
        return 0
    if trouble := block_store(session).trouble():
        say(f"cache: {trouble}; finished blocks of this run will not be kept")
    shown = None if session.detail == "verdict" else progress
    stop_if_received()
    done = execute(session, shown, later)
    if read := outside_of_key(session.plan.theorem):
        say(f"cache: {session.plan.slug} uses {read}; its finished blocks are not kept")
    device = session.plan.setting.device
    replaced = replaced_words(folder, done.code)
    facts = done.seconds, done.workers, device, done.code
    write = partial(write_files, done.result, folder, *facts)
    record = partial(_record, session, replace(done.result, seconds=done.seconds), folder)
    # the verdict first: the libraries of figure and tracker take seconds to import
    with _unless_reader_has_gone(write, record):
        print_result(done.result, session.detail)
        if session.plan.setting.instance.get("path"):
            say(NOT_PRIVATE)
        if words := left_to_do(session.plan.slug, done.result.statements, session.plan.folder):
            say(f"? {words}")
    write()
    with _unless_reader_has_gone(record):
        if session.detail != "verdict":
            print_folder(folder, replaced)
    record()
    return 0 if done.result.as_expected else UNEXPECTED


def _record(session: Session, result: Result, folder: Path) -> None:
    """Log a finished run where a tracker is asked for."""
    if session.tracking.kind != "none":
        from repro.report.tracking import log_result

        log_result(result, folder, session.tracking_values(), _command(session.plan.slug))


@contextmanager
def _unless_reader_has_gone(*steps: Callable[[], object]) -> Iterator[None]:
    """Inside, the result is shown; where its reader has gone, the steps are taken all the same."""
    try:
        yield
    except (OSError, SystemExit):
        for step in steps:
            step()
        raise


def _command(slug: str) -> str:
    """This job alone, as one would type it; where results are kept may hold a password."""
    from hydra.core.hydra_config import HydraConfig

    from repro.study.composition import as_typed

    given = HydraConfig.get().overrides.task if HydraConfig.initialized() else []
    given = [as_typed(word) for word in given]
    kept = [word for word in given if not word.lstrip("+~").startswith(("theorem=", "tracking"))]
    return shlex.join(["python", "-m", "repro", f"theorem={slug}", *kept])


def status_of(problem: BaseException) -> int:
    """Say in one line what went wrong; with which status to end."""
    from repro.study.messages import as_bad_input

    if isinstance(problem, KeyboardInterrupt):
        rest = str(problem)
        problem = KeyboardInterrupt(f"{rest}; {GO_ON}" if rest else KEPT)
    if isinstance(problem, Exception) and _of_composition(problem):
        problem = as_bad_input(problem)
    if isinstance(problem, OSError) and _of_a_file_of_ours(problem):
        problem = OSError(problem.errno, problem.strerror, f"output_dir={problem.filename}")
    return explained(problem)


def _of_composition(problem: Exception) -> bool:
    """Hydra refuses words by its own errors, and some, such as ``theorem=null``, by plain ones."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if isinstance(problem, HydraException | OmegaConfBaseException):
        return True
    frames = list(traceback.walk_tb(problem.__traceback__))
    raised_in = str(frames[-1][0].f_globals.get("__name__")) if frames else ""
    return isinstance(problem, ValueError) and raised_in.partition(".")[0] in COMPOSERS


def _of_a_file_of_ours(problem: OSError) -> bool:
    """Not of a module or font that found no free file."""
    return bool(problem.filename) and problem.errno not in (errno.EMFILE, errno.ENFILE)


os.environ["HYDRA_FULL_ERROR"] = "1"  # without it Hydra ends with 1, which is a verdict


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
    from repro.commands.runs.validation import refuse_names_of_code
    from repro.report.secret_address import hide_secrets
    from repro.study.composition import with_search_path

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
