"""Preference pairs for language models: texts in an order free of labels, and the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from repro.preferences.pair_records import PreferencePair
from repro.release.comparison import unlabelled


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
