"""P4 Appendix D, Tables 1 and 2: DPO and rDPO of language models on private, corrupted labels.

P4 (arXiv 2505.15694) fine-tunes GPT2-large on finance_preference (1,697 pairs by GPT-4o, not
published), trains DPO and rDPO on labels behind randomized response and, in Table 2, behind a mask
process of corruption, and has a 70B model judge the answers:

    Table 1   win rate of rDPO above that of DPO at ε = .1 and .5
    Table 2   win rate of rDPO under CTL above that under LTC at α = .1, ε = 1 and .5

Here by default a tiny random GPT-2 on generated pairs (repro.labels.preferences.financial_pairs,
a substitute with a planted reward), all of it on a CPU; the groups ``llm_model``, ``llm_data`` and
``llm_procedure`` name real ones (docs/howto/language_models.md).  A replicate is one seed: labels
privatised anew, policies trained, answers judged.  Labels of a simulation come from the core's
seeded channel; real releases are made by ``repro privatize``.

Differences from the paper, each a setting:

* `variant`: the paper fine-tunes on the chosen responses, that is, on the private labels in the
  clear.  ``repaired`` fine-tunes on both responses; ``as_published`` on the chosen ones.
* the judge is the planted reward, or a reward fitted to pairs of its own, in both orders; the
  trivial longest-of-4 policy stands beside every win rate, as a control.
* plain gradient steps.  At a reward difference of 0 the derivative of rDPO's loss is that of DPO
  times c(ε), whatever the label.  AdamW does not feel the scale of a loss, so that the paper's
  2e2 steps of 1e-6 give DPO and rDPO the same policy to first order: check `same_under_adamw`, an
  own statement.  What Table 1 finds between them under AdamW is not an effect of debiasing at
  first order; with plain steps the effect is there (`table_1`).

The checks about win rates and rankings say by how much at least a method is better (.03 over a coin
for "beats", .01 for "above", .025 in Table 1 and .005 in Table 2); they meet the same seeds, so
that a policy is trained once for all.
`margin` compares rDPO's mean margin on held-out pairs with that of DPO on the clean labels, which
the unbiased loss has on average; DPO on private labels falls short by c(ε).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from torch import Tensor

from repro.base.schema import Corruption, Positive
from repro.core.check import Algorithm, Check, Theorem, named
from repro.core.claims import Ratio
from repro.labels.corruption.orders import Order
from repro.labels.corruption.random_flips import mask_process
from repro.llm.experiments.release_study import (
    Reached,
    Seed,
    SimulatedRelease,
    dpo,
    longer_is_better,
)
from repro.llm.experiments.worlds import (
    AT_LEAST_CLEAN,
    PaperSetup,
    PrivateTuning,
    Work,
    assumed,
    estimated,
    labels_of,
    of_seeds,
    substitute,
)

ADAMW_STEP = 1e-3
"""Step size of AdamW over that of plain steps: its steps are about as long as their rate."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DpoTuning(PrivateTuning):
    """DPO and rDPO on private labels, and on corrupted ones.

    Attributes:
        small_steps: learning rate of first steps.
        corruption: α of Table 2.
        order: of corruption and privacy, whose win rate is claimed to be the larger.
    """

    small_steps: Positive
    corruption: Corruption
    order: Order = Order.CTL

    def masked(self, coins: Tensor, order: Order) -> Tensor:
        """(n,) ±1 by P4's Appendix D: privacy flips a mask, corruption sets it with prob. α."""
        stage = mask_process(order, self.epsilon, self.corruption)
        signal = stage.win_given_win - stage.win_given_loss
        return labels_of(coins, stage.win_given_loss + signal * self.win_prob)


@dataclass(frozen=True, eq=False)
class TwoOrders:
    """Two releases of one seed: under the order that is to win more, and under the other."""

    claimed: SimulatedRelease
    other: SimulatedRelease


# Algorithms --------------------------------------------------------------------------------------


def rdpo(release: SimulatedRelease) -> Reached:
    """rDPO: the debiased loss at the ε that it believes in."""
    return release.reached("rdpo")


def claimed_less_other(releases: TwoOrders) -> float:
    """rDPO's win rate under one order less that under the other."""
    return rdpo(releases.claimed).win_rate - rdpo(releases.other).win_rate


def adamw(release: SimulatedRelease) -> float:
    """Margin of rDPO's first steps over that of DPO's, by AdamW."""
    assert release.first_steps is not None
    rate = ADAMW_STEP * release.first_steps.learning_rate
    steps = {"optimizer": "adamw", "learning_rate": rate}
    return sgd(replace(release, first_steps=release.first_steps.model_copy(update=steps)))


# Wrong on purpose --------------------------------------------------------------------------------


def label_flipped(release: SimulatedRelease) -> Reached:
    """Wrong: rDPO reads every label as its opposite."""
    return rdpo(release.flipped)


def orders_swapped(releases: TwoOrders) -> float:
    """Wrong: the difference the other way round."""
    return -claimed_less_other(releases)


def sgd(release: SimulatedRelease) -> float:
    """Wrong: the same ratio by plain steps, which feel the scale of a loss."""
    return rdpo(release).margin / dpo(release).margin


# Quantities of one seed --------------------------------------------------------------------------


def win_rate(world: DpoTuning, learner: Algorithm, seed: Seed) -> float:
    """Against the fine-tuned model."""
    return learner(world.release(seed)).win_rate


def at_equal_length(world: DpoTuning, learner: Algorithm, seed: Seed) -> float:
    """Win rate at equal length."""
    return learner(world.release(seed)).at_equal_length


def above_dpo(world: DpoTuning, learner: Algorithm, seed: Seed) -> float:
    """Table 1: the win rate less that of DPO on the same labels."""
    release = world.release(seed)
    return learner(release).win_rate - dpo(release).win_rate


def between_orders(world: DpoTuning, difference: Algorithm, seed: Seed) -> float:
    """Table 2: from the same coins."""
    claimed, other = (
        world.learnt_from(seed, world.masked(seed.coins, order))
        for order in (world.order, world.order.swapped)
    )
    return difference(TwoOrders(claimed, other))


def above_length(world: DpoTuning, learner: Algorithm, seed: Seed) -> float:
    """Implicit ranking accuracy over that of length, longer or shorter."""
    return learner(world.release(seed)).accuracy - world.study.length_accuracy()


def over_clean(world: DpoTuning, learner: Algorithm, seed: Seed) -> float:
    """Margin of first steps on private labels over that of DPO on the clean ones."""
    release = world.release(seed).at_first_steps(world.small_steps)
    clean = replace(release, labels=world.study.splits.train.labels)
    return learner(release).margin / dpo(clean).margin


def over_dpo(world: DpoTuning, ratio: Algorithm, seed: Seed) -> float:
    """Margin of rDPO's first steps over that of DPO's, by an optimizer."""
    return ratio(world.release(seed).at_first_steps(world.small_steps))


# The claims --------------------------------------------------------------------------------------

AT_LEAST = partial(Ratio, tolerance=0.0, direction="at_least")
BEATS, ABOVE = 0.53, 0.01
"""Smallest win rate and smallest difference that are claimed."""
AT_THE_REFERENCE: dict[str, str] = dict.fromkeys(
    ("labels", "estimate", "algorithm"),
    "at the reference the derivative of rDPO's loss is DPO's times c(ε), whatever the labels",
)
UNBIASED = {"estimate": "on average over labels the debiased loss is that of clean ones"}
TABLE_1, TABLE_2 = ["p4.tab_1"], ["p4.tab_2"]

P4_SETUP = PaperSetup("openai-community/gpt2-large", None, "llama3:70b")

WORK = {
    "win_rate": Work(),
    "win_rate_at_equal_length": Work(),
    "table_1": Work(3),
    "table_2": Work(),
    "ranking": Work(),
    "margin": Work(4),
    "same_under_adamw": Work(4),
}

THEOREM = Theorem(
    title="P4 Tables 1 and 2: DPO and rDPO of language models",
    checks=[
        Check(name="win_rate", axis="epsilon", claim=AT_LEAST("rDPO beats SFT by .03", BEATS),
              quantity=of_seeds("win rate against SFT", win_rate),
              right=rdpo, wrong=[label_flipped, longer_is_better],
              settles=TABLE_1, blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="win_rate_at_equal_length", axis="epsilon",
              claim=AT_LEAST("rDPO beats SFT by .03, not by length", BEATS),
              quantity=of_seeds("win rate against SFT at equal length", at_equal_length),
              right=rdpo, wrong=[label_flipped, longer_is_better],
              settles=TABLE_1, blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="table_1", axis="epsilon",
              claim=AT_LEAST("Table 1: rDPO's win rate is DPO's and .025", 0.025),
              quantity=of_seeds("win rate − win rate of DPO", above_dpo),
              right=rdpo, wrong=[label_flipped, longer_is_better],
              settles=TABLE_1, draws="answers"),
        Check(name="table_2", axis="epsilon",
              claim=AT_LEAST("Table 2: CTL's win rate is LTC's and .005", 0.005),
              quantity=of_seeds("win rate under CTL − under LTC", between_orders),
              right=named("rdpo", claimed_less_other), wrong=[orders_swapped],
              settles=TABLE_2, draws="answers"),
        Check(name="ranking", axis="epsilon",
              claim=AT_LEAST("rDPO ranks held-out pairs better than length does", ABOVE),
              quantity=of_seeds(
                  "implicit ranking accuracy − that of length", above_length),
              right=rdpo, wrong=[label_flipped], settles=TABLE_1,
              blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="margin", axis="epsilon",
              claim=Ratio("rDPO's margin is that of clean labels", 1.0, tolerance=0.15),
              quantity=of_seeds("margin / margin of DPO on clean labels", over_clean),
              right=rdpo, wrong=[dpo, label_flipped], settles=TABLE_1,
              blind=UNBIASED, draws="first steps"),
        Check(name="same_under_adamw", axis="epsilon",
              claim=Ratio("small AdamW steps of rDPO are those of DPO", 1.0, tolerance=0.1),
              quantity=of_seeds("margin of rDPO / margin of DPO", over_dpo),
              right=adamw, wrong=[sgd], settles=["own.same_under_adamw"],
              blind=AT_THE_REFERENCE, draws="first steps"),
    ],
    worlds={"release": DpoTuning},
    assumes=assumed,
    extra="llm",
    estimate=partial(estimated, WORK),
    substitute=partial(substitute, P4_SETUP),
)  # fmt: skip
