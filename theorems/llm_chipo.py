"""P2 Algorithms 1 and 3 on a language model: PrivχPO and SquareχPO.

P2 (Improved bounds for private and robust alignment) has no experiment on language models and no
library has these trainers; here are both, in the pipeline of llm_rdpo: a fine-tuned model, labels
behind randomized response, one policy for each objective, a judge with a planted reward.

`win_rate_private`, `win_rate_square`, `ranking_private` and `ranking_square` ask whether they work
at all.  Beside them stand three facts that hold for any model at the first, small, plain gradient
steps from π_ref, where u = 1 and Δ = 0, and are exact there:

    `linear_term`    φ'(1)·1 = 2: without privacy χPO starts out twice as fast as DPO
    `first_private`  the derivative of the mixture loss is that of the log loss over c(ε), and a
                     private label has a mean over c(ε): the margin is that of clean labels over c²
    `first_square`   the derivative of the square loss is c(ε)·z: the margin is that of clean labels

So with the same step size PrivχPO, a maximum likelihood, needs about c² times the steps to come as
far, where SquareχPO's steps are unbiased and noisier.  Neither is an error of the paper, whose
algorithms are minimisers; it is what a trainer should know before it copies a learning rate.

Wrong versions take private labels as clean (``…_no_debias``) or read every label as its opposite.
Intervals as in llm_rdpo.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.base.schema import Positive
from repro.llm.chipo_losses import objective
from repro.llm.cost import cost, in_words
from repro.llm.release_study import Seed
from repro.llm.settings import ChipoProcedure
from repro.llm.sweep import ReleaseSweep, ReleaseSweepConfig
from repro.study.checks import Check
from repro.study.legacy import Row

FLIPPED = "label_flipped"
LONGER = "longer_is_better"
POLICIES = {"linear_term": 2, "first_private": 4, "first_square": 4}
"""Policies trained for one seed at one ε, where they are not 2."""


class LlmChipoConfig(ReleaseSweepConfig):
    """Numbers of the experiment; conf/theorem/llm_chipo.yaml gives them."""

    small_steps: Positive
    procedure: ChipoProcedure


class LlmChipo(ReleaseSweep):
    """χPO with the mixture likelihood and with the square loss."""

    slug = "llm_chipo"
    title = "P2 Algorithms 1 and 3 on language models"
    statements = ("own.chipo_of_language_models",)
    config_type = LlmChipoConfig
    config: LlmChipoConfig

    rows = (
        Row("win_rate_private", "epsilon", "pairs", "private", (FLIPPED, LONGER),
            "win rate against SFT", "PrivχPO beats SFT"),
        Row("win_rate_square", "epsilon", "pairs", "square", (FLIPPED, LONGER),
            "win rate against SFT", "SquareχPO beats SFT"),
        Row("ranking_private", "epsilon", "pairs", "private", (FLIPPED, LONGER),
            "implicit ranking accuracy − that of longer-is-better",
            "PrivχPO ranks held-out pairs better than length does"),
        Row("ranking_square", "epsilon", "pairs", "square", (FLIPPED, LONGER),
            "implicit ranking accuracy − that of longer-is-better",
            "SquareχPO ranks held-out pairs better than length does"),
        Row("linear_term", "epsilon", "pairs", "private", ("dpo",),
            "margin / margin of DPO", "φ' = 2: χPO starts twice as fast as DPO"),
        Row("first_private", "epsilon", "pairs", "private", ("private_no_debias", FLIPPED),
            "c(ε)²·margin / margin of clean labels", "PrivχPO starts 1/c² as fast"),
        Row("first_square", "epsilon", "pairs", "square", ("square_no_debias", FLIPPED),
            "margin / margin of clean labels", "SquareχPO starts as fast as on clean labels"),
    )  # fmt: skip

    def one_seed(self, check: Check, epsilon: float, rng: np.random.Generator) -> dict[str, float]:
        kind = check.name.split("_")[0]
        measured = {"win": self._win_rate, "ranking": self._ranking, "first": self._first_steps}
        return measured.get(kind, self._linear_term)(check, epsilon, rng)

    def _policy(self, seed: Seed, method: str, check: Check, epsilon: float, labels: torch.Tensor):
        """Of a method on labels; a flipped one has the objective of the row's method."""
        name = check.method if method == FLIPPED else method
        one = objective(name, self.config.procedure, epsilon)
        signed = -labels if method == FLIPPED else labels
        return seed.trained(name, one.difference, one.loss, epsilon, signed)

    def _win_rate(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels = self.released(rng, epsilon)
        seed = Seed.of(self.study, rng, self.folder)
        ours = {
            m: seed.responses(self._policy(seed, m, check, epsilon, labels))
            for m in (check.method, FLIPPED)
        }
        return {m: seed.win_rate(texts) for m, texts in (ours | {LONGER: seed.longest()}).items()}

    def _ranking(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels = self.released(rng, epsilon)
        seed = Seed.of(self.study, rng, self.folder)
        longer = self.study.longer_accuracy()
        found = {
            m: seed.accuracy(self._policy(seed, m, check, epsilon, labels)) - longer
            for m in (check.method, FLIPPED)
        }
        return found | {LONGER: longer - longer}

    def _linear_term(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        clean, infinite = self.splits.train.labels, float("inf")
        seed = Seed.of(self.study, rng, self.folder, self._small())
        margin = {
            m: seed.margin(self._policy(seed, m, check, infinite, clean)) for m in check.methods
        }
        return {m: value / margin["dpo"] for m, value in margin.items()}

    def _first_steps(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels, clean = self.released(rng, epsilon), self.splits.train.labels
        seed = Seed.of(self.study, rng, self.folder, self._small())
        scale = privacy_cost(epsilon) ** 2 if check.method == "private" else 1.0
        against = seed.margin(self._policy(seed, check.method, check, float("inf"), clean))
        return {
            m: scale * seed.margin(self._policy(seed, m, check, epsilon, labels)) / against
            for m in check.methods
        }

    def _small(self):
        """Plain steps so small that the policy stays near the reference."""
        return self.config.procedure.preference.model_copy(
            update={
                "optimizer": "sgd", "learning_rate": self.config.small_steps, "max_grad_norm": None,
            }
        )  # fmt: skip

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """Memory and GPU-hours of all checks."""
        points = {c.name: replicates.get(c.name, 0) * len(c.grid) for c in self.checks()}
        policies = sum(POLICIES.get(name, 2) * count for name, count in points.items())
        one = self.config
        found = cost(one.model, one.data, one.procedure, policies, 8 * sum(points.values()))
        return in_words(found, one.model, policies)
