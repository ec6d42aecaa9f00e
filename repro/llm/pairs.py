"""Preference pairs for language models: texts in an order free of labels, and the labels.

Sources are those of ``repro.preferences.pair_files``, or the generated financial decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import torch
from torch import Tensor

from repro.base.errors import BadInput
from repro.base.files import expanded
from repro.llm.extra import quiet_hub
from repro.llm.settings import DataChoice
from repro.preferences.financial_pairs import financial_pairs
from repro.preferences.pair_files import read_pairs
from repro.preferences.pair_records import PreferencePair
from repro.release.comparison import unlabelled

KEY = "theorem.data.path"


@dataclass(frozen=True)
class TextPairs:
    """n comparisons, the two responses in order of their code points.

    Attributes:
        prompts, first, second: (n,) texts; they say nothing of the label.
        labels: (n,) +1 where the first response was chosen, else −1; never shown.
    """

    prompts: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    labels: Tensor = field(repr=False)

    def __len__(self) -> int:
        return len(self.prompts)

    @classmethod
    def of(cls, pairs: Sequence[PreferencePair]) -> TextPairs:
        """From chosen and rejected."""
        rows = [unlabelled((p.prompt, p.chosen, p.rejected)) for p in pairs]
        prompts, first, second, which = zip(*rows, strict=True)
        labels = torch.tensor([1.0 - 2.0 * w for w in which], dtype=torch.float64)
        return cls(prompts, first, second, labels)

    @property
    def texts(self) -> list[str]:
        """All of them, prompts first."""
        return [*self.prompts, *self.first, *self.second]

    def part(self, start: int, stop: int) -> TextPairs:
        """Comparisons start to stop − 1."""
        cut = slice(start, stop)
        return TextPairs(self.prompts[cut], self.first[cut], self.second[cut], self.labels[cut])


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
