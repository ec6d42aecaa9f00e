"""What small functions of all rooms answer at the edges of what they take, and how they refuse.

Each line is an expression; the record holds its value, to six digits, or its refusal.  Where a
bound is a number, the number itself and both neighbours are tried.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import torch

from repro.commands.process.command import status_of
from repro.core.claims import (
    DeclaredCheck,
    Direction,
    Frequency,
    FrequencyCheck,
    Inequality,
    InequalityCheck,
    Ratio,
    RatioCheck,
    Slope,
    SlopeCheck,
)
from repro.core.judge import judge
from repro.core.results import CheckResult, Outcome, Series
from repro.core.witness import witness_of
from repro.study.experiment import Budget
from repro.study.power import planned
from tests.near_numbers import NearNumbers

MODULES = """
base.axis_domains base.device base.errors base.files base.notation base.places base.schema
base.tails base.text_form base.words catalogue.entries catalogue.papers catalogue.standing
commands.accuracy commands.plan commands.private_reward commands.process.command
commands.process.listing
commands.process.outcome commands.process.table core.claims core.judge core.rates core.stages
core.verdicts labels.corruption.budget labels.corruption.debiasing labels.corruption.label_mean
labels.corruption.orders labels.preferences.chat labels.preferences.conversation
labels.preferences.financial_pairs labels.preferences.label_law labels.preferences.label_mixture
labels.preferences.layouts labels.preferences.tables labels.preferences.two_rewards
labels.privacy.audit labels.privacy.black_box labels.privacy.channels
labels.privacy.clopper_pearson labels.privacy.exact_normal labels.privacy.exact_response
labels.privacy.gaussian labels.privacy.mechanism llm.experiments.contrasts llm.experiments.judges
llm.experiments.pessimism llm.training.losses llm.training.objectives release.annotators
release.canonical release.coins release.groups release.labels release.manifest release.privatise
release.records report.panels report.results_page report.run_files report.secret_address
report.window report.wording study.chosen study.composition study.idle_values study.messages
study.power study.settings study.slack worlds.instances.choices
"""


NOISE = 1e-13
"""What is smaller is what rounding leaves."""


def below(x: float) -> float:
    return math.nextafter(x, -math.inf)


def above(x: float) -> float:
    return math.nextafter(x, math.inf)


def fails(problem: BaseException) -> Any:
    """A command that ends so, and its status."""

    def main(words: list[str]) -> int:
        raise problem

    return status_of(main, [])


def tried(call: Callable[..., Any], *items: Any) -> list[Any]:
    """What a call answers to each item, or how it refuses it."""
    answers = []
    for item in items:
        try:
            answers.append(call(item))
        except (ValueError, TypeError) as problem:
            answers.append(f"{type(problem).__name__}: {problem}")
    return answers


def T(*values: Any) -> torch.Tensor:  # noqa: N802 - short in the table
    return torch.tensor(values, dtype=torch.float64)


def names() -> dict[str, Any]:
    """What expressions may use: the modules by their last names, and a few short words."""
    own = {name.rpartition(".")[2]: f"repro.{name}" for name in MODULES.split()}
    modules = {name: importlib.import_module(path) for name, path in own.items()}
    words = [
        fails,
        tried,
        status_of,
        Decimal,
        Path,
        Slope,
        Ratio,
        Inequality,
        Frequency,
        below,
        above,
        T,
        np,
        torch,
        math,
    ]
    return modules | {getattr(word, "__name__", ""): word for word in words} | {
        "np": np, "inf": math.inf, "nan": math.nan, "Series": Series, "Outcome": Outcome,
    }  # fmt: skip


def shown(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}" if not abs(value) < NOISE else "0"
    if isinstance(value, torch.Tensor | np.ndarray):
        return shown(value.tolist())
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {shown(item)}' for key, item in value.items())}}}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (f"{f.name}={shown(getattr(value, f.name))}" for f in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Path):
        return f"({', '.join(map(shown, value))})"
    return repr(value)


EXPRESSIONS = Path(__file__).with_name("edges.txt")


def answer(expression: str, known: dict[str, Any]) -> str:
    try:
        return shown(eval(expression, dict(known)))
    except (ValueError, TypeError) as problem:
        return f"{type(problem).__name__}: {problem}"


def test_what_is_answered_and_refused_at_the_edges(tmp_path, capsys, snapshot):
    (tmp_path / "nine").write_text("123456789")
    (tmp_path / "latin").write_bytes(b"\xff")
    known = names() | {"here": str(tmp_path)}
    lines = [
        f"{expression}\n  {answer(expression, known)}".replace(str(tmp_path), "FOLDER")
        for expression in EXPRESSIONS.read_text("utf-8").splitlines()
    ]
    lines.append(capsys.readouterr().err)
    assert "\n".join(lines) == snapshot.use_extension(NearNumbers)


GRID = (1.0, 4.0, 16.0, 64.0)
COMMON: dict[str, Any] = {"name": "row", "grid": GRID, "quantity": "gap", "method": "right"}


def spread(means: Iterable[float]) -> Series:
    """(4, 6, 5) values around means, by plain arithmetic, of unequal spread along the grid."""
    k = np.arange(30).reshape(6, 5)
    noise = 1 + 0.02 * np.stack([(i + 1) * ((k * (7 + 2 * i)) % 11 - 5) / 5 for i in range(4)])
    return Series(np.array(GRID), np.array(list(means))[:, None, None] * noise)


def kinds() -> dict[str, DeclaredCheck]:
    ways: tuple[Direction, ...] = ("two_sided", "at_most", "at_least")
    slopes = {
        f"slope {axis} {way}": SlopeCheck(
            **COMMON, axis=axis, claimed=0.5 if axis == "n_pairs" else 0.02, direction=way
        )
        for axis in ("n_pairs", "reward_bound")
        for way in ways
    }
    ratios = {
        f"ratio {way}": RatioCheck(
            **COMMON, axis="n_pairs", claimed=1.5, tolerance=0.1, direction=way
        )
        for way in ways
    }
    return slopes | ratios | {
        "inequality": InequalityCheck(**COMMON, axis="n_pairs", evidence="measured"),
        "exact inequality": InequalityCheck(**COMMON, axis="n_pairs", evidence="exact"),
        "frequency": FrequencyCheck(**COMMON, axis="n_pairs", allowed=0.2),
    }  # fmt: skip


def series() -> dict[str, Series]:
    k = np.arange(120).reshape(4, 6, 5)
    often = np.array([0, 1, 2, 4])[:, None, None]
    happened = Series(np.array(GRID), (k * 7 % 10 < often) + 0.0)
    lost = spread([1.5] * 4)
    lost.values[2, 3, 1] = np.nan
    return {
        "root": spread(3 * np.sqrt(GRID)),
        "steep": spread(3 * np.array(GRID) ** 0.7),
        "bent": spread([1, 2.1, 4.2, 7.0]),
        "exponential": spread(np.exp(0.02 * np.array(GRID))),
        "level": spread([1.5] * 4),
        "one point off": spread([1.5, 1.5, 1.85, 1.5]),
        "one lost": lost,
        "below one": Series(np.array(GRID), 0.2 + k / 200),
        "constant": Series(np.array(GRID), np.full((4, 6, 5), 0.8)),
        "events": happened,
        "events, some lost": Series(np.array(GRID), np.where(k % 7 == 5, np.nan, happened.values)),
    }


def test_what_is_judged_of_every_kind_of_check(snapshot):
    """Verdict, all numbers, where it fails and how many replicates it needs, on fixed series."""
    budgets = [
        Budget(name=name, replicates=100 * n, blocks=20, check_error=error)
        for name, n, error in (("smoke", 4, 1e-3), ("laptop", 20, 1e-4), ("paper", 100, 1e-5))
    ]
    lines = []
    for kind, check in kinds().items():
        for name, measured in series().items():
            if (kind == "frequency") != name.startswith("events"):
                continue
            outcome = judge(check, "right", measured, 0.001)
            contradicted = Outcome("right", "contradicted", outcome.numbers, measured)
            where = "nothing" if "reason" in outcome.numbers else witness_of(check, contradicted)
            lines += [
                f"== {kind}, {name}: {outcome.verdict} {shown(dict(outcome.numbers))}",
                f"  at {shown(where)}; fit {shown(outcome.fit)}",
            ]
            for verdict in ("supported", "contradicted"):
                pinned = dataclasses.replace(check, expected=verdict)
                plan = [
                    planned(CheckResult(pinned, outcome, ()), budgets[0], [at]) for at in budgets
                ]
                lines.append(f"  {verdict} needs {', '.join(f'{x:.4g}' for x in plan)}")
    assert "\n".join(lines) == snapshot.use_extension(NearNumbers)
