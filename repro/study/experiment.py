"""A theorem on the worlds of one run: its checks in force, as they are measured and judged."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from repro.base.device import built_at
from repro.base.errors import BadInput, one_line, running_theorem
from repro.base.schema import Blocks, Epsilon, KLWeight, Model, Pairs, Positive, Whole
from repro.core.check import SweptCheck, Theorem, assumptions_of, mistake_words
from repro.core.claims import DeclaredCheck
from repro.core.door import TheoremNumbers, sweeps_in_use, swept_checks
from repro.core.fingerprint import fingerprint
from repro.core.needs import needs_of
from repro.core.results import AssumptionResult
from repro.core.stages import refuse_unknown
from repro.core.worlds import field_values, put

if TYPE_CHECKING:
    from repro.labels.preferences.label_mixture import LabelMixture
    from repro.worlds.policies.regularisers import Regulariser
    from repro.worlds.policies.reward_class import RewardClass


class Budget(Model):
    """How much is simulated."""

    name: Literal["smoke", "laptop", "paper"]
    replicates: Annotated[Whole, Field(ge=20, le=10**7, description="per grid point")]
    blocks: Blocks
    check_error: Annotated[
        Positive, Field(le=0.05, description="chance that the deciding interval misses the truth")
    ]


class Overrides(Model):
    """Top-level numbers that replace a check's own where it does not sweep them."""

    epsilon: Epsilon | None = None
    n_pairs: Pairs | None = None
    horizon: Pairs | None = None
    kl_weight: KLWeight | None = None


@dataclass(frozen=True)
class Setting:
    """What a run hands to a theorem besides its config group.

    Attributes:
        overrides: top-level epsilon, n_pairs, horizon, kl_weight; None where not given.
        instance: the composed ``instance`` group as plain values.
        device: ``cpu`` or ``cuda``.
        cache: folder for label-free tables that are costly to build.
        stages: by name, what replaces a stage of every world that has it.
        channel: how labels are made private, for worlds that let it be chosen; None:
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

    @property
    def instance_kind(self) -> str:
        return str(self.instance["kind"])

    @property
    def chosen(self) -> dict[str, Any]:
        """Objects of the Hydra groups that stand in a world's field of that name."""
        selected = {
            "channel": self.channel,
            "response": self.channel,
            "regulariser": self.regulariser,
            "reward_class": self.reward_class,
        }
        return {name: choice for name, choice in selected.items() if choice is not None}


@dataclass(frozen=True, eq=False)
class Experiment:
    """A theorem on the worlds of one run; every worker builds it from plain config.

    Attributes:
        theorem: what is claimed.
        numbers: its config group.
        setting: what else the run says.
        only: names of the checks to run; None for all.
    """

    theorem: Theorem
    numbers: TheoremNumbers
    setting: Setting
    only: tuple[str, ...] | None = None

    @cached_property
    def swept(self) -> tuple[SweptCheck, ...]:
        """The checks that are run, on their worlds; on another instance those that run there.

        Raises:
            BadInput: a number that a world does not allow, an axis that changes nothing, a stage
                that no world has, or ``only`` names a check that there is not.
        """
        kind = self.setting.instance_kind
        on_their_worlds = swept_checks(self.theorem, self.numbers, kind, self.only)
        checks = tuple(self._in_force(self._digested(check)) for check in on_their_worlds)
        refuse_unknown(self.setting.stages, {n for check in checks for n in _fields(check)})
        for check in checks:
            _refuse_idle_axis(check)
        return checks

    @property
    def defined_checks(self) -> int:
        """How many checks the theorem has on the instance of the run."""
        return len(sweeps_in_use(self.numbers, self.setting.instance_kind)[1])

    @cached_property
    def checks(self) -> tuple[DeclaredCheck, ...]:
        """What is judged, in order; worked out where it is asked for, so not by workers.

        Raises:
            BadInput: a claim's formula has no value.
        """
        return tuple(map(self.declared, self.swept))

    def _digested(self, swept: SweptCheck) -> SweptCheck:
        """Text pairs are known by their content: what is kept of a path is not kept of another."""
        digest = self.setting.instance.get("digest")
        if not digest or not self.uses_instance(swept):
            return swept
        return replace(swept, sweep=swept.sweep.each(lambda world: put(world, {"digest": digest})))

    def _in_force(self, swept: SweptCheck) -> SweptCheck:
        """A channel that is chosen is one that learners know of: worlds without ``response`` have
        learners who know of randomized response alone.
        """
        chosen = self.setting.chosen
        if not swept.takes("response"):
            chosen.pop("channel", None)
        try:
            changed = swept.under({**self.overrides, **chosen})
        except BadInput as problem:
            allowed = f"{problem.allowed} (check {swept.name})"
            raise BadInput(problem.key, problem.value, allowed) from problem
        return changed.instead(**self.setting.stages) if self.setting.stages else changed

    @property
    def overrides(self) -> dict[str, Any]:
        """Top-level numbers that were given."""
        return self.setting.overrides.model_dump(exclude_none=True)

    def uses_instance(self, swept: SweptCheck) -> bool:
        """Whether a check's worlds are built from the ``instance`` group."""
        instance = _fields(swept).get("instance")
        apart = {"kl_weight", "digest"}
        own = instance and instance.model_dump(mode="json", exclude=apart)
        return own == {k: v for k, v in self.setting.instance.items() if k not in apart}

    def building(self) -> AbstractContextManager[None]:
        """Inside, instances are built where the run says."""
        return built_at(self.setting.cache, self.setting.device)

    @running_theorem()
    def declared(self, swept: SweptCheck) -> DeclaredCheck:
        """What is judged of a check.

        Raises:
            BadInput: a value of the sweep at which a formula of the claim has no value.
        """
        check = swept.check
        common: dict[str, Any] = {
            "name": check.name,
            "axis": check.axis,
            "grid": swept.sweep.grid,
            "quantity": check.quantity.words,
            "method": check.right.__name__,
            "controls": tuple(control.__name__ for control in swept.algorithms[1:]),
            "mistakes": {
                control.__name__: words
                for control in swept.algorithms[1:]
                if (words := mistake_words(control))
            },
            "expected": check.expected,
            "claim": check.claim.said(check.axis),
            "settings": self._settings(swept),
            "replicate_factor": swept.sweep.replicates,
            "evidence": check.quantity.evidence,
            "needs": tuple(need.value for need in needs_of(self.theorem.slug, check.name)),
            "statements": self.theorem.statements_of(check),
            "substitute": self.theorem.substitute_of(swept),
            "why": check.why,
            "corrected": self.theorem.corrected.get(check.name, ""),
        }
        try:
            with self.building():
                return check.claim.check(common, swept)
        except ArithmeticError as problem:
            place, _ = sweeps_in_use(self.numbers, self.setting.instance_kind)
            values = ",".join(f"{value:g}" for value in swept.sweep.grid)
            allowed = f"allowed: values at which its world exists ({one_line(str(problem))})"
            raise BadInput(f"{place}.{check.name}.grid", f"[{values}]", allowed) from problem

    def _settings(self, swept: SweptCheck) -> dict[str, object]:
        """The numbers in force besides the grid: fields of the worlds, in words where they are
        objects.
        """
        own = _fields(swept)
        shown = {
            name: value
            for name, value in own.items()
            if isinstance(value, Number | str) and name != swept.sweep.at
        }
        chosen = {
            name: str(own[name])
            for name, choice in self.setting.chosen.items()
            if name in own and name != "response" and own[name] is choice
        }
        measured = {name: value for name, value in swept.stages.items() if name in shown}
        return {**shown, **measured, **chosen, "labels_scaled_by": swept.scaled}

    def numbers_in_force(self, swept: SweptCheck) -> dict[str, object]:
        """The grid, and top-level numbers that stand in for what the worlds had."""
        own = _fields(swept)
        numbers = {name: own[name] for name in self.overrides if swept.takes(name)}
        if self.overrides and swept.takes("n_pairs"):
            numbers["n_pairs"] = own["n_pairs"]
        return {"grid": list(swept.sweep.grid), **numbers}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The statement's assumptions, executed on the worlds of the checks that are run."""
        if self.theorem.assumes is None:
            return ()
        with self.building():
            return tuple(result for check in self.swept for result in self._assumed(check))

    def _assumed(self, swept: SweptCheck) -> list[AssumptionResult]:
        assert self.theorem.assumes is not None
        with running_theorem(quoted=not swept.has_pairs):
            return [
                AssumptionResult(f"{swept.name} {name}", bool(holds), detail)
                for name, holds, detail in assumptions_of(self.theorem.assumes, swept)
            ]

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """What a run would need, in words, for ``dry_run=true``.

        Args:
            replicates: at each grid value, by name of the check.
        """
        if self.theorem.estimate is None:
            return ""
        return self.theorem.estimate(self.swept, replicates)


def _fields(swept: SweptCheck) -> dict[str, Any]:
    return field_values(swept.sweep.worlds[0])


def _refuse_idle_axis(swept: SweptCheck) -> None:
    worlds = swept.sweep.worlds
    if len(worlds) > 1 and fingerprint(worlds[0]) == fingerprint(worlds[1]):
        raise BadInput(f"{swept.name}.axis", swept.sweep.axis, "nothing here depends on it")
