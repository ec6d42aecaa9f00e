"""Generated financial decisions with two answers each: a substitute for P4's unpublished data.

P4's Appendix D uses 1,697 pairs written by GPT-4o, of which Appendix I prints a few.  These are
none of them: prompts of the same make ("You're saving $3,000 to …"), answers put together from
careful, careless and neutral clauses, and a planted reward, the number of kinds of careful
clauses less that of careless ones.  A label is a Bradley–Terry draw under that reward, so the
model of all four papers holds on this data, which no real data promise.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from repro.base.errors import BadInput
from repro.labels.preferences.pair_records import PreferencePair

PURPOSES = (
    "host a family party", "open a small bakery", "repair the roof", "take a language course",
    "pay off a loan", "travel by train", "invest for retirement", "buy a used car",
    "start a clothing line", "adopt a dog", "build a garden shed", "plan a wedding",
    "learn to sail", "replace the boiler",
)  # fmt: skip
AMOUNTS = ("$900", "$2,500", "$4,000", "$7,500", "$10,000", "$12,500")
FRAMES = (
    "Saving {amount} to {purpose}: how do you proceed?",
    "You have {amount} to {purpose}. What first?",
    "To {purpose} with {amount}: your plan?",
)
CAREFUL = (
    "compare three offers", "keep an emergency fund", "insure the purchase",
    "pay in small steps", "set a monthly budget",
)  # fmt: skip
CARELESS = (
    "borrow against the house", "bet on one stock", "sign without reading",
    "spend it all upfront", "skip the insurance",
)  # fmt: skip
NEUTRAL = (
    "ask a friend to join", "write it in a notebook", "choose a colour", "call on Monday",
    "look at some pictures",
)  # fmt: skip
JOIN = ", then "


def financial_prompts() -> list[str]:
    """Every prompt, in a fixed order."""
    return [
        frame.format(amount=amount, purpose=purpose)
        for frame in FRAMES
        for amount in AMOUNTS
        for purpose in PURPOSES
    ]


@lru_cache(maxsize=2**14)
def planted_reward(response: str) -> float:
    """Kinds of careful clauses in a response less kinds of careless ones, from −5 to 5.

    >>> planted_reward("Compare three offers, then call on Monday.")
    1.0
    """
    text = response.lower()
    return float(sum(c in text for c in CAREFUL) - sum(c in text for c in CARELESS))


def financial_pairs(count: int, seed: int) -> list[PreferencePair]:
    """``count`` pairs, the same for the same seed; prompts may repeat, comparisons hardly.

    Raises:
        BadInput: no pairs are asked for.
    """
    if count < 1:
        raise BadInput("n_pairs", count, "allowed: at least 1")
    rng = np.random.Generator(np.random.Philox(seed))
    prompts = financial_prompts()
    return [_pair(prompts[int(rng.integers(len(prompts)))], rng) for _ in range(count)]


def _pair(prompt: str, rng: np.random.Generator) -> PreferencePair:
    first = second = _answer(rng)
    while first == second:
        second = _answer(rng)
    gap = planted_reward(first) - planted_reward(second)
    if rng.random() < 1.0 / (1.0 + np.exp(-gap)):
        return PreferencePair(prompt, first, second)
    return PreferencePair(prompt, second, first)


def _answer(rng: np.random.Generator) -> str:
    """One to three clauses, each careful, careless or neutral with equal probability."""
    pools = (CAREFUL, CARELESS, NEUTRAL)
    clauses: list[str] = []
    for _ in range(int(rng.integers(1, 4))):
        pool = pools[int(rng.integers(3))]
        left = [clause for clause in pool if clause not in clauses]
        clauses.append(left[int(rng.integers(len(left)))])
    text = JOIN.join(clauses)
    return text[0].upper() + text[1:] + "."
