"""Theorem 6 of docs/explanations/sharper_floor.md: LTC(α) does all that CTL((1−τ)·c(ε)·α) does.

Small protocols are enumerated: every vector of labels, every transcript.  The channel of a user
depends on the messages before it, so the protocols are sequentially interactive.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from repro.base.notation import privacy_cost

USERS, MESSAGES = 4, 3


def random_channel(rng, epsilon):
    """(2, M) rows Q(·|0), Q(·|1), ε-LDP: weights 1 or e^ε, at random, made to sum to 1."""
    while True:
        common = rng.dirichlet(np.ones(MESSAGES))
        tilt = np.exp(epsilon * rng.uniform(0, 1, size=(2, MESSAGES)))
        rows = common * tilt
        rows /= rows.sum(axis=1, keepdims=True)
        if np.abs(np.log(rows[0] / rows[1])).max() <= epsilon:
            return rows


def randomized_response(epsilon):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    return np.array([[keep, 1 - keep, 0.0], [1 - keep, keep, 0.0]])


class Protocol:
    """ε-LDP channels, one for each user and transcript so far; labels of given win rates."""

    def __init__(self, seed, epsilon):
        self.rng, self.epsilon = np.random.default_rng(seed), epsilon
        self.wins, self.channels = self.rng.uniform(0, 1, USERS), {}
        # the adversary in front of the randomizer sees all labels and changes at most two
        self.corrupted = {y: self._changed(y) for y in itertools.product((0, 1), repeat=USERS)}

    def _changed(self, labels):
        out = np.array(labels)
        where = self.rng.choice(USERS, size=2, replace=False)
        out[where] = self.rng.integers(0, 2, size=2)
        return tuple(out)

    def channel(self, transcript):
        if transcript not in self.channels:
            plain = self.rng.uniform() < 0.3
            found = (
                randomized_response(self.epsilon)
                if plain
                else random_channel(self.rng, self.epsilon)
            )
            self.channels[transcript] = found
        return self.channels[transcript]

    def prob(self, labels):
        return math.prod(w if y else 1 - w for w, y in zip(self.wins, labels, strict=True))

    def behind(self, labels, budget):
        """{transcript: probability} and {replaced: probability} of the adversary behind."""
        states, target = {((), 0): self.prob(labels)}, self.corrupted[labels]
        for i in range(USERS):
            after = {}
            for (transcript, spent), weight in states.items():
                sent, wanted = (self.channel(transcript)[y] for y in (labels[i], target[i]))
                kernel = coupled(sent, wanted) if spent < budget else np.diag(sent)
                for m, new in itertools.product(range(MESSAGES), repeat=2):
                    key = ((*transcript, new), spent + (m != new))
                    after[key] = after.get(key, 0.0) + weight * kernel[m, new]
            states = after
        return states

    def in_front(self, labels):
        """{transcript: probability} under the adversary in front."""
        states, target = {(): self.prob(labels)}, self.corrupted[labels]
        for i in range(USERS):
            states = {
                (*transcript, m): weight * self.channel(transcript)[target[i]][m]
                for transcript, weight in states.items()
                for m in range(MESSAGES)
            }
        return states


def coupled(sent, wanted):
    """(M, M) maximal coupling: equal but for a probability of TV(sent, wanted)."""
    both = np.minimum(sent, wanted)
    apart = 1 - both.sum()
    if apart < 1e-15:
        return np.diag(sent)
    return np.diag(both) + np.outer(sent - both, wanted - both) / apart


def transcripts(states):
    out = {}
    for (transcript, _), weight in states.items():
        out[transcript] = out.get(transcript, 0.0) + weight
    return out


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_laws_of_labels_and_messages_agree_and_replacements_are_binomial_at_most(seed, epsilon):
    protocol, replaced = Protocol(seed, epsilon), np.zeros(USERS + 1)
    for labels in protocol.corrupted:
        found = protocol.behind(labels, USERS)
        in_front, behind = protocol.in_front(labels), transcripts(found)
        assert behind.keys() >= in_front.keys()
        for transcript, weight in behind.items():
            assert weight == pytest.approx(in_front.get(transcript, 0.0), abs=1e-15)
        for (_, spent), weight in found.items():
            replaced[spent] += weight
    above = replaced[::-1].cumsum()[::-1][1:]
    # two labels are changed at most, each replaced with probability 1/c at most
    assert (above <= binom.sf(np.arange(USERS), 2, 1 / privacy_cost(epsilon)) + 1e-12).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_an_adversary_who_stops_at_the_budget_is_off_by_the_chance_to_exceed_it(epsilon):
    protocol, off = Protocol(7, epsilon), 0.0
    for labels in protocol.corrupted:
        in_front, behind = protocol.in_front(labels), transcripts(protocol.behind(labels, 1))
        off += sum(abs(weight - in_front.get(one, 0.0)) for one, weight in behind.items()) / 2
    chance = float(binom.sf(1, 2, 1 / privacy_cost(epsilon)))
    assert 0 < off <= chance


@pytest.mark.parametrize("tau", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("budget", [1, 7, 200])
def test_the_chance_to_exceed_the_budget(tau, budget):
    """m changed labels with m/c ≤ (1−τ)αn: P(Bin(m, 1/c) > αn) ≤ e^(−τ²αn/(2−τ))."""
    for cost in (1.01, 2.0, 40.0):
        changed = math.floor((1 - tau) * cost * budget)
        chance = binom.sf(budget, changed, 1 / cost)
        assert chance <= math.exp(-(tau**2) * budget / (2 - tau))
