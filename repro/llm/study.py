"""One model on one set of pairs, ready for many releases of their labels.

Fine-tuning, its log-probabilities and the judge do not depend on private labels, so they are
made once; each seed then privatises the labels anew and trains policies from them.
"""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.llm.backbone import Backbone, load_backbone
from repro.llm.direct_preference import Reference
from repro.llm.encoding import EncodedPairs, encode_pairs
from repro.llm.judges import HeldOutJudge, Judge, planted_judge
from repro.llm.log_prob import pair_log_prob
from repro.llm.pairs import Splits
from repro.llm.responses import draw_responses
from repro.llm.settings import DataChoice, ModelChoice, Procedure
from repro.llm.supervised import Variant, fine_tuned, supervised_rows
from repro.llm.trainers import Run

SCORING_BATCH = 256


@dataclass(frozen=True)
class Study:
    """What all seeds share.

    Attributes:
        splits: the pairs.
        backbone: the model before fine-tuning, and the tokenizer.
        reference: the fine-tuned policy on the pairs to train on.
        held_out: encoded pairs to evaluate on.
        held_first, held_second: (n,) log-probabilities of the reference there.
        judge: of responses.
    """

    splits: Splits
    backbone: Backbone
    reference: Reference
    held_out: EncodedPairs
    held_first: Tensor
    held_second: Tensor
    judge: Judge
    procedure: Procedure
    data: DataChoice
    device: str

    @classmethod
    def build(
        cls, splits: Splits, model: ModelChoice, data: DataChoice, procedure: Procedure,
        variant: Variant, device: str, folder: Path | None,
    ) -> Study:  # fmt: skip
        """Load, fine-tune and score; with a folder, go on from its checkpoints."""
        texts = [*splits.train.prompts, *splits.train.first, *splits.train.second]
        with tempfile.TemporaryDirectory() as scratch:
            backbone = load_backbone(model, texts, Path(scratch), device)
        pairs = encode_pairs(backbone.tokenizer, splits.train, data)
        rows = supervised_rows(pairs, splits.train.labels, variant)
        seen = run_key(texts, splits.train.labels.tolist() if variant == "as_published" else [])
        name = f"sft-{run_key(model, data, procedure.sft, variant, seen)}"
        place = folder / name if folder else None
        run = Run(procedure.sft, model.seed, device, model.precision, place)
        tuned = fine_tuned(backbone.model, backbone.tokenizer, rows, run)
        batch = min(SCORING_BATCH, 8 * procedure.preference.batch_size)
        reference = Reference.of(
            tuned, backbone.tokenizer, pairs, batch, device, model.precision, model.lora_rank
        )
        held = encode_pairs(backbone.tokenizer, splits.held_out, data)
        first, second = pair_log_prob(tuned, held, batch, device)
        judge = planted_judge if splits.judge is None else HeldOutJudge.of(splits.judge)
        return cls(splits, backbone, reference, held, first, second, judge, procedure, data, device)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The held-out prompts that are answered for the judge."""
        return self.splits.held_out.prompts[: self.procedure.sampling.prompts]

    def respond(self, policy: Any, seed: int, count: int = 1) -> list[list[str]]:
        """Responses of a policy to the held-out prompts."""
        return draw_responses(
            policy, self.backbone.tokenizer, self.prompts, self.procedure.sampling, self.data,
            seed, self.device, count,
        )  # fmt: skip

    def log_ratios(self, policy: Any) -> tuple[Tensor, Tensor]:
        """(n,) and (n,) log π/π_ref of the held-out responses."""
        batch = min(SCORING_BATCH, 8 * self.procedure.preference.batch_size)
        first, second = pair_log_prob(policy, self.held_out, batch, self.device)
        return first - self.held_first, second - self.held_second

    def longer_accuracy(self) -> float:
        """Ranking accuracy of longer-is-better on the held-out pairs."""
        held = self.splits.held_out
        gap = [len(a) - len(b) for a, b in zip(held.first, held.second, strict=True)]
        return ranking_accuracy(np.array(gap), held.labels)


def ranking_accuracy(score: np.ndarray | Tensor, labels: Tensor) -> float:
    """Share of labels (n,) that the signs of scores (n,) get right; a score of 0 counts ½."""
    signs = torch.as_tensor(score, dtype=torch.float64).sign()
    return float((0.5 + 0.5 * signs * labels).mean())


def run_key(*parts: object) -> str:
    """16 hex digits that name a training run by everything it depends on."""
    return hashlib.blake2b("\0".join(map(repr, parts)).encode(), digest_size=8).hexdigest()
