"""Run an experiment from Python: the same result that the command writes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.base.places import place_of
from repro.catalogue.papers import refuse_unknown
from repro.core.results import Result
from repro.study.blocks import Block, BlockStore
from repro.study.discovery import missing_library, require_extra
from repro.study.parallel import available_cores, in_process
from repro.study.plan import blocks_of, measure_block
from repro.study.pool import Later, Measuring, measured
from repro.study.runner import Mapper, run_plan, summarise
from repro.study.settings import Session, session_of
from repro.study.sources import code_of, outside_of_key

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Run:
    """A finished run.

    Attributes:
        result: everything measured and judged.
        seconds: wall time.
        workers: processes used.
        code: digests of the code and config that were there when it began.
    """

    result: Result
    seconds: float
    workers: int
    code: Mapping[str, str]

    @property
    def verdict(self) -> str:
        """The experiment's verdict."""
        return self.result.verdict

    def __repr__(self) -> str:
        """At most ten lines."""
        from repro.report.in_notebooks import at_a_prompt

        return at_a_prompt(self.result)

    def _repr_html_(self) -> str:
        """Verdict, table and figure, as notebooks show them."""
        from repro.report.figure import figure_bytes
        from repro.report.in_notebooks import in_a_notebook

        return in_a_notebook(self.result, figure_bytes(self.figure, "png"))

    @cached_property
    def verdict_json(self) -> dict[str, Any]:
        """The content of ``verdict.json``."""
        from repro.report.files import verdict_json

        return verdict_json(self.result)

    @cached_property
    def measurements(self) -> pandas.DataFrame:
        """The content of ``measurements.parquet``."""
        from repro.report.files import measurements_frame

        return measurements_frame(self.result)

    @cached_property
    def figure(self) -> Figure:
        """The figure, drawn anew."""
        from repro.report.figure import draw

        return draw(self.result)


Progress = Callable[[int, str], AbstractContextManager[Callable[[int], None]]]


def execute(session: Session, progress: Progress | None = None, later: Later | None = None) -> Run:
    """Measure and judge; finished blocks are kept below ``output_dir``.

    Args:
        session: what to run.
        progress: shows how many blocks are done.
        later: ``to_measure`` of the runs of a sweep that follow.

    Raises:
        repro.base.errors.BadInput: an optional extra is not installed, or the experiment settles
            a statement that no paper has.
        repro.study.runner.Interrupted: on Ctrl-C.
    """
    require_extra(session.plan.theorem)
    refuse_unknown(session.plan.theorem.statements, session.plan.folder)
    started = time.perf_counter()
    plan = session.plan
    code = code_of(plan.slug, place_of(plan.slug, plan.folder))
    total = len(blocks_of(plan))
    spread, workers = _mapper(session, later)
    shown = progress(total, plan.slug) if progress else nullcontext(lambda count: None)
    with shown as advance:
        judged, experiment = run_plan(plan, block_store(session), spread, advance)
    result = summarise(plan, judged, experiment.assumptions(), session.config, session.config_hash)
    used = getattr(spread, "workers", None) or workers  # of a cluster: once it is there
    return Run(result, time.perf_counter() - started, used, code)


def to_measure(session: Session) -> tuple[Measuring, list[Block]]:
    """What measures the blocks of a session in workers, and those that are not on disk.

    None of a session that is measured elsewhere, or whose values are not kept.
    """
    store, plan, theorem = block_store(session), session.plan, session.plan.theorem
    here = session.compute.kind == "local" and plan.setting.device == "cpu"
    able = here and not missing_library(theorem) and not outside_of_key(theorem)
    missing = [block for block in blocks_of(plan) if not store.kept([block])] if able else []
    return partial(measure_block, plan), missing


def block_store(session: Session) -> BlockStore:
    """Where the finished blocks of a session are kept."""
    return BlockStore(session.output_dir / ".cache" / "blocks")


def run(
    theorem: str = "offline_gap",
    *,
    overrides: Sequence[str] = (),
    output_dir: str | Path | None = None,
    stages: Mapping[str, Any] | None = None,
    **values: Any,
) -> Run:
    """Run one experiment, as ``python -m repro theorem=…`` does.

    Args:
        theorem: its name.
        overrides: more Hydra overrides, e.g. ``["instance.path=pairs.jsonl"]``.
        output_dir: keep finished blocks below this folder; by default nothing is kept.
        stages: by name (``repro.core.stages.STAGES``) what replaces that stage of every world
            that has it, e.g. ``{"labels": fair_coins}`` or a channel of your own.
        values: top-level keys and groups, e.g. ``epsilon=0.5, budget="smoke", seed=7``.

    Returns:
        verdict, measurements (data frame) and figure.

    Raises:
        repro.base.errors.BadInput: a key or value that cannot be used.

    >>> run("offline_gap", epsilon=0.5, budget="smoke").verdict  # doctest: +SKIP
    'contradicted'
    """
    from repro.study.composition import compose_values

    with tempfile.TemporaryDirectory() as scratch:
        folder = str(output_dir or scratch)
        composed = compose_values(theorem, values, overrides)
        given = {"output_dir": folder, "stages": {**composed["stages"], **(stages or {})}}
        return execute(session_of({**composed, **given}))


def _mapper(session: Session, later: Later | None) -> tuple[Mapper, int]:
    """What computes the session's blocks, and in how many processes; 0: as many as it finds."""
    compute = session.compute
    if compute.kind != "local":
        from repro.study.ray_tasks import RayTasks

        return RayTasks(None if compute.workers == "auto" else compute.workers, compute.address), 0
    workers = _workers(session)
    if workers == 1:
        return in_process, 1
    return partial(measured, workers=workers, later=later), workers


def _workers(session: Session) -> int:
    if session.plan.setting.device == "cuda":
        return 1
    wanted = session.compute.workers
    return available_cores() if wanted == "auto" else wanted
