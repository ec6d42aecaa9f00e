"""P1 Lemmas A.1, A.2, A.3, A.4 and A.8: the concentration and calculus under the theorems.

Statements (arXiv 2510.13512, appendix A):

    A.1   P(∃T′ ≤ T: Σ X_t > Σ log E_{t−1}[e^X_t] + log(1/δ)) ≤ δ, X adapted;
    A.2   |f(a) − f(b)| ≤ σ(B)·|a − b| on [−B, B], f = log(ασ + (1−α)(1−σ)), α in (½, 1);
    A.3   Freedman: P(Σ X_i > √(2v·log(1/δ)) + (2/3)M·log(1/δ)) ≤ δ for |X_i| ≤ M, Σ E[X²] ≤ v;
    A.4   x² ≤ a + bx, a, b ≥ 0, implies x² ≤ b² + 2a;
    A.8   |x − x′| ≤ (e^−B + 2 + e^B)/(2(2α−1))·|f(x) − f(x′)| on [−B, B], f = (2σ−1)(2α−1).

Each row reports the largest left over right side (max_ratio): all five are sharp, so a constant
10 % too small is found by the same code; it is the control of each row, with a flipped sign where
there is one.

A.1 and A.3 are computed, on a fixed list of laws whose probabilities are exact, not simulated, and
most of which are near where the lemma is tight.  A.1: martingales on a lattice with state-dependent
bets, by dynamic programming; their mean E[e^X] is 1.  A.3: a ±1 walk that stops at the boundary, by
reflection (its Σ E[X²] ≤ n), and centred skewed binomials.  The constant 2 in √(2v·log(1/δ)) shows
its worth only at small δ, so cases go down to δ = e^−40; 1.8 is then refuted.

A slip that changes nothing: A.3 conditions on 𝒢_i, for which X_i is measurable; 𝒢_{i−1} is meant.
A.2, A.4 and A.8 are proved, by intervals over the whole box.  What would refute a row: one case
above 1.
"""

from __future__ import annotations

from repro.families.offline_kl import proofs_scalar as proof
from repro.families.offline_kl import searches_scalar as lemma
from repro.families.offline_kl.cases import computed_over
from repro.study.case import Point, PointCase
from repro.study.claims import Inequality
from repro.study.experiment import Experiment
from repro.study.proofs import proved
from repro.study.row import Row

RATIO = "left side / right side"


class P1ScalarLemmas(Experiment[PointCase]):
    """Three lemmas by proof, two by exact probabilities."""

    title = "P1 Lemmas A.1–A.4, A.8: concentration and calculus"

    rows = (
        Row("ville", "horizon", Inequality("A.1: P(crossing) ≤ δ"),
            computed_over(RATIO, lemma.martingales), lemma.a_1, (lemma.a_1_ten_percent,),
            settles=("p1.lem_a_1",)),
        Row("lipschitz", "reward_bound",
            Inequality("A.2: slope of the private log likelihood ≤ σ(B)"),
            proved(RATIO), proof.a_2, (proof.a_2_ten_percent, proof.a_2_sign),
            settles=("p1.lem_a_2",)),
        Row("freedman", "horizon", Inequality("A.3: P(Σ X > √(2vL) + ⅔ML) ≤ e^−L"),
            computed_over(RATIO, lemma.bounded_sums), lemma.a_3, (lemma.a_3_ten_percent,),
            settles=("p1.lem_a_3",)),
        Row("quadratic", "reward_bound", Inequality("A.4: x² ≤ b² + 2a, b = 2B"),
            proved(RATIO), proof.a_4, (proof.a_4_ten_percent, proof.a_4_sign),
            settles=("p1.lem_a_4",)),
        Row("inverse_lipschitz", "reward_bound",
            Inequality("A.8: inverse slope ≤ (e^−B + 2 + e^B)/(2(2α−1))"),
            proved(RATIO), proof.a_8, (proof.a_8_ten_percent, proof.a_8_at_zero),
            settles=("p1.lem_a_8",)),
    )  # fmt: skip

    def case(self, point: Point) -> PointCase:
        """The swept value is all that a row reads."""
        return PointCase(methods=point.methods, value=point.value)
