"""P2, section 6: an adversary who picks which αn labels it replaces (own result).

P2's Huber adversary (Definition 2.3) replaces each label with probability α, by whatever it likes;
its section 6 leaves stronger ones open.  Here it sees all n pairs and labels and replaces any αn of
them: before they are randomized (CTL) or after (LTC).  ζ = 1 under CTL and c(ε) under LTC.

Statement (``own.chosen_labels``, proof: docs/explanations/chosen_labels.md).  Let H be a finite
class of |h| ≤ 1 that holds h*, q = (1 − e^{−1/4})/4 and ĥ the minimiser of Σ(h(x) − c·z)².  For
every such adversary, with probability at least 1−δ,

    E(ĥ − h*)² ≤ (1/q)·(c²ℓ/n + 2ζα + 3c·√(αℓ/n)·1{CTL}),   ℓ = log(2|H|/δ),

and for 0 < h₀ < 1, ζα < h₀/2, every p < 2ζα/h₀ and every learner there are two worlds, h* = ±h₀ in
one cell of mass p and known elsewhere, for which the lim inf over n of the larger E(ĥ − h*)² is at
least p·h₀².  So the lim inf over n of the supremum over worlds is at least 2ζα·h₀, and the worst
root mean squared error is √(ζα) up to a constant: against Huber's adversary it is ζα (Lemma 3.3).

World: a cell of mass p, h* = h₀ in it; everything else is known.  The p that is worst counts, and
there the adversary turns every label +1 that it can pay for.  The class is a fine grid of h in
[−h₀, h₀]; there log and square loss are both least at the debiased mean, or at the nearest end.

Testable, as suprema over p: exponents ½ in α and c(ε) (LTC), 2√(ζα·h₀) in either order;
Huber's adversary with exponent 1 on the same cells; both bounds.

What would refute it: an error of another order in α; one above the upper or below the lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from repro.base.notation import privacy_cost
from repro.base.schema import Finite, Pairs
from repro.core.check import Algorithm, Check, Quantity, Theorem, at_both_ends, named
from repro.core.claims import Inequality, Ratio, Slope
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import on_arrays, released
from repro.worlds.instances.labelled import PrivateLabels

MASSES, COVERED = np.geomspace(0.25, 16, 19), 0.5
"""Cells' masses that are tried, in units of ζα, and one of half of all labels.  So is 1/h₀, the
largest cell that can be turned round."""
CLASS, HALVINGS = 10**6 + 1, 60
"""Values of h in the class, evenly from −h₀ to h₀, and steps of a search for a zero in it."""
SQUARES = (1 - math.exp(-0.25)) / 4
"""q."""
FAILURE_PROB = 0.05
"""δ."""

# The world ---------------------------------------------------------------------------------------

Replaced = Callable[[np.ndarray, np.ndarray, float, float], np.ndarray]
"""(labels in the cell, those that are +1, labels in all, α) → how many +1 become −1."""


def chosen(labels: np.ndarray, wins: np.ndarray, every: float, alpha: float) -> np.ndarray:
    """All αn of them in the cell, as long as there are any."""
    return np.minimum(wins, int(alpha * every))


def everywhere(labels: np.ndarray, wins: np.ndarray, every: float, alpha: float) -> np.ndarray:
    """Huber's: the share α of the cell's labels."""
    return np.round(alpha * wins).astype(int)


def nobody(labels: np.ndarray, wins: np.ndarray, every: float, alpha: float) -> np.ndarray:
    """No label is replaced."""
    return np.zeros_like(wins)


@dataclass(frozen=True, eq=False, kw_only=True)
class OneCell(PrivateLabels):
    """n private labels; those in a cell of mass p tell h* = h₀, and p is the worst of a ladder.

    The stage ``estimate`` is (fitted h, true h) → h.

    Attributes:
        n_pairs: n.
        corruption: α, the share of labels that are replaced.
        order: whether before (CTL) or after (LTC) they are randomized.
        mean: h₀.
        adversary: which labels it replaces.
    """

    n_pairs: Pairs
    corruption: Annotated[Finite, Field(gt=0, lt=0.1)]
    order: Order = Order.CTL
    mean: Annotated[Finite, Field(gt=0, lt=1)]
    adversary: Replaced = chosen
    idle_adversary: ClassVar[Any] = staticmethod(nobody)

    @property
    def cost(self) -> float:
        """c(ε)."""
        return privacy_cost(self.epsilon)

    @property
    def bias(self) -> float:
        """ζα."""
        return self.corruption * (1.0 if self.order is Order.CTL else self.cost)

    @property
    def masses(self) -> np.ndarray:
        """(P,) p of the cells."""
        return np.append(np.minimum(np.append(MASSES, 1 / self.mean) * self.bias, COVERED), COVERED)

    def more_labels(self, other: PrivateLabels) -> float:
        """Noise is small beside corruption: nothing is scaled."""
        return 1.0

    def means(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(P, R) means of c·z in the cells."""
        counts = rng.binomial(self.n_pairs, self.masses[:, None], (len(self.masses), replicates))
        clean = on_arrays(self.labels, np.array([(1 + self.mean) / 2]))
        wins = rng.binomial(counts, clean)
        if self.order is Order.CTL:
            wins = wins - self.adversary(counts, wins, self.n_pairs, self.corruption)
        keep, flip = (
            float(released(self.channel, np.array([label_value]), self.epsilon)[0])
            for label_value in (1.0, 0.0)
        )
        seen = rng.binomial(wins, keep) + rng.binomial(counts - wins, flip)
        if self.order is Order.LTC:
            seen = seen - self.adversary(counts, seen, self.n_pairs, self.corruption)
        return self.cost * (2 * seen / np.maximum(counts, 1) - 1)


def upper(world: OneCell) -> float:
    """The root of the upper bound of all learners' squared error, |H| = CLASS."""
    logs = math.log(2 * CLASS / FAILURE_PROB)
    noise = world.cost**2 * logs / world.n_pairs
    more = 0.0
    if world.order is Order.CTL:
        more = 3 * world.cost * math.sqrt(world.corruption * logs / world.n_pairs)
    return math.sqrt((noise + 2 * world.bias + more) / SQUARES)


def lower(world: OneCell) -> float:
    """√(2ζα·h₀)."""
    return math.sqrt(2 * world.bias * world.mean)


def turned_round(world: OneCell) -> float:
    """2√(ζα·h₀): √p·2h₀ of the largest cell that can be turned round."""
    return 2 * math.sqrt(world.bias * world.mean)


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def errors(
    world: OneCell, rng: np.random.Generator, replicates: int, log: bool, sign: float = 1.0,
    adversary: Replaced | None = None,
) -> np.ndarray:  # fmt: skip
    """(R,) root mean squared error √p·|ĥ − h₀| at the p of largest mean.

    Args:
        world: what is played.
        rng: the block's stream.
        replicates: R.
        log: the log loss of the mixture, or the square loss.
        sign: −1 where labels are read with the wrong sign.
        adversary: in the place of the world's.
    """
    played = world if adversary is None else replace(world, adversary=adversary)
    debiased = sign * played.means(rng, replicates)
    fitted = on_arrays(world.estimate, _fitted(debiased, world, log), np.array(world.mean))
    scaled = np.sqrt(world.masses)[:, None] * np.abs(fitted - world.mean)
    return scaled[scaled.mean(axis=1).argmax()]


def _fitted(debiased: np.ndarray, world: OneCell, log: bool) -> np.ndarray:
    """(P, R) minimisers of a loss over the class."""
    estimate = _least_log_loss(debiased, world) if log else debiased
    spacing = 2 * world.mean / (CLASS - 1)
    return np.clip(np.round(estimate / spacing) * spacing, -world.mean, world.mean)


def _least_log_loss(debiased: np.ndarray, world: OneCell) -> np.ndarray:
    """Where the convex mixture log loss has its least value in [−h₀, h₀], by its derivative."""
    share = (1 + debiased / world.cost) / 2  # of reports +1
    low, high = np.full_like(debiased, -world.mean), np.full_like(debiased, world.mean)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        report = (1 + middle / world.cost) / 2
        falls = share / report > (1 - share) / (1 - report)
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    return (low + high) / 2


square_loss = named("square_loss", errors, log=False)
log_loss = named("log_loss", errors, log=True)
against_huber = named("square_loss", errors, log=False, adversary=everywhere)
huber_instead = named(
    "huber_instead",
    errors,
    "Huber's adversary, who chooses no labels",
    log=False,
    adversary=everywhere,
)
log_huber_instead = named(
    "huber_instead",
    errors,
    "Huber's adversary, who chooses no labels",
    log=True,
    adversary=everywhere,
)


def other_order(world: OneCell, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: labels are replaced on the other side of the randomizer."""
    return square_loss(replace(world, order=world.order.swapped), rng, replicates)


chosen_instead = named(
    "chosen_instead",
    errors,
    "an adversary who chooses labels, which Huber's cannot",
    log=False,
    adversary=chosen,
)
label_flip = named(
    "label_flip", errors, "labels are read with the wrong sign", log=False, sign=-1.0
)
log_label_flip = named(
    "label_flip", errors, "labels are read with the wrong sign", log=True, sign=-1.0
)


# Quantities --------------------------------------------------------------------------------------


def between(world: OneCell, algorithm: Algorithm, rng, replicates: int) -> float:
    """The larger of 95 % quantile of the error/upper bound and lower bound/mean error."""
    errors_of_runs = algorithm(world, rng, replicates)
    above = float(np.quantile(errors_of_runs, 1 - FAILURE_PROB)) / upper(world)
    return max(above, lower(world) / max(float(errors_of_runs.mean()), 1e-12))


ERROR = Quantity("root mean squared error at the worst cell")
OVER_ROOT = Quantity("root mean squared error at the worst cell / 2√(ζα·h₀)", over=turned_round)
BETWEEN = Quantity("larger of error / upper and lower / error", between, stream_per_block=True)


# The claims --------------------------------------------------------------------------------------


def check(name: str, axis: str, claim: Any, right: Algorithm, *wrong: Algorithm,
          quantity: Quantity = ERROR, **more: Any) -> Check:  # fmt: skip
    """A check against the adversary who chooses."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


ROOT, LINEAR = Slope("chosen labels: error {rate}", 0.5), Slope("Huber's labels: error {rate}", 1)
SIDES = Inequality("√(2ζα·h₀) ≤ mean error, 95 % quantile of the error ≤ the upper bound")
CHECKS = [
    check("corruption_ctl", "corruption", ROOT, square_loss, huber_instead),
    check("corruption_ltc", "corruption", ROOT, square_loss, huber_instead),
    check("log_corruption_ctl", "corruption", ROOT, log_loss, log_huber_instead),
    check("log_corruption_ltc", "corruption", ROOT, log_loss, log_huber_instead),
    check("huber_ctl", "corruption", LINEAR, against_huber, chosen_instead),
    check("huber_ltc", "corruption", LINEAR, against_huber, chosen_instead),
    check("privacy_cost_ctl", "privacy_cost",
          Ratio("CTL, chosen labels: error → 2√(α·h₀), free of c(ε)"), square_loss, other_order,
          quantity=OVER_ROOT),
    check("privacy_cost_ltc", "privacy_cost", Slope("LTC, chosen labels: error {rate}", 0.5),
          square_loss, other_order, huber_instead),
    check("constant_ltc", "corruption", Ratio("LTC, chosen labels: error → 2√(c(ε)α·h₀)"),
          square_loss, huber_instead, quantity=OVER_ROOT),
    check("constant_log", "corruption", Ratio("CTL, chosen labels, log loss: error → 2√(α·h₀)"),
          log_loss, log_huber_instead, quantity=OVER_ROOT),
    check("bounds_ctl", "corruption", SIDES, square_loss, huber_instead, label_flip,
          quantity=BETWEEN),
    check("bounds_ltc", "corruption", SIDES, log_loss, log_huber_instead, log_label_flip,
          quantity=BETWEEN),
]  # fmt: skip


def small(world: OneCell):
    """ζα ≤ h₀/2."""
    yield "ζα ≤ h₀/2", world.bias <= world.mean / 2, f"ζα = {world.bias:.3g}, h₀ = {world.mean:g}"


THEOREM = Theorem(
    title="P2 section 6: an adversary who chooses which labels to replace",
    settles=["own.chosen_labels"],
    checks=CHECKS,
    worlds={"one_cell": OneCell},
    assumes=at_both_ends(small),
)
