"""A run as it is printed: the content of ``verdict.json`` and what is shown of its config."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.base.errors import one_line
from repro.core.claims import DeclaredCheck
from repro.core.results import CheckResult, Outcome, Result
from repro.report.run_files import ConfigFile, VerdictContent
from repro.report.wording import brief_verdict, part_words


def plain(value: Any) -> Any:
    """``value`` in builtin dicts, lists, strings and numbers; what is unknown as its ``str``.

    >>> plain({"epsilon": np.float64(0.5), "grid": (1, 2)})
    {'epsilon': 0.5, 'grid': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if value is None or type(value) in (bool, int, float, str):
        return value
    for base in (bool, int, float, str):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, AbstractSet):
        return sorted(plain(item) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(item) for item in value]
    return str(value)


def jsonable(value: Any) -> Any:
    """``plain`` without the floats JSON lacks: NaN as null, infinities as "inf" and "-inf".

    >>> jsonable([math.nan, math.inf, -math.inf, 1.0])
    [None, 'inf', '-inf', 1.0]
    """
    value = plain(value)
    if isinstance(value, dict):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def flatten(value: Any, prefix: str = "") -> dict[str, str]:
    """Nested mappings as dotted keys, every leaf as a string.

    >>> flatten({"check": {"grid": [1, 2], "epsilon": 0.5}, "seed": 0})
    {'check.grid': '[1, 2]', 'check.epsilon': '0.5', 'seed': '0'}
    """
    if not isinstance(value, Mapping):
        return {prefix: str(plain(value))}
    flat: dict[str, str] = {}
    for key, item in value.items():
        flat |= flatten(item, f"{prefix}.{key}" if prefix else str(key))
    return flat


PLAIN = "linear"
"""The instance that is not worth a word."""
NOT_PRIVATE = "not private: the numbers follow the labels of instance.path; do not publish them"
GROUPS = ("channel", "regulariser", "reward_class")
"""Groups of a config that a run has only where they differ from the usual ones."""
OVERRIDES = ("epsilon", "n_pairs", "horizon", "kl_weight")
"""Keys at the top of a config that stand in for the numbers of every check."""
CLAIMED = ("claimed", "tolerance", "direction", "allowed", "claimed_epsilon", "dp_delta")
"""What a check declares, and its numbers repeat where something was measured."""


@dataclass(frozen=True)
class RunRecord:
    """One run.

    Attributes:
        verdict: content of ``verdict.json``.
        config: what of ``config.yaml`` is shown.
    """

    verdict: VerdictContent
    config: ConfigFile

    @property
    def slug(self) -> str:
        """Name of the experiment."""
        return self.verdict.theorem

    @property
    def part(self) -> str:
        """Such as ``1 of 22 checks`` where not all were run, which settles no statement."""
        return part_words(self.verdict.rows)

    @property
    def said(self) -> str:
        """Its verdict in words; of a part of the checks only how many they are."""
        return self.part or brief_verdict(self.verdict)

    @property
    def instance(self) -> str:
        """Kind of the instance, ``linear`` where the config does not say."""
        return self.config.instance.kind if self.config.instance else PLAIN

    @property
    def not_private(self) -> str:
        """What a run on text pairs of a user has to say; empty of any other."""
        return NOT_PRIVATE if self.config.instance and self.config.instance.path else ""

    @property
    def key(self) -> str:
        """Id of its section: one per experiment and kind of instance."""
        return self.slug if self.instance == PLAIN else f"{self.slug}-{self.instance}"

    @property
    def overrides(self) -> dict[str, object]:
        """Keys at the top that were given, ``only``, and what was changed by its path."""
        given = {name: getattr(self.config, name) for name in (*OVERRIDES, "only")}
        there = {name: value for name, value in given.items() if value is not None}
        return there | self.config.changed

    @property
    def other_settings(self) -> list[str]:
        """Keys that were given, ``only`` apart, and groups: the recorded verdicts are without."""
        return [name for name in (*self.overrides, *self.groups) if name != "only"]

    @property
    def other_settings_words(self) -> str:
        """The same, with what follows; empty of a run at the recorded settings."""
        words = ", ".join(self.other_settings)
        return f"not at the recorded settings ({words}): it decides no finding" if words else ""

    @property
    def changed(self) -> list[str]:
        """The numbers and stages that were changed by their path, as one types them."""
        return changed_words(self.config.changed)

    @property
    def groups(self) -> dict[str, dict[str, Any]]:
        """What was chosen as channel, divergence and class of rewards, but the usual ones."""
        by_name = {name: getattr(self.config, name) for name in GROUPS}
        return {name: values for name, values in by_name.items() if values}

    @property
    def command(self) -> str:
        """The command that runs it again."""
        words = [f"theorem={self.slug}", f"budget={self.verdict.budget}"]
        words += [f"instance={self.instance}"] if self.instance != PLAIN else []
        for name, values in self.groups.items():
            words += [
                f"{name}={value}" if key == "kind" else f"{name}.{key}={_as_typed(value)}"
                for key, value in values.items()
                if (key, value) != ("kind", "mixture")  # that of the usual channel
            ]
        words += [f"seed={self.verdict.seed}"] if self.verdict.seed else []
        for key, value in self.overrides.items():
            words.append(f"{key}={_as_typed(value)}")
        return one_line(shlex.join(["python", "-m", "repro", *words]))

    def command_of(self, check: str) -> str:
        """The command that runs one of its checks again, at the same numbers."""
        return replace(self, config=self.config.model_copy(update={"only": check})).command


def record_of(result: Result) -> RunRecord:
    """The record of a run that has just finished: no file is read.

    A check without a number is shown with the claim that it declares, which ``verdict.json`` has
    in words only.
    """
    content = verdict_content(result)
    declared = [jsonable(_declared(item.check)) for item in result.checks]
    content["checks"] = [
        claim | entry for claim, entry in zip(declared, content["checks"], strict=True)
    ]
    config = ConfigFile.model_validate(plain(result.config))
    return RunRecord(VerdictContent.model_validate(content), config)


def verdict_content(result: Result) -> dict[str, Any]:
    """``verdict.json`` without its seal, strict JSON: NaN is null, infinities are strings."""
    run_checks, defined = result.checks_run
    return jsonable(
        {
            "theorem": result.theorem,
            "statements": result.statements,
            "verdict": result.verdict,
            "expected": result.expected,
            "complete": run_checks == defined,
            "rows": [run_checks, defined],
            "checks": [_check_entry(item, result.config) for item in result.checks],
            "controls": [
                _control_entry(item.check, control)
                for item in result.checks
                for control in item.controls
            ],
            "assumptions": [
                {"name": assumption.name, "holds": assumption.holds, "detail": assumption.detail}
                for assumption in result.assumptions
            ],
            "seed": result.seed,
            "replicates": result.replicates,
            "budget": result.budget,
            "config_hash": result.config_hash,
            **({"changed": changed} if (changed := result.config.get("changed")) else {}),
        }
    )


def changed_words(changed: Mapping[str, object], below: str = "") -> list[str]:
    """Numbers by their path, as one types them.

    >>> changed = {"theorem.sweeps.a.grid": [1e5, 1e6], "instance.seed": 2}
    >>> changed_words(changed), changed_words(changed, "theorem.sweeps.a.")
    (['theorem.sweeps.a.grid=[100000,1e+06]', 'instance.seed=2'], ['grid=[100000,1e+06]'])
    """
    return [
        f"{path.removeprefix(below)}={_as_typed(value)}"
        for path, value in changed.items()
        if path.startswith(below)
    ]


def _as_typed(value: object) -> str:
    """A value as Hydra reads it.

    >>> _as_typed(["n_pairs", "coverage"]), _as_typed([[1, 2], [1, 1.5]])
    ('[n_pairs,coverage]', '[[1,2],[1,1.5]]')
    >>> _as_typed(10**13), _as_typed(10**13 + 1)
    ('1e+13', '10000000000001')
    """
    if isinstance(value, list):
        return f"[{','.join(map(_as_typed, value))}]"
    short = f"{value:g}" if type(value) in (int, float) else ""
    return short if short and float(short) == value else str(value)


def _declared(check: DeclaredCheck) -> dict[str, object]:
    return {name: getattr(check, name) for name in CLAIMED if hasattr(check, name)}


def _check_entry(item: CheckResult, config: Mapping[str, Any]) -> dict[str, Any]:
    """One check and the outcome of the method under test.

    The claim of a check whose sweep was changed for this run says so.
    """
    check = item.check
    own = changed_words(config.get("changed", {}), f"theorem.sweeps.{check.name}.")
    here = f"run with {', '.join(own)}" if own else ""
    nowhere = item.outcome.series.not_a_number_at
    return {
        "name": check.name,
        "kind": getattr(check, "kind", "check"),
        "quantity": check.quantity,
        "axis": check.axis,
        "claim": "; ".join(filter(None, (check.claim, here))),
        "statements": item.statements,
        **({"substitute": check.substitute} if check.substitute else {}),
        "evidence": check.evidence,
        "needs": check.needs,
        "settings": {
            name: value for name, value in check.settings.items() if value not in (None, "")
        },
        "grid": check.grid,
        "replicates": item.outcome.series.at_each_point,
        **item.outcome.numbers,
        "verdict": item.outcome.verdict,
        "expected": check.expected,
        "method": item.outcome.method,
        "failed_replicates": item.outcome.series.failed,
        **({"not_a_number_at": nowhere} if nowhere else {}),
        **({"witness": item.witness} if item.witness else {}),
        **({"why": check.why} if check.why else {}),
        **({"corrected": check.corrected} if check.corrected else {}),
    }


def _control_entry(check: DeclaredCheck, control: Outcome) -> dict[str, Any]:
    """One deliberately wrong method."""
    mistake = check.mistakes.get(control.method)
    return {
        "name": control.method,
        "check": check.name,
        **({"mistake": mistake} if mistake else {}),
        **control.numbers,
        "verdict": control.verdict,
        "failed_replicates": control.series.failed,
    }
