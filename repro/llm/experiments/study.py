"""One model on one set of pairs, ready for many releases of their labels.

Fine-tuning, its log-probabilities and the judge do not depend on private labels, so they are
made once, when first asked for; each seed then privatises the labels anew and trains from them.
"""

from __future__ import annotations

import gc
import logging
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.base.device import cache_in_use, device_in_use
from repro.core.fingerprint import fingerprint
from repro.llm.experiments.judges import ChatJudge, HeldOutJudge, Judge, planted_judge
from repro.llm.experiments.procedures import MODEL_KEY, DataChoice, Procedure
from repro.llm.experiments.splits import Splits, load_splits, with_digest
from repro.llm.experiments.supervised import Variant, fine_tuned, supervised_rows
from repro.llm.training.backbone import Backbone, load_backbone, read_config
from repro.llm.training.direct_preference import Reference
from repro.llm.training.encoding import EncodedPairs, encode_pairs
from repro.llm.training.log_prob import pair_log_prob
from repro.llm.training.pairs import TextPairs
from repro.llm.training.responses import draw_responses
from repro.llm.training.settings import ModelChoice
from repro.llm.training.trainers import TrainingRun

SCORING_BATCH = 256
log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pipeline:
    """What is done to a model, before any label is privatised.

    Attributes:
        model: which model.
        data: which pairs.
        procedure: how it is trained.
        variant: which responses fine-tuning sees.

    Raises:
        BadInput: pairs or a model that cannot be read.
    """

    model: ModelChoice
    data: DataChoice
    procedure: Procedure
    variant: Variant

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", with_digest(self.data))
        _refuse_unreadable(self.model)  # type: ignore[arg-type]

    @property
    def study(self) -> Study:
        """The pipeline at work, once a process: worlds that differ in other fields share it."""
        own = (getattr(self, field.name) for field in fields(Pipeline))
        return _at_work(*own, device_in_use(), cache_in_use().parent / "llm")


@lru_cache(maxsize=8)
def _refuse_unreadable(model: ModelChoice) -> None:
    """Once for all worlds: a hub is asked over the network."""
    if model.path is not None:
        read_config(model, MODEL_KEY)


@dataclass(frozen=True, eq=False, kw_only=True)
class Study(Pipeline):
    """What all seeds share.

    Attributes:
        device: where.
        folder: for checkpoints and what seeds have reached; None keeps nothing.
    """

    procedure: Any
    device: str
    folder: Path | None = field(default=None, compare=False)

    @cached_property
    def splits(self) -> Splits:
        """Pairs to train on, held out, and of the judge."""
        return load_splits(self.data)

    @cached_property
    def identity(self) -> str:
        """A hash of all of this but the folder."""
        return fingerprint(self)

    @cached_property
    def backbone(self) -> Backbone:
        """The model before fine-tuning, and the tokenizer."""
        return load_backbone(self.model, self.splits.train.texts, self.device, MODEL_KEY)

    @cached_property
    def reference(self) -> Reference:
        """The fine-tuned policy on the pairs to train on; goes on from its checkpoints."""
        base, model = self.backbone, self.model
        pairs = self._encoded(self.splits.train)
        rows = supervised_rows(pairs, self.splits.train.labels, self.variant)
        place = self.folder and self.folder / f"sft-{self.identity}"
        run = TrainingRun(self.procedure.sft, model.seed, self.device, model.precision, place)
        tuned = fine_tuned(base.model, base.tokenizer, rows, run)
        # accelerate collects garbage after every training: what is there by now is none
        gc.collect()
        gc.freeze()
        how = self.scoring_batch, self.device, model.precision, model.lora_rank
        return Reference.of(tuned, base.tokenizer, pairs, *how)

    @property
    def scoring_batch(self) -> int:
        """Sequences that are scored at once."""
        return min(SCORING_BATCH, 8 * self.procedure.preference.batch_size)

    @cached_property
    def held_out(self) -> EncodedPairs:
        """Encoded pairs to evaluate on."""
        return self._encoded(self.splits.held_out)

    def _encoded(self, pairs: TextPairs) -> EncodedPairs:
        """Pairs as tokens; what is lost is counted, as nobody can mend a set of the hub."""
        encoded = encode_pairs(self.backbone.tokenizer, pairs, self.data)
        if encoded.equal:
            log.warning(
                "%d of %d responses are cut to %d tokens; in %d of %d pairs both are equal then",
                encoded.cut, 2 * len(pairs), self.data.max_response_tokens, len(encoded.equal),
                len(pairs),
            )  # fmt: skip
        return encoded

    @cached_property
    def held_log_prob(self) -> tuple[Tensor, Tensor]:
        """(n,) and (n,) log-probabilities of the reference there."""
        return self._log_prob(self.reference.model)

    @cached_property
    def judge(self) -> Judge:
        """Of responses."""
        if (chat := self.procedure.judge) is not None:
            return ChatJudge(**dict(chat))
        pairs = self.splits.judge
        return planted_judge if pairs is None else HeldOutJudge.of(pairs)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The held-out prompts that are answered for the judge."""
        return self.splits.held_out.prompts[: self.procedure.sampling.prompts]

    def respond(self, policy: Any, seed: int, count: int = 1) -> list[list[str]]:
        """Responses of a policy to the held-out prompts."""
        how = self.procedure.sampling, self.data, seed, self.device, count
        return draw_responses(policy, self.backbone.tokenizer, self.prompts, *how)

    def log_ratios(self, policy: Any) -> tuple[Tensor, Tensor]:
        """(n,) and (n,) log π/π_ref of the held-out responses."""
        first, second = self._log_prob(policy)
        return first - self.held_log_prob[0], second - self.held_log_prob[1]

    def longer_accuracy(self) -> float:
        """Ranking accuracy of longer-is-better on the held-out pairs."""
        held = self.splits.held_out
        gap = [len(a) - len(b) for a, b in zip(held.first, held.second, strict=True)]
        return ranking_accuracy(np.array(gap), held.labels)

    def length_accuracy(self) -> float:
        """The larger of the accuracies of longer-is-better and shorter-is-better there: ½ or more,
        so that whoever ranks better than length also ranks better than a coin.
        """
        longer = self.longer_accuracy()
        return max(longer, 1 - longer)

    def validation_loss(self, model: Any = None) -> float:
        """Mean −log π of a token of the held-out responses, in nats; of the reference by default.

        The number to compare models by: a model that knows nothing has the log of its vocabulary.
        """
        log_probs = self.held_log_prob if model is None else self._log_prob(model)
        tokens = self.held_out.first.response.sum() + self.held_out.second.response.sum()
        return -float(sum(x.double().sum() for x in log_probs) / tokens)

    def _log_prob(self, model: Any) -> tuple[Tensor, Tensor]:
        return pair_log_prob(model, self.held_out, self.scoring_batch, self.device)


@lru_cache(maxsize=1)
def _at_work(model, data, procedure, variant, device: str, folder: Path) -> Study:
    """One alone is kept: a model may fill a device."""
    return Study(
        model=model, data=data, procedure=procedure, variant=variant, device=device, folder=folder
    )


def ranking_accuracy(score: np.ndarray | Tensor, labels: Tensor) -> float:
    """Share of labels (n,) that the signs of scores (n,) get right; a score of 0 counts ½."""
    signs = torch.as_tensor(score, dtype=torch.float64).sign()
    return float((0.5 + 0.5 * signs * labels).mean())
