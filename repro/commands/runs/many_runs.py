"""What commands have in common that run several experiments and sum them up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from repro.api import execute
from repro.base.schema import Model
from repro.commands.runs.folders import ready_folder
from repro.core.results import Result
from repro.report.progress import progress
from repro.study.composition import compose_values, named_theorems
from repro.study.discovery import without_extra
from repro.study.plan import built
from repro.study.settings import CheckNames, Session, session_of

EVERY = "glob(*,exclude=llm_*)"
"""Every experiment that needs no extra."""


class ManyRuns(Model):
    """Arguments: which experiments and checks, and where finished blocks are kept.

    Attributes:
        theorem: names; by default those of the current folder, or every one where it has none.
        only: names of checks.
        output_dir: of finished blocks.
    """

    theorem: Annotated[str, Field(min_length=1)] | None = None
    only: CheckNames | None = None
    output_dir: Annotated[str, Field(min_length=1)] = "outputs"

    def theorems(self) -> list[str]:
        """Names of the experiments.

        Raises:
            BadInput: one that does not exist, a check that it has not, or a folder that cannot be
                written to.
        """
        if self.theorem is None:
            experiments = without_extra(Path.cwd()) or named_theorems(EVERY)
        else:
            experiments = named_theorems(self.theorem)
        for theorem in experiments if self.only is not None else ():
            built(session_of(self._composed(theorem)).plan)
        ready_folder("output_dir", Path(self.output_dir))
        return experiments

    def run(self, theorem: str, **values: Any) -> tuple[Session, Result]:
        """One experiment with some top-level keys, as it was set up and as it came out."""
        (only_run,) = self.at_seeds(theorem, [values.pop("seed", 0)], **values)
        return only_run

    def at_seeds(
        self, theorem: str, seeds: Iterable[int], **values: Any
    ) -> Iterator[tuple[Session, Result]]:
        """The same at several seeds: its config is composed once; no figure, no files."""
        composed = self._composed(theorem, **values)
        for seed in seeds:
            session = session_of({**composed, "seed": seed})
            yield session, execute(session, progress).result

    def _composed(self, theorem: str, **values: Any) -> dict[str, Any]:
        only = None if self.only is None else list(self.only)
        return compose_values(theorem, {**values, "only": only, "output_dir": self.output_dir})
