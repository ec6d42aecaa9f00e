"""What small functions of all rooms answer at the edges of what they take, and how they refuse.

Each line is an expression; the record holds its value, to six digits, or its refusal.  Where a
bound is a number, the number itself and both neighbours are tried.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import torch

from repro.commands.process.command import status_of
from repro.core.claims import Frequency, Inequality, Ratio, Slope
from repro.core.results import Outcome, Series

MODULES = """
base.axis_domains base.device base.errors base.files base.notation base.words
labels.corruption.budget labels.corruption.debiasing labels.corruption.label_mean
labels.corruption.orders labels.preferences.financial_pairs labels.preferences.label_law
labels.preferences.label_mixture labels.preferences.layouts labels.preferences.two_rewards
labels.privacy.audit labels.privacy.black_box labels.privacy.channels labels.privacy.clopper_pearson
labels.privacy.exact_normal labels.privacy.exact_response labels.privacy.gaussian
labels.privacy.mechanism llm.experiments.contrasts llm.experiments.judges
llm.experiments.pessimism llm.training.losses llm.training.objectives
core.claims core.judge core.rates core.stages core.verdicts study.chosen study.power study.slack
commands.process.command commands.process.listing commands.process.outcome
commands.process.table release.annotators release.groups release.labels release.manifest
"""


def below(x: float) -> float:
    return math.nextafter(x, -math.inf)


def above(x: float) -> float:
    return math.nextafter(x, math.inf)


def fails(problem: BaseException) -> Any:
    """A command that ends so, and its status."""

    def main(words: list[str]) -> int:
        raise problem

    return status_of(main, [])


def T(*values: Any) -> torch.Tensor:  # noqa: N802 - short in the table
    return torch.tensor(values, dtype=torch.float64)


def names() -> dict[str, Any]:
    """What expressions may use: the modules by their last names, and a few short words."""
    own = {name.rpartition(".")[2]: f"repro.{name}" for name in MODULES.split()}
    modules = {name: importlib.import_module(path) for name, path in own.items()}
    words = [
        fails,
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
        return f"{float(value):.6g}"
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
    assert "\n".join(lines) == snapshot
