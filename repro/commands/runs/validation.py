"""Check a config before Hydra creates any folder."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from hydra.core.global_hydra import GlobalHydra
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from repro.api import to_measure
from repro.base.errors import BadInput
from repro.catalogue.papers import refuse_unknown
from repro.commands.process.outcome import INTERNAL, explained, outcome
from repro.commands.run import status_of
from repro.commands.runs.folders import folder_of, refuse_folders, refuse_foreign_sweep
from repro.commands.runs.sweep import Job, heading, print_summary
from repro.report.progress import loading
from repro.report.secret_address import refuse_address
from repro.study.discovery import missing_library, require_extra
from repro.study.messages import as_bad_input
from repro.study.pool import Later
from repro.study.settings import Session, session_of

_checked_already: dict[str, Session] = {}
"""Sessions of what runs, by their values: Hydra asks for a job's hash four times more."""
later: Later = []
"""What is to be measured in them; workers begin it when they have nothing left of a run."""


def session_of_config(config: DictConfig) -> Session:
    """The checked session of a composed config (with or without its ``hydra`` node)."""
    values = _plain(config)
    return _checked_already.get(repr(values)) or session_of(values)


def named_by(config: DictConfig) -> str:
    """The hash that names a run's folder; that of a job of a sweep that will fail holds nothing."""
    try:
        return session_of_config(config).config_hash
    except Exception as problem:
        if _refused(problem):
            raise
        return "without_result"


def _refused(problem: Exception) -> bool:
    """Whether a sweep is refused, rather than one of its jobs lost."""
    return outcome(problem)[0] != INTERNAL


def _plain(config: DictConfig) -> dict[str, Any]:
    """Values of a composed config without its ``hydra`` node."""
    plain = {key: config[key] for key in config if key != "hydra"}
    values: Any = OmegaConf.to_container(OmegaConf.create(plain), resolve=True)
    return values


class ValidateBeforeWriting(Callback):
    """Leaves with status 2 on bad input while nothing is written yet.

    Hydra turns exceptions of callbacks into warnings, so this leaves by SystemExit.  A sweep's
    jobs are numbered, and summed up at its end.
    """

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        _checked_already.clear()  # of what ran in this process before
        later.clear()
        try:
            session = _check(config)
        except Exception as problem:
            raise SystemExit(status_of(problem)) from problem
        _remember(config, session)
        _require_extra(session)
        if session.dry_run:
            print(_estimate(session))
            raise SystemExit(0)
        _or_refuse(lambda: refuse_folders([config], "hydra.run.dir"))

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        _checked_already.clear()
        compose_once(GlobalHydra.instance().config_loader())
        jobs = [_job_config(config, overrides) for overrides in _jobs(config)]
        sessions = list(_checked(jobs))
        begun = [session for session in sessions if session]
        if any(session.dry_run for session in begun):
            refuse(BadInput("dry_run", True, "allowed: one run at a time, without -m"))
        if all(missing_library(session.plan.theorem) for session in begun):
            for session in begun:
                _require_extra(session)
        later[:] = [partial(to_measure, session) for session in _checked_already.values()]
        sound = [job for job, session in zip(jobs, sessions, strict=True) if session]
        _or_refuse(lambda: refuse_folders(sound, "hydra.sweep.dir"))
        _or_refuse(lambda: refuse_foreign_sweep(config))
        folders = [folder_of(job, "hydra.sweep.dir") for job in jobs]
        words = [tuple(overrides) for overrides in _jobs(config)]
        self._jobs = [Job(*both) for both in zip(words, folders, strict=True)]

    def on_job_start(self, config: DictConfig, **kwargs: Any) -> None:
        if len(self._jobs) > 1:
            number, folder = int(config.hydra.job.num), Path(config.hydra.runtime.output_dir)
            # only here is a folder known that is named by the job's number
            self._jobs[number] = replace(self._jobs[number], folder=folder.absolute())
            print(heading(number, self._jobs), flush=True)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        _checked_already.clear()
        later.clear()
        if len(self._jobs) > 1:
            print_summary(self._jobs)


MOST_KEPT = 200
"""Jobs of a sweep whose composed configs stay in memory."""


def compose_once(loader: Any, most: int = MOST_KEPT) -> None:
    """Let a sweep's configs be composed once a job, where Hydra does so twice more.

    Composing takes ten times as long as copying, and all cores wait for it.

    Args:
        loader: Hydra's, of the running sweep.
        most: jobs whose configs are kept; those of the others are composed anew.
    """
    compose, kept = loader.load_sweep_config, {}

    def remembered(master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
        job = tuple(sweep_overrides)
        if job not in kept:
            composed = compose(master_config, sweep_overrides)
            if len(kept) >= most:
                return composed
            kept[job] = composed
        return copy.deepcopy(kept[job])

    loader.load_sweep_config = remembered


OPTIONS_THAT_NAME_CODE = {
    "config_dir": "--config-dir",
    "config_path": "--config-path",
    "config_name": "--config-name",
    "experimental_rerun": "--experimental-rerun",
}
"""By these Hydra reads configs, or a pickle, from anywhere: both can name what is called."""
KEYS_THAT_NAME_CODE = re.compile(r"hydra(\.(callbacks|job_logging|hydra_logging|searchpath)\b.*)?")


def refuse_names_of_code(words: Sequence[str]) -> None:
    """No word of the command line says what Hydra or ``logging`` instantiates.

    Raises:
        BadInput: a word has ``_target_``, a key of Hydra's that holds classes, or an option by
            which Hydra reads a folder or a pickle of the user's.
    """
    from hydra._internal.utils import get_args_parser

    given, _ = get_args_parser().parse_known_args(list(words))
    for name, option in OPTIONS_THAT_NAME_CODE.items():
        if value := getattr(given, name, None):
            raise BadInput(option, value, "allowed: the shipped configs, and keys of your own")
    for word in words:
        key, _, value = word.partition("=")
        if "_target_" in word or KEYS_THAT_NAME_CODE.fullmatch(key.lstrip("+~")):
            raise BadInput(key, value, "allowed: keys without _target_; a config names no code")


def refuse(problem: BaseException) -> NoReturn:
    """Print one line and end with status 2."""
    raise SystemExit(explained(as_bad_input(problem)))


def _or_refuse(check: Callable[[], None]) -> None:
    try:
        check()
    except BadInput as problem:
        refuse(problem)


def _require_extra(session: Session) -> None:
    _or_refuse(lambda: require_extra(session.plan.theorem))


def _estimate(session: Session) -> str:
    """What the run would need; refused where the experiment cannot tell."""
    words = session.plan.estimate()
    if not words:
        refuse(BadInput("dry_run", True, f"{session.plan.slug} has no estimate of its cost"))
    return words


def _job_config(config: DictConfig, overrides: list[str]) -> DictConfig:
    """The composed config of one job of a multirun."""
    try:
        return GlobalHydra.instance().config_loader().load_sweep_config(config, overrides)
    except Exception as problem:  # noqa: BLE001 - any failure to compose is bad input
        refuse(problem)


def _check(config: DictConfig) -> Session:
    """The session of a config whose tracker and folders can be used, too."""
    with loading(str(OmegaConf.select(config, "theorem.name"))):
        session = session_of_config(config)
    refuse_unknown(session.plan.theorem.statements, session.plan.folder)
    refuse_address(session.tracking.uri)
    return session


def _check_job(config: DictConfig) -> Session | None:
    """The same of a job of a sweep; None where a bug ends it, which it says in its turn."""
    try:
        return _check(config)
    except Exception as problem:
        if _refused(problem):
            raise SystemExit(status_of(problem)) from problem
        return None


def _checked(jobs: Sequence[DictConfig]) -> Iterator[Session | None]:
    """Sessions of a sweep's jobs."""
    for number, job in enumerate(jobs):
        yield (session := _check_job(job))
        if session and number < MOST_KEPT:
            _remember(job, session)


def _remember(config: DictConfig, session: Session) -> None:
    """Keep a checked session for its job; not one of the user's files, which may change before."""
    if session.plan.setting.instance.get("path") is None:
        _checked_already[repr(_plain(config))] = session


def _jobs(config: DictConfig) -> list[list[str]]:
    """The overrides of every job of a multirun, where Hydra's own sweeper is in use."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    if not str(config.hydra.sweeper._target_).endswith("BasicSweeper"):
        return []
    task: Any = OmegaConf.to_container(config.hydra.overrides.task, resolve=False)
    parsed = OverridesParser.create(
        config_loader=GlobalHydra.instance().config_loader()
    ).parse_overrides(task)
    return [job for batch in BasicSweeper.split_arguments(parsed, None) for job in batch]
