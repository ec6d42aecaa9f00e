"""Steps of the proof of P1's Theorem 4.5, left over right side, many of them near equality.

Assouad's lemma (Lemma A.6) is exact on finite families.  For each inequality a random case is
drawn, and algorithms make of it left over right side; the wrong ones are planted faults.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from repro.base.notation import label_signal
from repro.labels.preferences.label_process import AS_STATED, LabelProcess
from repro.p1.hypercube import risk as exact
from repro.p1.hypercube.prior import HypercubePrior, bernoulli_kl

LARGEST = 1e12
"""Ratios are cut here: who is told the truth has no risk."""
ALMOST = 1e-16


def random_family(rng: np.random.Generator, num_bits: int) -> np.ndarray:
    """Laws P_θ, θ in {±1}^S, on a small space; many of them near the lemma's tightest case.

    A third are products of two-point laws near (1/4, 5/8), a third of random two-point laws,
    a third are Dirichlet draws without structure.

    Args:
        rng: the block's stream.
        num_bits: S ≥ 1.

    Returns:
        (2^S, K) probabilities; bit j of the row index is θ_j.
    """
    shape = rng.integers(3)
    if shape == 2:
        weights = rng.dirichlet(np.full(2**num_bits, 10 ** rng.uniform(-1, 1)), size=2**num_bits)
        return np.maximum(weights, 1e-300)
    pair = np.array([0.2551, 0.6259]) + rng.normal(0, 0.03, 2) if shape else rng.uniform(0, 1, 2)
    pair = np.clip(pair, 1e-6, 1 - 1e-6)
    family = np.ones((1, 1))
    for _ in range(num_bits):
        coordinate = np.stack([pair, 1 - pair], axis=1)
        family = np.kron(family, coordinate)
    return family


def hamming_bayes_risk(family: np.ndarray, process: LabelProcess = AS_STATED) -> float:
    """Least expected number of wrong coordinates of θ, uniform: a lower bound on inf sup.

    The loss of coordinate j is 1 if it is wrong, so that c = 1 in the lemma.

    Args:
        family: (2^S, K) probabilities.
        process: what is returned for the likelier value of a coordinate.
    """
    size = len(family)
    total = 0.0
    for bit in range(size.bit_length() - 1):
        on = (np.arange(size) >> bit) & 1 == 1
        laws = family[~on].mean(0), family[on].mean(0)
        likelier = (laws[1] > laws[0]).astype(float)
        for value, law in enumerate(laws):
            wrong = process.returned(likelier, np.array(float(value))) != value
            total += 0.5 * float(law[wrong].sum())
    return total


def assouad_bound(family: np.ndarray, constant: float = 0.25) -> float:
    """S·c·constant·min exp(−KL(P_θ‖P_θ′)) over neighbours, c = 1; the lemma has ¼."""
    size = len(family)
    bits = size.bit_length() - 1
    largest = max(
        float((family[i] * np.log(family[i] / family[i ^ (1 << bit)])).sum())
        for i in range(size)
        for bit in range(bits)
    )
    return bits * constant * float(np.exp(-largest))


def random_prior(rng: np.random.Generator, **fixed: float) -> HypercubePrior:
    """A hypercube with b < B/2, a < B/2 and βa within three decades of 1."""
    kl_weight = fixed.get("kl_weight", 10 ** rng.uniform(-3, 0.5))
    coverage = fixed.get("coverage", 2 + 10 ** rng.uniform(-1, 4))
    tilt = kl_weight * 10 ** rng.uniform(-3, 1.5)
    return HypercubePrior(
        num_states=int(fixed.get("num_states", rng.integers(1, 9))),
        coverage=coverage,
        kl_weight=kl_weight,
        reward_bound=2.02 * max(tilt, kl_weight * math.log(coverage - 1)),
        tilt=tilt,
        epsilon=fixed.get("epsilon", 10 ** rng.uniform(-1, 1)),
    )


@dataclass(frozen=True)
class BayesCase:
    """A hypercube and n labels from it.

    Attributes:
        prior: the hypercube.
        n_pairs: n.
        process: what is returned for the posterior mean.
    """

    prior: HypercubePrior
    n_pairs: int
    process: LabelProcess = AS_STATED

    @cached_property
    def least(self) -> float:
        """Exact Bayes risk of every learner's problem."""
        risk = exact.exact_bayes_risk(self.prior, self.n_pairs, self.process)
        return max(risk, self.bound / LARGEST)

    @property
    def bound(self) -> float:
        """Step 5 of the proof."""
        return exact.explicit_bound(self.prior, self.n_pairs)


def bayes_case(
    n_pairs: int, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> BayesCase:
    """One state, where the sum is short."""
    prior = random_prior(rng, num_states=1, coverage=2 + 10 ** rng.uniform(-1, 0.5))
    return BayesCase(prior, n_pairs, process)


def bound(case: BayesCase) -> float:
    """Explicit bound over the exact Bayes risk."""
    return case.bound / case.least


def bound_without_quarter(case: BayesCase) -> float:
    """Wrong: without the ¼."""
    return 4 * case.bound / case.least


def bound_sign(case: BayesCase) -> float:
    """Wrong: exp(+n·KL)."""
    growth = math.exp(min(2 * case.n_pairs * case.prior.pair_kl, 700))
    return case.bound * growth / case.least


@dataclass(frozen=True)
class PairCase:
    """A hypercube at a given e^ε − 1; log1p and expm1 together would round.

    Attributes:
        prior: the hypercube.
        epsilon_minus_one: e^ε − 1.
        process: who randomizes its labels.
    """

    prior: HypercubePrior
    epsilon_minus_one: float
    process: LabelProcess = AS_STATED

    @property
    def kl_of_a_record(self) -> float:
        """Exact KL of one private record where two corners differ in one state, the larger one."""
        clean, epsilon = np.array(self.prior.clean_win_prob), self.prior.epsilon
        # labels that nobody randomizes may be certain in float64; a KL needs them not to be
        q, p = np.clip(self.process.released(clean, epsilon), ALMOST, 1 - ALMOST).tolist()
        return self.prior.cell_prob * max(bernoulli_kl(q, p), bernoulli_kl(p, q))

    @property
    def unit(self) -> float:
        """a²/(SC)."""
        return self.prior.tilt**2 / (self.prior.num_states * self.prior.coverage)


def pair_case(
    epsilon_minus_one: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> PairCase:
    """A hypercube at that budget."""
    prior = random_prior(rng, epsilon=math.log1p(epsilon_minus_one))
    return PairCase(prior, epsilon_minus_one, process)


def pair_kl(case: PairCase) -> float:
    """Step 4 as printed."""
    return case.kl_of_a_record / (case.epsilon_minus_one**2 * case.unit)


def pair_kl_fifth(case: PairCase) -> float:
    """Wrong: a fifth of the printed bound."""
    return 5 * pair_kl(case)


def pair_kl_sharper(case: PairCase) -> float:
    """Step 4 with 2α−1 in the place of e^ε−1."""
    return case.kl_of_a_record / (label_signal(case.prior.epsilon) ** 2 * case.unit)


def pair_kl_sharper_ten_percent(case: PairCase) -> float:
    """Wrong: a bound that is 10 % smaller."""
    return pair_kl_sharper(case) / 0.9


@dataclass(frozen=True, eq=False)
class Bits:
    """A finite family of laws, one for each string of bits.

    Attributes:
        family: (2^S, K) probabilities.
        process: what is returned for the likelier value of a bit.
    """

    family: np.ndarray
    process: LabelProcess = AS_STATED

    def share(self, constant: float) -> float:
        """The lemma's bound with a constant over the exact Bayes risk."""
        bound = assouad_bound(self.family, constant)
        return bound / max(hamming_bayes_risk(self.family, self.process), bound / LARGEST)


def assouad_case(
    num_states: int, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> Bits:
    """A random family on that many bits."""
    return Bits(random_family(rng, num_states), process)


def assouad(case: Bits) -> float:
    """Lemma A.6."""
    return case.share(0.25)


def assouad_half(case: Bits) -> float:
    """Wrong: ½ for ¼."""
    return case.share(0.5)
