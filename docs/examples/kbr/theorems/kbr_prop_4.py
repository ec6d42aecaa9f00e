"""KBR Section 3 and Proposition 4: k-ary randomized response and its risk.

Statement.  Each of n people has a letter x of k, drawn from p.  The answer is x with probability
a = e^ε/(e^ε+k−1), and each other letter with probability b = 1/(e^ε+k−1).  The empirical estimator
is p̂ = (q̂ − b)/(a − b), where q̂ has the shares of the answers.  Then

    E‖p̂ − p‖² = (1 − Σp²)/n + (k−1)(k + 2(e^ε−1))/(n(e^ε−1)²)

Proof.  n·q̂ is multinomial with q = b + (a−b)p, so n·E‖q̂ − q‖² = 1 − Σq².  Here
Σq² = kb² + 2b(a−b) + (a−b)²Σp² and a−b = (e^ε−1)/(e^ε+k−1).  Divide by (a−b)²: with E = e^ε − 1,
((E+k)² − k − 2E)/E² − Σp² = 1 − Σp² + (k−1)(k+2E)/E².

What would refute it: a measured risk off the formula by more than 5 % at any k or ε; a ratio of
two probabilities of one answer above e^ε.
"""

import math
from dataclasses import dataclass

import numpy as np

from repro.base.notation import own_axis
from repro.base.schema import Count, FiniteEpsilon, Pairs
from repro.core.check import Check, Quantity, Theorem, at_both_ends, of_world
from repro.core.claims import Inequality, Ratio, Slope

ALPHABET = own_axis("alphabet", "alphabet size k", "k")


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What n people answer about a letter each; letter i has a probability ∝ 1/i.

    Attributes:
        people: n.
        alphabet: k.
        epsilon: budget of one answer.
    """

    people: Pairs
    alphabet: Count
    epsilon: FiniteEpsilon

    @property
    def law(self) -> np.ndarray:
        """(k,) p."""
        weights = 1 / np.arange(1, self.alphabet + 1)
        return weights / weights.sum()

    @property
    def keep(self) -> float:
        """a, the probability of one's own letter."""
        return math.exp(self.epsilon) / (math.exp(self.epsilon) + self.alphabet - 1)

    @property
    def other(self) -> float:
        """b, the probability of each other letter."""
        return 1 / (math.exp(self.epsilon) + self.alphabet - 1)

    @property
    def risk(self) -> float:
        """The right-hand side of Proposition 4."""
        odds, letters = math.expm1(self.epsilon), self.alphabet
        noise = (letters - 1) * (letters + 2 * odds) / odds**2
        return (1 - np.sum(self.law**2) + noise) / self.people

    def shares(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R, k) q̂ of R datasets."""
        answer = self.other + (self.keep - self.other) * self.law
        return rng.multinomial(self.people, answer, replicates) / self.people

    def squared_error(self, estimate: np.ndarray) -> np.ndarray:
        """(R,) ‖p̂ − p‖² of (R, k) estimates."""
        return np.sum((estimate - self.law) ** 2, axis=1)


# Algorithms: right, and wrong on purpose ---------------------------------------------------------


def empirical(world: Answers, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """‖p̂ − p‖² of the empirical estimator."""
    shares = world.shares(rng, replicates)
    return world.squared_error((shares - world.other) / (world.keep - world.other))


def no_debiasing(world: Answers, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: q̂ is taken for p̂."""
    return world.squared_error(world.shares(rng, replicates))


def binary_debiasing(world: Answers, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: divides by the signal of two letters, (e^ε−1)/(e^ε+1)."""
    shares = world.shares(rng, replicates)
    return world.squared_error((shares - world.other) / math.tanh(world.epsilon / 2))


def k_ary_response(world: Answers) -> float:
    """log(a/b), the largest log ratio of two probabilities of one answer."""
    return math.log(world.keep / world.other)


def binary_keep(world: Answers) -> float:
    """Wrong: one's own letter with e^ε/(1+e^ε), whatever k is."""
    keep = math.exp(world.epsilon) / (1 + math.exp(world.epsilon))
    return math.log(keep / ((1 - keep) / (world.alphabet - 1)))


# The claims --------------------------------------------------------------------------------------

PRINTED = Quantity("E‖p̂ − p‖² over the printed risk", over=lambda world: world.risk)
RATIO = Quantity("log ratio over ε", of_world, evidence="exact", over=lambda world: world.epsilon)
WRONG = [no_debiasing, binary_debiasing]

RISK_IN_K = Check(
    name="risk_in_k",
    axis=ALPHABET,
    claim=Ratio("risk as printed, at every k"),
    quantity=PRINTED,
    right=empirical,
    wrong=WRONG,
)

THEOREM = Theorem(
    title="KBR Proposition 4: risk of k-ary randomized response",
    settles=["kbr.prop_4"],
    checks=[
        RISK_IN_K,
        Check(name="risk_in_epsilon", axis="epsilon", claim=Ratio("risk as printed, at every ε"),
              quantity=PRINTED, right=empirical, wrong=WRONG),
        Check(name="many_letters", axis=ALPHABET, claim=Slope("risk {rate} at small ε", 2),
              quantity=Quantity("E‖p̂ − p‖²"), right=empirical, wrong=WRONG),
        Check(name="privacy", axis=ALPHABET, claim=Inequality("largest log ratio ≤ ε"),
              quantity=RATIO, right=k_ary_response, wrong=[binary_keep], settles=["kbr.sec_3"]),
    ],
    worlds={"answers": Answers},
    assumes=at_both_ends(lambda world: [("k ≥ 2", world.alphabet >= 2, f"k = {world.alphabet}")]),
)  # fmt: skip
