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

`linear_term` holds whatever the labels are.  Wrong versions take private labels as clean
(``…_no_debias``) or read every label as its opposite.  Smallest effects as in llm_rdpo.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from repro.base.notation import privacy_cost
from repro.base.schema import Positive
from repro.core.check import Algorithm, Check, Theorem, named
from repro.core.claims import Ratio
from repro.llm.experiments.procedures import ChipoProcedure
from repro.llm.experiments.release_study import (
    Reached,
    Seed,
    SimulatedRelease,
    dpo,
    longer_is_better,
)
from repro.llm.experiments.worlds import (
    AT_LEAST_CLEAN,
    PrivateTuning,
    Work,
    assumed,
    estimated,
    of_seeds,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ChipoTuning(PrivateTuning):
    """χPO on private labels.

    Attributes:
        small_steps: learning rate of first steps.
    """

    procedure: ChipoProcedure
    small_steps: Positive


# Algorithms --------------------------------------------------------------------------------------


def private(release: SimulatedRelease) -> Reached:
    """PrivχPO (Algorithm 1): the mixture likelihood."""
    return release.reached("private")


def square(release: SimulatedRelease) -> Reached:
    """SquareχPO (Algorithm 3): the square loss."""
    return release.reached("square")


# Wrong on purpose --------------------------------------------------------------------------------


def private_no_debias(release: SimulatedRelease) -> Reached:
    """Wrong: PrivχPO takes private labels as clean."""
    return private(release.taken_as_clean)


def square_no_debias(release: SimulatedRelease) -> Reached:
    """Wrong: SquareχPO takes private labels as clean."""
    return square(release.taken_as_clean)


def flipped(release: SimulatedRelease, learner: Algorithm) -> Reached:
    """A learner that reads every label as its opposite."""
    return learner(release.flipped)


PRIVATE_FLIPPED, SQUARE_FLIPPED = (
    named("label_flipped", flipped, "every label is read as its opposite", learner=learner)
    for learner in (private, square)
)


# Quantities of one seed --------------------------------------------------------------------------


def win_rate(world: ChipoTuning, learner: Algorithm, seed: Seed) -> float:
    """Against the fine-tuned model."""
    return learner(world.release(seed)).win_rate


def above_length(world: ChipoTuning, learner: Algorithm, seed: Seed) -> float:
    """Implicit ranking accuracy over that of length, longer or shorter."""
    return learner(world.release(seed)).accuracy - world.study.length_accuracy()


def over_dpo(world: ChipoTuning, learner: Algorithm, seed: Seed) -> float:
    """Margin of first steps without privacy, over that of DPO."""
    clean = world.without_privacy().release(seed).at_first_steps(world.small_steps)
    return learner(clean).margin / dpo(clean).margin


def over_clean(
    world: ChipoTuning, learner: Algorithm, seed: Seed, right: Algorithm, scaled: bool
) -> float:
    """Margin of first steps on private labels over that of the right learner on clean ones.

    Args:
        right: the learner.
        scaled: times c(ε)², for a learner whose first steps are shorter by that.
    """
    release = world.release(seed).at_first_steps(world.small_steps)
    clean = replace(release.taken_as_clean, labels=world.study.splits.train.labels)
    scale = privacy_cost(world.epsilon) ** 2 if scaled else 1.0
    return scale * learner(release).margin / right(clean).margin


# The claims --------------------------------------------------------------------------------------

WIN_RATE = of_seeds("win rate against SFT", win_rate)
RANKING = of_seeds("implicit ranking accuracy − that of length", above_length)
AT_LEAST = partial(Ratio, tolerance=0.0, direction="at_least")
BEATS, ABOVE, NEAR = 0.53, 0.01, 0.2
"""Smallest win rate and difference that are claimed; value and tolerance of first steps."""
AT_THE_REFERENCE: dict[str, str] = dict.fromkeys(
    ("labels", "estimate", "algorithm"),
    "at the reference the derivative of PrivχPO's loss is twice DPO's, whatever the labels",
)
UNBIASED = {"estimate": "on average over labels the first steps are those on clean ones"}

WORK = {
    "win_rate_private": Work(),
    "win_rate_square": Work(),
    "ranking_private": Work(),
    "ranking_square": Work(),
    "linear_term": Work(3),
    "first_private": Work(4),
    "first_square": Work(4),
}

THEOREM = Theorem(
    title="P2 Algorithms 1 and 3 on language models",
    settles=["own.chipo_of_language_models"],
    checks=[
        Check(name="win_rate_private", axis="epsilon",
              claim=AT_LEAST("PrivχPO beats SFT by .03", BEATS), quantity=WIN_RATE,
              right=private, wrong=[PRIVATE_FLIPPED, longer_is_better],
              blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="win_rate_square", axis="epsilon",
              claim=AT_LEAST("SquareχPO beats SFT by .03", BEATS), quantity=WIN_RATE,
              right=square, wrong=[SQUARE_FLIPPED, longer_is_better],
              blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="ranking_private", axis="epsilon",
              claim=AT_LEAST("PrivχPO ranks held-out pairs better than length does", ABOVE),
              quantity=RANKING, right=private, wrong=[PRIVATE_FLIPPED],
              blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="ranking_square", axis="epsilon",
              claim=AT_LEAST("SquareχPO ranks held-out pairs better than length does", ABOVE),
              quantity=RANKING, right=square, wrong=[SQUARE_FLIPPED],
              blind=AT_LEAST_CLEAN, draws="answers"),
        Check(name="linear_term", axis="epsilon",
              claim=Ratio("φ' = 2: χPO starts twice as fast as DPO", 2.0, tolerance=0.2),
              quantity=of_seeds("margin / margin of DPO", over_dpo),
              right=private, wrong=[named("square", square, "the square loss, not the log loss")],
              blind=AT_THE_REFERENCE, draws="first steps"),
        Check(name="first_private", axis="epsilon",
              claim=Ratio("PrivχPO starts 1/c² as fast", tolerance=NEAR),
              quantity=of_seeds("c(ε)²·margin / margin of clean labels",
                                partial(over_clean, right=private, scaled=True)),
              right=private, wrong=[private_no_debias, PRIVATE_FLIPPED], draws="first steps"),
        Check(name="first_square", axis="epsilon",
              claim=Ratio("SquareχPO starts as fast as on clean labels", tolerance=NEAR),
              quantity=of_seeds("margin / margin of clean labels",
                                partial(over_clean, right=square, scaled=False)),
              right=square, wrong=[square_no_debias, SQUARE_FLIPPED],
              blind=UNBIASED, draws="first steps"),
    ],
    worlds={"release": ChipoTuning},
    assumes=assumed,
    extra="llm",
    estimate=partial(estimated, WORK),
)  # fmt: skip
