"""Preference pairs for language models: texts in an order free of labels, and the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from repro.labels.preferences.pair_records import PreferencePair


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
        prompts = tuple(pair.prompt for pair in pairs)
        ordered = [sorted((pair.chosen, pair.rejected)) for pair in pairs]
        first, second = zip(*ordered, strict=True)
        signs = [1.0 if pair.chosen <= pair.rejected else -1.0 for pair in pairs]
        return cls(prompts, first, second, torch.tensor(signs, dtype=torch.float64))

    @property
    def texts(self) -> list[str]:
        """All of them, prompts first."""
        return [*self.prompts, *self.first, *self.second]

    def part(self, start: int, stop: int) -> TextPairs:
        """Comparisons start to stop − 1."""
        cut = slice(start, stop)
        return TextPairs(self.prompts[cut], self.first[cut], self.second[cut], self.labels[cut])
