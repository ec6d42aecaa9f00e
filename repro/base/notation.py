"""Symbols of the papers and their names in code; the only conversions between them.

Greek letters mean different things in the four papers, so code uses words (see docs/adr/0001).

==================  ==========================================  =====================
code                meaning                                     P1 symbol
==================  ==========================================  =====================
epsilon             privacy budget, in (0, inf]                 ε
keep_prob           randomized response keeps the label         α = e^ε/(1+e^ε)
flip_prob           … flips it                                  1−α
privacy_cost        c(ε) = 1/(2·keep_prob−1), in [1, inf)       1/(2α−1)
kl_weight           weight of KL in J = E[r] − kl_weight·KL     1/β
failure_prob        the bound may fail with this probability    δ
reward_bound        rewards lie in [0, reward_bound]            B
==================  ==========================================  =====================
"""

from __future__ import annotations

import math

AXES = {
    "n_pairs": "labels n",
    "horizon": "horizon T",
    "log10_horizon": "horizon T, as a power of ten",
    "steps": "steps H",
    "privacy_cost": "privacy cost c(ε)",
    "epsilon_minus_one": "e^ε − 1",
    "num_features": "features d",
    "num_states": "states S",
    "num_actions": "actions A",
    "class_size": "class size N",
    "reward_bound": "reward bound B",
    "scaled_bound": "reward bound βB",
    "kl_weight": "KL weight",
    "corruption": "corruption α",
    "coverage": "coverage C",
    "inverse_reference": "1/π_ref(best response)",
    "inverse_reward_bound": "1/R_max",
    "value_ratio": "V_max/R_max",
    "min_eigenvalue": "least eigenvalue",
    "ridge": "ridge",
    "net_radius": "radius of a net τ",
    "dp_delta": "δ of (ε,δ)-DP",
    "ranked_actions": "ranked actions K",
    "epsilon": "privacy budget ε",
    "log_inverse_delta": "log(1/δ)",
}
"""Axis names of the contract and their labels on figures."""

SYMBOLS = {
    "n_pairs": "n",
    "horizon": "T",
    "log10_horizon": "T",
    "steps": "H",
    "privacy_cost": "c(ε)",
    "epsilon_minus_one": "(e^ε−1)",
    "num_features": "d",
    "num_states": "S",
    "num_actions": "A",
    "class_size": "N",
    "reward_bound": "B",
    "scaled_bound": "βB",
    "kl_weight": "kl_weight",
    "corruption": "α",
    "coverage": "C",
    "inverse_reference": "1/π_ref",
    "inverse_reward_bound": "(1/R_max)",
    "value_ratio": "(V_max/R_max)",
    "min_eigenvalue": "ξ",
    "ridge": "λ",
    "net_radius": "τ",
    "dp_delta": "δ",
    "ranked_actions": "K",
    "epsilon": "ε",
    "log_inverse_delta": "log(1/δ)",
}
"""The symbol of each axis, as claims write it."""

LINEAR_AXES = {"reward_bound", "scaled_bound"}
"""Axes on which a slope is of log quantity on the value itself (a claim e^B is a slope of 1)."""


def own_axis(name: str, label: str, symbol: str, *, linear: bool = False) -> str:
    """An axis of a theorem of one's own, declared beside it; returns its name.

    Args:
        name: that of the field that is swept.
        label: on figures, with its symbol and its unit.
        symbol: as claims write it.
        linear: slopes are of log quantity on the value itself, not on its logarithm.

    Raises:
        ValueError: the name is an axis already, with another meaning.

    >>> own_axis("alphabet", "alphabet size k", "k")
    'alphabet'
    """
    meaning = label, symbol, linear
    if name in AXES and meaning != (AXES[name], SYMBOLS[name], name in LINEAR_AXES):
        allowed = f"allowed: axis={name!r} as it is, or another name"
        raise ValueError(f"axis {name!r} is {AXES[name]!r} already; {allowed}")
    AXES[name], SYMBOLS[name] = label, symbol
    LINEAR_AXES.update({name} if linear else ())
    return name


def keep_prob(epsilon: float) -> float:
    """Probability e^ε/(1+e^ε) that randomized response keeps a label (P1, eq. 7).

    >>> keep_prob(math.inf)
    1.0
    """
    return 1.0 / (1.0 + math.exp(-epsilon))


def flip_prob(epsilon: float) -> float:
    """Probability 1/(1+e^ε) that randomized response flips a label (P1, eq. 7).

    >>> flip_prob(math.log(3))
    0.25
    """
    return math.exp(-epsilon) / (1.0 + math.exp(-epsilon))


def label_signal(epsilon: float) -> float:
    """2·keep_prob − 1 = tanh(ε/2), the share of a label's signal that survives (P1, eq. 11)."""
    return math.tanh(epsilon / 2.0)


def privacy_cost(epsilon: float) -> float:
    """c(ε) = (e^ε+1)/(e^ε−1) = 1/(2·keep_prob−1), at least 1 (P1, Theorem 4.2).

    >>> round(privacy_cost(math.log(3)), 12)
    2.0
    """
    return 1.0 / label_signal(epsilon)


def epsilon_minus_one(epsilon: float) -> float:
    """e^ε − 1, the scale of P1's lower bound (Theorem 4.5); not the inverse of privacy_cost."""
    return math.expm1(epsilon)


def epsilon_of_cost(cost: float) -> float:
    """The budget ε whose privacy cost is ``cost`` (> 1): the inverse of ``privacy_cost``.

    >>> round(epsilon_of_cost(privacy_cost(0.3)), 12)
    0.3
    """
    return 2.0 * math.atanh(1.0 / cost)


def kl_weight_of_inverse_temperature(beta: float) -> float:
    """P1 writes KL/β; everything here writes kl_weight·KL (docs/adr/0001).

    >>> kl_weight_of_inverse_temperature(4.0)
    0.25
    """
    return 1.0 / beta
