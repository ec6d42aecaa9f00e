"""A theorem in one shape, as the engine of rows reads it.  Goes with the last row.

``experiment_of`` gives what ``discovery.find`` promises; ``CheckTrial`` what a plan measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from repro.base.errors import BadInput, one_line
from repro.core.check import Check, SweptCheck, Theorem
from repro.core.door import TheoremNumbers, sweeps_in_use, swept_checks
from repro.core.needs import needs_of
from repro.core.worlds import field_values, put
from repro.study.checks import Check as DeclaredCheck
from repro.study.experiment import Experiment, Setting
from repro.study.fingerprint import fingerprint
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence


@dataclass(frozen=True, eq=False)
class CheckRow:
    """A check as reports and the catalogue read a row."""

    slug: str
    check: Check
    on: str = ""
    swept: SweptCheck | None = None

    @property
    def name(self) -> str:
        return self.check.name

    @property
    def over(self) -> str:
        return self.check.axis

    @property
    def claim(self):
        return self.check.claim

    @property
    def measure(self):
        quantity = self.check.quantity
        return SimpleNamespace(
            quantity=quantity.words, evidence=Evidence(quantity.evidence), of=self._of, at=self._at
        )

    def _of(self, world: Any, rng: np.random.Generator, replicates: int) -> dict[str, Any]:
        return self._at([world], [rng], replicates)[0]

    def _at(self, worlds: Sequence[Any], rngs: Sequence[Any], replicates: int) -> list[dict]:
        """By world and name of the algorithm, (replicates,) values."""
        assert self.swept is not None
        stated = [self.swept.sweep.worlds[self.swept.measured.index(world)] for world in worlds]
        algorithms = self.swept.algorithms
        found = self.check.quantity.values(worlds, algorithms, rngs, replicates, stated)
        names = [one.__name__ for one in algorithms]
        return [dict(zip(names, values, strict=True)) for values in found]

    @property
    def method(self):
        return SimpleNamespace(name=self.check.right.__name__, run=self.check.right)

    @property
    def wrong(self):
        return tuple(SimpleNamespace(name=one.__name__, run=one) for one in self.check.wrong)

    @property
    def needs(self):
        return needs_of(self.slug, self.check.name)

    @property
    def settles(self):
        return tuple(self.check.settles)

    @property
    def expected(self):
        return self.check.expected

    @property
    def why(self):
        return self.check.why

    @property
    def fixed(self):
        return tuple(self.check.keeps)

    @property
    def draws(self):
        return self.check.draws


class CheckTrial:
    """A check on its worlds, with what the plan, the ablations and the report ask of a trial."""

    def __init__(self, experiment: TheoremExperiment, swept: SweptCheck) -> None:
        self.swept, self._experiment = swept, experiment
        uses = experiment.uses_instance(swept)
        self.row = CheckRow(experiment.slug, swept.check, INSTANCE if uses else "", swept)
        first = swept.sweep.worlds[0]
        numbers = ("epsilon", "n_pairs", "horizon", "kl_weight")
        self.given = SimpleNamespace(**{one: getattr(first, one, None) for one in numbers})
        self.probe = SimpleNamespace(replicates=swept.sweep.replicates)
        self.grid, self.failure_prob = swept.sweep.grid, swept.failure_prob

    @property
    def cases(self) -> tuple[Any, ...]:
        return self.swept.measured

    @property
    def methods(self):
        return tuple(
            SimpleNamespace(name=one.__name__, run=one, privacy_mistake=_mistaken(one))
            for one in self.swept.algorithms
        )

    @cached_property
    def check(self) -> DeclaredCheck:
        """What is judged.

        Raises:
            BadInput: a value of the sweep at which a formula of the claim has no value.
        """
        try:
            with self.building():
                return self.declared(self.swept)
        except ArithmeticError as problem:
            key = ".".join(("theorem", *self.place[0], self.row.name, "grid"))
            values = ",".join(f"{value:g}" for value in self.grid)
            allowed = f"allowed: values at which its world exists ({one_line(str(problem))})"
            raise BadInput(key, f"[{values}]", allowed) from problem

    def building(self) -> AbstractContextManager[None]:
        """Inside, instances are built where the run says."""
        return self._experiment.building()

    def declared(self, swept: SweptCheck) -> DeclaredCheck:
        """What is judged of the check on worlds of its own, or on others."""
        check = swept.check
        common: dict[str, Any] = {
            "name": check.name,
            "axis": check.axis,
            "grid": swept.sweep.grid,
            "quantity": check.quantity.words,
            "method": check.right.__name__,
            "controls": tuple(one.__name__ for one in swept.algorithms[1:]),
            "expected": check.expected,
            "claim": check.claim.said(check.axis),
            "settings": self.settings,
            "replicate_factor": swept.sweep.replicates,
            "evidence": check.quantity.evidence,
            "needs": tuple(need.value for need in self.row.needs),
            "statements": tuple(check.settles) or self._experiment.settles,
        }
        return check.claim.check(common, swept)

    @property
    def settings(self) -> dict[str, object]:
        """The numbers in force besides the grid: fields of the worlds, in words where they are
        objects.
        """
        own = field_values(self.swept.sweep.worlds[0])
        shown = {
            name: value
            for name, value in own.items()
            if isinstance(value, Number | str) and name != self.swept.sweep.at
        }
        chosen = {
            name: str(own[name])
            for name, one in self._experiment.chosen.items()
            if name in own and name != "response" and own[name] is one
        }
        return {**shown, **chosen, "labels_scaled_by": self.swept.scaled}

    @property
    def place(self) -> tuple[tuple[str, ...], str]:
        where, _ = sweeps_in_use(self._experiment.config, self._experiment.instance_kind)
        return tuple(where.split(".")[1:]), self.row.name

    @property
    def numbers(self) -> dict[str, object]:
        """The grid in force, and top-level numbers that stand in for what the worlds had."""
        given = self._experiment.overrides
        own = field_values(self.swept.sweep.worlds[0])
        found: dict[str, object] = {name: own[name] for name in given if self.swept.takes(name)}
        if self.swept.scaled != 1.0 and self.swept.takes("n_pairs"):
            found["n_pairs"] = own["n_pairs"]
        return {"grid": list(self.grid), **found}

    @cached_property
    def identity(self) -> str:
        swept = self.swept
        return fingerprint((swept.measured, swept.sweep.worlds, swept.sweep.grid,
                            swept.algorithms, swept.check.quantity))  # fmt: skip

    def measured(
        self, slug: str, seed: int, number: int, replicates: int
    ) -> tuple[np.ndarray, bool]:
        """(G, methods, R) of one block, and whether anything was drawn."""
        with self.building():
            return self.swept.block_and_draws(slug, seed, number, replicates)


class TheoremExperiment(Experiment):
    """A theorem, as the engine of rows builds it; subclasses say which."""

    theorem: ClassVar[Theorem]
    config_type = TheoremNumbers
    config: TheoremNumbers

    def __init__(self, config: TheoremNumbers, setting: Setting) -> None:
        super().__init__(config, setting)
        given = setting.overrides.model_dump(exclude_none=True)
        self.overrides: Mapping[str, Any] = given
        selected = {
            "channel": setting.channel,
            "response": setting.channel,
            "regulariser": setting.regulariser,
            "reward_class": setting.reward_class,
        }
        self.chosen = {name: one for name, one in selected.items() if one is not None}

    def case(self, point: Any) -> Any:
        raise NotImplementedError("worlds take the place of cases")

    def building(self) -> AbstractContextManager[None]:
        """Inside, instances are built where the run says."""
        from repro.instances.labelled import built_at  # torch takes a second

        return built_at(self.setting.cache, self.setting.device)

    def uses_instance(self, swept: SweptCheck) -> bool:
        """Whether a check's worlds are built from the ``instance`` group."""
        instance = field_values(swept.sweep.worlds[0]).get("instance")
        apart = {"kl_weight", "digest"}
        own = instance and instance.model_dump(mode="json", exclude=apart)
        return own == {k: v for k, v in self.setting.instance.items() if k not in apart}

    @cached_property
    def trials(self) -> tuple[CheckTrial, ...]:  # type: ignore[override]
        found = swept_checks(self.theorem, self.config, self.instance_kind)
        trials = tuple(CheckTrial(self, self._in_force(self._digested(one))) for one in found)
        self._refuse_unknown_stages(trials)
        for trial in trials:
            self._refuse_idle_axis(trial.swept)
        return trials

    def _digested(self, swept: SweptCheck) -> SweptCheck:
        """Text pairs are known by their content: what is kept of a path is not kept of another."""
        digest = self.setting.instance.get("digest")
        if not digest or not self.uses_instance(swept):
            return swept
        return replace(swept, sweep=swept.sweep.each(lambda one: put(one, {"digest": digest})))

    def _in_force(self, swept: SweptCheck) -> SweptCheck:
        """A channel that is chosen is one that learners know of: worlds without ``response`` have
        learners who know of randomized response alone.
        """
        chosen = dict(self.chosen)
        if not swept.takes("response"):
            chosen.pop("channel", None)
        found = swept.under({**self.overrides, **chosen})
        return found.instead(**self.setting.stages) if self.setting.stages else found

    def _refuse_unknown_stages(self, trials: Sequence[CheckTrial]) -> None:
        there = {name for one in trials for name in field_values(one.swept.sweep.worlds[0])}
        for name, stage in self.setting.stages.items():
            if name not in there:
                told = getattr(stage, "__qualname__", type(stage).__qualname__)
                raise BadInput(f"stages.{name}", told, f"{self.slug} has no such stage")

    def _refuse_idle_axis(self, swept: SweptCheck) -> None:
        worlds = swept.sweep.worlds
        if len(worlds) > 1 and fingerprint(worlds[0]) == fingerprint(worlds[1]):
            raise BadInput(f"{swept.name}.axis", swept.sweep.axis, "nothing here depends on it")

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        if self.theorem.assumes is None:
            return ()
        with self.building():
            return tuple(
                AssumptionResult(f"{one.row.name} {name}", bool(holds), detail)
                for one in self.trials
                for name, holds, detail in self.theorem.assumes(one.swept)
            )

    def estimate(self, replicates: Mapping[str, int]) -> str:
        if self.theorem.estimate is None:
            return ""
        return self.theorem.estimate([one.swept for one in self.trials], replicates)


def _mistaken(algorithm: Any) -> bool:
    return hasattr(algorithm, "privacy_mistake")


def experiment_of(theorem: Theorem, module: str) -> type[Experiment]:
    """The class that stands for a theorem."""
    slug = module.rpartition(".")[2]
    return type(
        "TheoremExperiment",
        (TheoremExperiment,),
        {
            "__module__": module,
            "slug": slug,
            "title": theorem.title,
            "settles": tuple(theorem.settles),
            "rows": tuple(CheckRow(slug, check) for check in theorem.checks),
            "extra": theorem.extra,
            "theorem": theorem,
            "__doc__": theorem.title,
        },
    )
