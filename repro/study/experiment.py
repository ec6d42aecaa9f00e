"""What a theorem file provides: rows, and how a grid point becomes a case."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from repro.base.axis_domains import domain_of
from repro.base.errors import BadInput, nearest
from repro.base.schema import Model
from repro.study.case import Case, Point
from repro.study.config import Overrides, Probe, Probes
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Row
from repro.study.stages import refuse_unknown
from repro.study.trial import Trial, labels_for_epsilon

if TYPE_CHECKING:
    from repro.policies.regularisers import Regulariser
    from repro.policies.reward_class import RewardClass
    from repro.preferences.label_mixture import LabelMixture

DEFAULT_INSTANCE = "linear"
"""The kind of instance that ``Probes.probes`` are for."""


@dataclass(frozen=True)
class Setting:
    """What a run hands to an experiment besides its own config.

    Attributes:
        overrides: top-level epsilon, n_pairs, horizon, kl_weight; None where not given.
        instance: the composed ``instance`` group as plain values.
        device: ``cpu`` or ``cuda``.
        cache: folder for label-free tables that are costly to build.
        stages: by name, what replaces a stage of every case that has it.
        channel: how labels are made private, for experiments that let it be chosen; None:
            randomized response.
        regulariser: the divergence in the objective, likewise; None: KL.
        reward_class: what rewards are estimated in, likewise; None: the ball.
    """

    overrides: Overrides
    instance: Mapping[str, Any]
    device: str
    cache: Path
    stages: Mapping[str, Any] = field(default_factory=dict)
    channel: LabelMixture | None = None
    regulariser: Regulariser | None = None
    reward_class: RewardClass | None = None


C = TypeVar("C", bound=Case)
K = TypeVar("K", bound=Case)
Assumed = tuple[str, bool, str]
"""Name of an assumption, whether it holds, and its numbers in words."""


class Experiment(ABC, Generic[C]):
    """One numbered statement, or a family of them, as an experiment; lives in ``theorems/``.

    ``settles`` names the statements that rows without their own speak for.  ``extra`` names the
    optional extra whose libraries measuring needs; checks and config never need it.

    An experiment is built in every worker from plain config, so construction must be cheap or
    cached on disk.
    """

    slug: ClassVar[str]
    title: ClassVar[str]
    settles: ClassVar[tuple[str, ...]] = ()
    statements: ClassVar[tuple[str, ...]] = ()
    rows: ClassVar[tuple[Row, ...]] = ()
    config_type: ClassVar[type[Model]] = Probes
    extra: ClassVar[str] = ""
    failure_prob: float = 0.05

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "slug" not in vars(cls):
            cls.slug = cls.__module__.rpartition(".")[2]
        own = [one for row in cls.rows for one in row.settles or cls.settles]
        cls.statements = tuple(dict.fromkeys(own))

    def __init__(self, config: Any, setting: Setting) -> None:
        self.config, self.setting = config, setting
        self.instance_kind = str(setting.instance["kind"])

    @abstractmethod
    def case(self, point: Point) -> C:
        """The case of one grid point: cheap, or built once and remembered."""

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The statement's assumptions, executed on the instances in use; none by default."""
        return ()

    def ends(self, of: type[K]) -> Iterator[tuple[Trial[C], str, K]]:
        """Where assumptions are executed: the first and the last case of every sweep.

        Args:
            of: cases of another type are left out.

        Yields:
            the trial, words for the place ("n_pairs at 1e+09") and the case.
        """
        for trial in self.trials:
            for at in (0, -1):
                if isinstance(case := trial.cases[at], of):
                    yield trial, f"{trial.row.name} at {trial.grid[at]:g}", case

    def at_both_ends(
        self, of: type[K], *assumed: Callable[[K], Iterable[Assumed]]
    ) -> tuple[AssumptionResult, ...]:
        """Assumptions on cases of one type, at the first and the last value of their sweeps.

        Args:
            of: cases of another type are left out.
            assumed: each gives (name, whether it holds, numbers in words) of a case.
        """
        return tuple(
            AssumptionResult(f"{place}: {name}", holds, detail)
            for _, place, case in self.ends(of)
            for one in assumed
            for name, holds, detail in one(case)
        )

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """By how much top-level overrides multiply the labels of a probe."""
        return labels_for_epsilon(probe, given)

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """The numbers of a row's world, as verdict.json shows them; none by default."""
        return {}

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """What a run would need, in words, for ``dry_run=true``; nothing by default.

        Args:
            replicates: at each grid value, by name of the check.
        """
        return ""

    @classmethod
    def statements_of(cls, check: str) -> tuple[str, ...]:
        """Ids of the statements that the row of that name speaks for."""
        return next((row.settles or cls.settles for row in cls.rows if row.name == check), ())

    @cached_property
    def trials(self) -> tuple[Trial[C], ...]:
        """Every row of this run with its probe: on the default instance all rows, on another
        those that are measured on the instance.

        Raises:
            BadInput: a row has no probe, a probe no row, or a stage no place.
        """
        self._refuse_unknown_probes()
        found = tuple(Trial(self, row, self._probe(row)) for row in self.rows if self._runs(row))
        refuse_unknown(self.setting.stages, (case for trial in found for case in trial.cases))
        return found

    def _runs(self, row: Row) -> bool:
        return row.on == INSTANCE or self.instance_kind == DEFAULT_INSTANCE

    @property
    def probes_in_use(self) -> tuple[str, Mapping[str, Probe]]:
        """Where the probes of the instance in use stand in the config, and the probes."""
        if self.instance_kind == DEFAULT_INSTANCE:
            return "theorem.probes", self.config.probes
        of_kind = self.config.instances.get(self.instance_kind, {})
        return f"theorem.instances.{self.instance_kind}", of_kind

    def _probe(self, row: Row) -> Probe:
        place, probes = self.probes_in_use
        if row.name not in probes:
            raise BadInput(f"{place}.{row.name}", "(missing)", "a probe is required")
        probe = probes[row.name]
        if len(probe.grid) < row.claim.fewest:
            least = f"allowed: at least {row.claim.fewest} values"
            raise BadInput(f"{place}.{row.name}.grid", list(probe.grid), least)
        domain = domain_of(row.over)
        for order, value in enumerate(probe.grid):
            if not domain.allows(value):
                key = f"{place}.{row.name}.grid.{order}"
                raise BadInput(key, f"{value:g}", f"allowed: {domain.words}")
        return probe

    def _refuse_unknown_probes(self) -> None:
        known = {row.name for row in self.rows}
        groups: Sequence[tuple[str, Mapping[str, Probe]]] = [
            ("theorem.probes", self.config.probes),
            *((f"theorem.instances.{k}", v) for k, v in self.config.instances.items()),
        ]
        for place, probes in groups:
            for name in probes:
                if name not in known:
                    allowed = f"{nearest(name, known)}allowed: {', '.join(sorted(known))}"
                    raise BadInput(f"{place}.{name}", "(unknown)", allowed)
