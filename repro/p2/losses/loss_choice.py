"""Which loss has the least error in one setting, and what that error is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from repro.base.notation import privacy_cost
from repro.labels.corruption.orders import Order
from repro.p2.losses.label_losses import LOSSES, LossName
from repro.p2.losses.loss_map import LEARNT, TIE
from repro.p2.losses.scalar_error import scalar_error
from repro.p2.losses.worlds import RANGE

HALF = 0.5
DEAR = 2.0
"""Clean labels that a private one is worth less than 1/DEAR of: privacy is what costs."""


@dataclass(frozen=True, repr=False)
class LossAnswer:
    """Root mean squared errors of the losses, each against its own worst adversary.

    Attributes:
        errors: by loss, the order of ``LOSSES`` [reward].
        lasting: of the best loss's squared error the share that stays for n → ∞.
        size: root mean square of reward differences [reward].
        worth: clean labels that a private one is worth, 1/c(ε)².
        floor: least error of a loss for n → ∞, against the adversary worst for it there [reward].
        at_the_edge: of the best loss's squared error the share of estimates at the class's edge.
        world: what the answer is about, in words.
    """

    errors: dict[LossName, float]
    lasting: float
    size: float
    worth: float
    floor: float
    at_the_edge: float
    world: str

    def __repr__(self) -> str:
        """What the command prints of it: advice, errors and regime."""
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The loss to take, the errors of all, what decides, and what other losses need."""
        yield self.advice
        ratios = (f"{name} {ratio:.3g}" for name, ratio in self.ratios.items())
        yield (
            f"errors over the least: {', '.join(ratios)}; the least error of a reward difference "
            f"is {self.error:.3g}, {self.error / self.size:.0%} of the reward differences' own "
            f"size of {self.size:.3g} (root mean squares, in units of reward)"
        )
        yield f"regime: {self.regime}"
        yield f"IPO and KTO were not compared: {self.policy_losses}"
        yield f"assumed world: {self.world}. repro plan assumes another: compare no numbers"

    @property
    def advice(self) -> str:
        """The loss to take, in words."""
        if self.hidden:
            return "none: corruption hides the reward from every loss, with any number of labels"
        if not self.learnt:
            return (
                f"none: with so few labels every loss errs by at least {LEARNT:.0%} of the "
                "rewards' own size"
            )
        if len(self.best) == 1:
            return f"{self.best[0]} loss"
        return f"{' or '.join(self.best)} loss: a tie, their errors differ by at most 2 %"

    @property
    def policy_losses(self) -> str:
        """What the two need on such labels (docs/explanations/ipo_and_kto.md), in words.

        Neither estimates a reward difference: IPO's log-ratios follow mean labels, KTO's examples
        are single responses.  IPO's variance grows from 1 − m² to c² − m² where labels have mean m.
        """
        if self.worth == 1:
            return "labels without privacy need no debiasing"
        return (
            f"IPO takes tau/{self.worth**-0.5:.4g} instead of tau, and c(epsilon)^2 = "
            f"{1 / self.worth:.4g} times the labels or more; KTO with equal weights needs no change"
        )

    @property
    def error(self) -> float:
        """The least error."""
        return min(self.errors.values())

    @property
    def ratios(self) -> dict[LossName, float]:
        """Every loss's error over the least."""
        return {name: error / self.error for name, error in self.errors.items()}

    @property
    def learnt(self) -> bool:
        """Whether the best loss says anything about the reward."""
        return self.error < LEARNT * self.size

    @property
    def hidden(self) -> bool:
        """Whether corruption's floor alone keeps every loss from saying anything about it."""
        return not self.learnt and self.floor >= LEARNT * self.size

    @property
    def best(self) -> tuple[LossName, ...]:
        """Losses within ``TIE`` of the least error, the best first; all where nothing is learnt."""
        ranked: list[LossName] = sorted(self.errors, key=lambda name: self.errors[name])
        return tuple(n for n in ranked if not self.learnt or self.ratios[n] <= 1 + TIE)

    @property
    def cell(self) -> tuple[tuple[LossName, ...], float]:
        """What the map shows: the losses that share the win, and the worst ratio."""
        shared: tuple[LossName, ...] = tuple(n for n in self.errors if self.ratios[n] <= 1 + TIE)
        return shared, max(self.ratios.values())

    @property
    def regime(self) -> str:
        """What the error is made of, in words."""
        if self.hidden:
            return (
                f"corruption's floor decides: an error of {self.floor:.3g}, "
                f"{self.floor / self.size:.0%} of the rewards' own size, stays however many "
                "labels there are"
            )
        if not self.learnt:
            return (
                f"too few labels: the range of the class decides, {self.at_the_edge:.0%} of the "
                "squared error is that of estimates at its edge, and errors depend on how a solver "
                "breaks ties"
            )
        if self.at_the_edge > HALF:
            return (
                f"the range of the class decides: {self.at_the_edge:.0%} of the squared error is "
                "that of estimates at its edge"
            )
        if self.lasting > HALF:
            return (
                f"corruption decides: {self.lasting:.0%} of the squared error stays, however many "
                "labels there are"
            )
        decides = "privacy" if self.worth < 1 / DEAR else "sampling"
        worth = f"by c(epsilon)^2 a private label is worth {self.worth:.2g} clean labels"
        lasting = f", and {self.lasting:.0%} of the squared error is corruption's"
        return f"{decides} noise decides: {worth}{lasting if self.floor else ''}"


def loss_answer(
    reward_bound: float, epsilon: float, corruption: float, order: Order, n_pairs: int
) -> LossAnswer:
    """Errors by the law of the score, on the scalar world.

    Args:
        reward_bound: B; reward differences fill [−B, B].
        epsilon: ε.
        corruption: α.
        order: of corruption and privacy.
        n_pairs: n.
    """
    errors_and_bias: dict[LossName, tuple[float, float]] = {}
    size, floor, edges = 0.0, math.inf, {}
    for name, kind in LOSSES.items():
        error_law = scalar_error(reward_bound, kind, epsilon, corruption, order)
        bad, size = error_law.worst(n_pairs)[None], math.sqrt(error_law.size)
        squared = float(error_law.mean_squared(bad, (n_pairs,)))
        errors_and_bias[name] = math.sqrt(squared), float(error_law.squared_bias(bad)) / squared
        edges[errors_and_bias[name]] = error_law.edge_share(bad[0], n_pairs)
        floor = min(floor, error_law.floor)
    best = min(errors_and_bias.values())
    errors: dict[LossName, float] = {name: error for name, (error, _) in errors_and_bias.items()}
    adversary = f"alpha={corruption:g} {order}, every loss against the adversary worst for it"
    world = (
        f"one feature, reward differences even over [-{reward_bound:g}, {reward_bound:g}], "
        f"estimates up to {RANGE:g} times as large; {adversary if corruption else 'no corruption'}"
    )
    kept = min(1.0, best[1])
    return LossAnswer(
        errors, kept, size, privacy_cost(epsilon) ** -2, floor, edges[best], world
    )  # fmt: skip
