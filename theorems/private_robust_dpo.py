"""P4 Theorem 6.3: private and robust DPO with log-linear policies.

Statement (arXiv 2505.15694, Theorem 6.3).  The policy of Algorithm 1's output has, w.p. ≥ 1−δ,

    SubOpt(π̂, π*) ≤ C·B·√κ_Π·( ζ√α/γ + c(ε)/γ·√((d + ln(1/δ))/n) + βB√λ ),

ζ = 1 (CTL) or c(ε) (LTC), γ = 1/(2 + e^βB + e^−βB).  By Remark 6.4 the algorithm is rDPO.

Measured: |J(π*) − J(π̂)|, because J has no KL term and the gap is signed.  On three responses of
one state: noise in n and c (two-sided), floors in c (two-sided: the strong adversary aims at the
gradient of J) and in α, where the floor of a fixed instance goes like α, locally, below the √α of
the bound (`printed_corruption`, at_least ½; its neighbours show that it could fail).  On two
responses whose reference is lopsided the noise goes like √κ_Π; there B is the reward difference,
and the gap is measured in its unit.

`uncovered`: a response that the reference draws with probability μ, nμ from 1000 to 10.  DPO needs
coverage of the whole class and loses more as μ falls; pessimistic RLHF on the same labels does not
(P4, Remark 4.8): it is the method, DPO the control.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from repro.families.robust.cases import (
    NOBODY,
    STRONG_CTL,
    STRONG_LTC,
    Attack,
    RobustCase,
    RobustExperiment,
    RobustProbes,
)
from repro.families.robust.measures import of_changed_case
from repro.families.robust.quantities_dpo import (
    UncoveredCase,
    estimates,
    lost_by_dpo,
    lost_by_pessimism,
)
from repro.families.robust.quantities_floors import dpo_floor
from repro.families.robust.worlds_pairs import PolicyPairs
from repro.families.robust.wrong import as_it_is, no_debias, orders_swapped
from repro.study.case import Point
from repro.study.claims import Slope
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, Values


def gap_in_rewards(case: RobustCase[PolicyPairs], rng: np.random.Generator, replicates: int):
    """The gap in units of the reward difference."""
    reward = case.world.policies.reward
    return dpo_floor(case, rng, replicates) / float(reward.max() - reward.min())


def lost(case: UncoveredCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) reward that each algorithm loses, all on the same estimates."""
    found = estimates(case, rng, replicates)
    return {m.name: m.run(found) for m in case.methods}


GAP = of_changed_case("|J(π*) − J(π̂)| without corruption", dpo_floor)
IN_REWARDS = of_changed_case("|J(π*) − J(π̂)| / reward difference", gap_in_rewards)
FLOOR = of_changed_case("|J(π*) − J(π̂)| when labels are plentiful", dpo_floor)
LOST = Measure("reward lost against the best response", lost, Evidence.MEASURED)

rdpo = Method("rdpo", as_it_is)
pessimistic, dpo = Method("pessimistic", lost_by_pessimism), Method("dpo", lost_by_dpo)

NOISY = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.DEBIASING)
ATTACKED = (*NOISY, Need.ADVERSARY)
LTC_COST = (*NOISY, Need.ORDER)
"""Not the adversary: noise alone is ∝ c(ε) too."""
CTL_COST = (Need.PRIVACY, Need.ADVERSARY, Need.ORDER, Need.DEBIASING)
"""Not the labels, nor that the truth is hidden: a gap that is free of ε is as flat as the floor."""


def policies(attack: Attack) -> Callable[[PrivateRobustDpo, Point], RobustCase]:
    """Log-linear policies of Algorithm 1's output, under an attack."""
    return lambda experiment, point: experiment.pair_case(point, attack)


def one_uncovered(experiment: PrivateRobustDpo, point: Point) -> UncoveredCase:
    """A bandit with a response that is hardly covered, nobody corrupting."""
    return UncoveredCase(
        methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
        world=experiment.world(point), **experiment.attacked(point, NOBODY),
    )  # fmt: skip


CLEAN, LTC, CTL = policies(NOBODY), policies(STRONG_LTC), policies(STRONG_CTL)


class PrivateRobustDpo(RobustExperiment[RobustCase]):
    """Theorem 6.3 and what pessimism adds."""

    title = "P4 Theorem 6.3: private and robust DPO"
    settles = ("p4.thm_6_3",)
    config_type = RobustProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-0.5, "gap {rate}"), GAP, rdpo, (no_debias,),
            on="three_arms", given=CLEAN, needs=NOISY),
        Row("privacy_cost", "privacy_cost", Slope(1, "gap {rate}"), GAP, rdpo, (no_debias,),
            on="three_arms", given=CLEAN, needs=NOISY),
        Row("coverage", "coverage", Slope(0.5, "gap {rate}", symbol="κ_Π"), IN_REWARDS, rdpo,
            (no_debias,), on="lopsided", given=CLEAN, needs=NOISY),
        Row("ltc_corruption", "corruption", Slope(1, "LTC: floor {rate} on a fixed instance"),
            FLOOR, rdpo, (no_debias,), on="three_arms", given=LTC, needs=ATTACKED),
        Row("ctl_corruption", "corruption", Slope(1, "CTL: floor {rate} on a fixed instance"),
            FLOOR, rdpo, (no_debias,), on="three_arms", given=CTL, needs=ATTACKED),
        Row("printed_corruption", "corruption",
            Slope(0.5, "LTC, as printed: floor ≤ O(√α), that is 1/floor {rate}", "at_least",
                  symbol="(1/α)"),
            FLOOR, rdpo, (no_debias,), on="three_arms", given=LTC, needs=ATTACKED),
        Row("ltc_cost", "privacy_cost", Slope(1, "LTC: floor {rate}"), FLOOR, rdpo,
            (orders_swapped,), on="three_arms", given=LTC, needs=LTC_COST),
        Row("ctl_cost", "privacy_cost", Slope(0, "CTL: floor {rate}", symbol="ε"), FLOOR, rdpo,
            (orders_swapped,), on="three_arms", given=CTL, needs=CTL_COST),
        Row("uncovered", "coverage",
            Slope(0, "pessimistic RLHF's loss {rate} of a response", "at_most", tolerance=0.1,
                  symbol="1/π_sft"),
            LOST, pessimistic, (dpo,), on="uncovered", given=one_uncovered,
            needs=(Need.PESSIMISM,)),
    )  # fmt: skip

    def case(self, point: Point) -> RobustCase:
        """What the row says that its cases are made of."""
        return point.row.given(self, point)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 4.5: one-hot features hold every policy; θ_true lies inside the class."""
        arms = self.built("three_arms").policies
        norm = float(arms.theta.norm())
        return (AssumptionResult("class", norm <= arms.radius, f"‖θ_true‖ = {norm:.3g}"),)
