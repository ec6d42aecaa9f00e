"""Pairs of an experiment, split in their order: trained on, held out, and of the judge.

Sources are those of ``repro.preferences.pair_files``, or the generated financial decisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from repro.base.errors import BadInput
from repro.base.files import expanded
from repro.llm.procedures import DataChoice
from repro.preferences.financial_pairs import financial_pairs
from repro.preferences.pair_files import read_pairs
from repro.preferences.pair_records import PreferencePair
from repro.training.extra import quiet_hub
from repro.training.pairs import TextPairs

KEY = "theorem.data.path"


@dataclass(frozen=True)
class Splits:
    """Pairs to train on, pairs to evaluate on, and pairs that the judge alone learns from."""

    train: TextPairs
    held_out: TextPairs
    judge: TextPairs | None


def load_splits(choice: DataChoice) -> Splits:
    """Read or generate the pairs and split them in their order.

    Raises:
        BadInput: a source that cannot be read, a record without a field, or too few pairs.
    """
    sizes = (choice.n_pairs, choice.held_out, 0 if choice.path is None else choice.judge_pairs)
    found = _read(choice, sum(sizes))
    if len(found) < sum(sizes):
        allowed = "allowed: n_pairs + held_out + judge_pairs at most that, here"
        reason = f"{choice.path} has {len(found)} pairs; {allowed} {sum(sizes)}"
        raise BadInput("theorem.data.n_pairs", choice.n_pairs, reason)
    pairs = TextPairs.of(found[: sum(sizes)])
    first, second, third = accumulate(sizes)
    judge = pairs.part(second, third) if third > second else None
    return Splits(pairs.part(0, first), pairs.part(first, second), judge)


def _read(choice: DataChoice, count: int) -> list[PreferencePair]:
    if choice.path is None:
        return financial_pairs(count, choice.seed)
    quiet_hub()
    try:
        return read_pairs(str(expanded(KEY, choice.path)))
    except BadInput as problem:
        raise BadInput(KEY, problem.value, problem.allowed) from None
