"""TRL's DPOTrainer with any objective of the papers: PrivχPO, SquareχPO, rDPO under P4's name.

For users who train with TRL already; the experiments here use ``repro.llm.gradient_steps``.  The
data set has prompt, chosen and rejected, sorted by the *released* label, so that every label is +1:
turning a pair round is the same as turning its label.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from repro.llm.chipo_losses import Objective
from repro.llm.extra import library


def preference_trainer(objective: Objective) -> type:
    """A subclass of ``trl.DPOTrainer`` that minimises an objective; built for TRL 1.16.

    Its ``beta``, ``loss_type`` and ``label_smoothing`` are without effect: KL weight, R_max and ε
    are the objective's.

    Raises:
        repro.base.errors.BadInput: TRL is not installed.
    """

    class PreferenceTrainer(library("trl").DPOTrainer):
        """DPOTrainer with another loss."""

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch=None
        ) -> Any:
            """Mean loss of a batch of pairs, the chosen ones first."""
            chosen, rejected = _log_prob(model, inputs).chunk(2)
            if self.precompute_ref_logps:
                base = inputs["ref_chosen_logps"], inputs["ref_rejected_logps"]
            else:
                base = self.compute_ref_log_probs(self.ref_model or self.model, inputs)
            gap = objective.difference(chosen - base[0], rejected - base[1])
            loss = objective.loss(gap, torch.ones_like(gap)).mean()
            return (loss, {}) if return_outputs else loss

    return PreferenceTrainer


def _log_prob(model: Any, inputs: Any) -> Tensor:
    """(2n,) log-probabilities of the responses, as TRL works them out."""
    response = inputs["completion_mask"]
    found = model(
        input_ids=inputs["input_ids"],
        attention_mask=inputs["attention_mask"],
        labels=inputs["input_ids"].masked_fill(response == 0, -100),
        use_cache=False,
        fused_lm_head=True,
    ).log_probs
    return found[:, -(response.shape[1] - 1) :].sum(1)
