"""P4 Appendix D, Tables 1 and 2: DPO and rDPO of language models on private, corrupted labels.

P4 (arXiv 2505.15694) fine-tunes GPT2-large on finance_preference (1,697 pairs by GPT-4o, not
published), trains DPO and rDPO on labels behind randomized response and, in Table 2, behind a mask
process of corruption, and has a 70B model judge the answers:

    Table 1   win rate of rDPO above that of DPO at ε = .1 and .5
    Table 2   win rate of rDPO under CTL above that under LTC at α = .1, ε = 1 and .5

Here by default a tiny random GPT-2 on generated pairs (``repro.llm.financial_pairs``, a substitute
with a planted reward), so that the whole of it runs on a CPU; ``theorem/llm_model@theorem.model``,
``llm_data`` and ``llm_procedure`` name real ones (docs/howto/language_models.md).  A replicate is
one seed: labels privatised anew, policies trained, answers judged.  Labels of a simulation come
from the core's seeded channel; real releases are made by ``python -m repro.privatize``.

Differences from the paper, each a setting:

* `variant`: the paper fine-tunes on the chosen responses, that is, on the private labels in the
  clear.  ``repaired`` fine-tunes on both responses; ``as_published`` on the chosen ones.
* the judge is the planted reward, or a reward fitted to pairs of its own, in both orders; the
  trivial longest-of-4 policy stands beside every win rate, as a control.
* plain gradient steps.  At a reward difference of 0 the derivative of rDPO's loss is that of DPO
  times c(ε), whatever the label.  AdamW does not feel the scale of a loss, so that the paper's
  2e2 steps of 1e-6 give DPO and rDPO the same policy to first order: row `same_under_adamw`, an
  own statement.  What Table 1 finds between them under AdamW is not an effect of debiasing at
  first order; with plain steps the effect is there (`table_1`).

Every claim is a difference or rate inside an interval (claimed ± tolerance: [0.01, 0.99] for
"above", [0.53, 0.99] for "beats"), supported only if the whole confidence interval lies inside:
wide ones are inconclusive.
`margin` compares rDPO's mean margin on held-out pairs with that of DPO on the clean labels, which
the unbiased loss has on average; DPO on private labels falls short by c(ε).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from repro.base.schema import Corruption, Positive
from repro.corruption.orders import Order
from repro.llm.cost import cost, in_words
from repro.llm.private_labels import masked_labels
from repro.llm.release_study import Seed
from repro.llm.sweep import ReleaseSweep, ReleaseSweepConfig
from repro.study.checks import Check
from repro.study.legacy import Row

ABOVE = "above by at least .01"
POLICIES = {
    "win_rate": 2, "win_rate_at_equal_length": 2, "table_1": 2, "table_2": 2, "ranking": 2,
    "margin": 4, "same_under_adamw": 4,
}  # fmt: skip
"""Policies trained for one seed at one ε."""
RESPONSES = 8
"""Responses drawn to each prompt for one seed, at most."""


class LlmRdpoConfig(ReleaseSweepConfig):
    """Numbers of the experiment; conf/theorem/llm_rdpo.yaml gives them."""

    corruption: Corruption
    small_steps: Positive


class LlmRdpo(ReleaseSweep):
    """SFT, DPO and rDPO under randomized response, CTL and LTC."""

    slug = "llm_rdpo"
    title = "P4 Tables 1 and 2: DPO and rDPO of language models"
    statements = ("p4.tab_1", "p4.tab_2", "own.same_under_adamw")
    settled_by = {
        "p4.tab_1": ("win_rate", "win_rate_at_equal_length", "table_1", "ranking", "margin"),
        "p4.tab_2": ("table_2",),
        "own.same_under_adamw": ("same_under_adamw",),
    }
    config_type = LlmRdpoConfig
    config: LlmRdpoConfig

    rows = (
        Row("win_rate", "epsilon", "pairs", "rdpo", ("sign_flipped", "longer_is_better"),
            "win rate against SFT", "rDPO beats SFT"),
        Row("win_rate_at_equal_length", "epsilon", "pairs", "rdpo",
            ("sign_flipped", "longer_is_better"),
            "win rate against SFT at equal length", "rDPO beats SFT, not by length"),
        Row("table_1", "epsilon", "pairs", "rdpo", ("dpo", "longer_is_better"),
            "win rate − win rate of DPO", f"Table 1: rDPO's win rate is DPO's or {ABOVE}"),
        Row("table_2", "epsilon", "pairs", "rdpo", ("orders_swapped", "longer_is_better"),
            "win rate under CTL − under LTC", f"Table 2: CTL's win rate is LTC's or {ABOVE}"),
        Row("ranking", "epsilon", "pairs", "rdpo", ("sign_flipped", "longer_is_better"),
            "implicit ranking accuracy − that of longer-is-better",
            "rDPO ranks held-out pairs better than length does"),
        Row("margin", "epsilon", "pairs", "rdpo", ("dpo", "sign_flipped"),
            "margin / margin of DPO on clean labels", "rDPO's margin is that of clean labels"),
        Row("same_under_adamw", "epsilon", "pairs", "adamw", ("sgd",),
            "margin of rDPO / margin of DPO", "small AdamW steps of rDPO are those of DPO"),
    )  # fmt: skip

    def one_seed(self, check: Check, epsilon: float, rng: np.random.Generator) -> dict[str, float]:
        measured = {
            "table_1": self._table_1, "table_2": self._table_2, "ranking": self._ranking,
            "margin": self._margin, "same_under_adamw": self._same_under_adamw,
        }  # fmt: skip
        return measured.get(check.name, self._win_rate)(check, epsilon, rng)

    def _win_rate(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels = self.released(rng, epsilon)
        seed = Seed.of(self.study, rng, self.folder)
        controlled = check.name == "win_rate_at_equal_length"
        ours = {
            m: seed.responses(seed.policy(m, epsilon, labels)) for m in ("rdpo", "sign_flipped")
        }
        ours["longer_is_better"] = seed.longest()
        return {m: seed.win_rate(texts, controlled) for m, texts in ours.items()}

    def _table_1(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels = self.released(rng, epsilon)
        seed = Seed.of(self.study, rng, self.folder)
        won = {
            m: seed.win_rate(seed.responses(seed.policy(m, epsilon, labels)))
            for m in ("rdpo", "dpo")
        }
        won["longer_is_better"] = seed.win_rate(seed.longest())
        return {m: rate - won["dpo"] for m, rate in won.items()}

    def _table_2(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels, share = self.splits.train.labels, self.config.corruption
        released = {
            o: masked_labels(rng, labels, o, epsilon, share) for o in (Order.CTL, Order.LTC)
        }
        seed = Seed.of(self.study, rng, self.folder)
        won = {
            order: seed.win_rate(seed.responses(seed.policy("rdpo", epsilon, some)))
            for order, some in released.items()
        }
        gap = won[Order.CTL] - won[Order.LTC]
        blind = seed.win_rate(seed.longest()) - seed.win_rate(seed.longest())
        return {"rdpo": gap, "orders_swapped": -gap, "longer_is_better": blind}

    def _ranking(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels = self.released(rng, epsilon)
        seed = Seed.of(self.study, rng, self.folder)
        longer = self.study.longer_accuracy()
        found = {
            m: seed.accuracy(seed.policy(m, epsilon, labels)) for m in ("rdpo", "sign_flipped")
        }
        return {m: rate - longer for m, rate in (found | {"longer_is_better": longer}).items()}

    def _margin(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        clean = self.splits.train.labels
        labels = self.released(rng, epsilon)
        seed = Seed.of(self.study, rng, self.folder, self._small("sgd"))
        against = seed.margin(seed.policy("dpo", epsilon, clean))
        return {m: seed.margin(seed.policy(m, epsilon, labels)) / against for m in check.methods}

    def _same_under_adamw(self, check: Check, epsilon: float, rng) -> dict[str, float]:
        labels = self.released(rng, epsilon)
        found = {}
        for optimizer in check.methods:
            seed = Seed.of(self.study, rng, self.folder, self._small(optimizer))
            margins = [seed.margin(seed.policy(m, epsilon, labels)) for m in ("rdpo", "dpo")]
            found[optimizer] = margins[0] / margins[1]
        return found

    def _small(self, optimizer: str):
        """Steps so small that the reward differences stay near 0."""
        one = self.config.procedure.preference
        shorter = 1.0 if optimizer == "sgd" else 1e-3
        rate = self.config.small_steps * shorter
        return one.model_copy(
            update={"optimizer": optimizer, "learning_rate": rate, "max_grad_norm": None}
        )

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """Memory and GPU-hours of all checks."""
        points = {
            c.name: replicates[c.name] * len(c.grid) for c in self.checks() if c.name in replicates
        }
        policies = sum(POLICIES[name] * count for name, count in points.items())
        responses = sum(RESPONSES * count for count in points.values())
        one = self.config
        found = cost(one.model, one.data, one.procedure, policies, responses)
        return in_words(found, one.model, policies)
