"""The best iterate on many states, against rounds that are played one by one."""

import math

import numpy as np
import pytest

from repro.p2.xpo.runs import RewardLadder
from theorems import best_iterate
from theorems.best_iterate import OF_REFERENCE, OF_WRONG, EverySize, OneSize, printed_bound

WORLD = OneSize(epsilon=1.0, num_states=3, inverse_reward_bound=1.0, steps=2.0, grid_ratio=1.0001)


def round_by_round(
    world: OneSize, square: bool, multiple: float, rng: np.random.Generator
) -> float:
    """Least gap over R of one run; every policy of the class is scored in every round."""
    cost, horizon, reward = 1 / math.tanh(world.epsilon / 2), world.rounds, world.rewards[0]
    beta, gamma = reward / 2, multiple * reward / 2 * cost / math.sqrt(horizon)
    signs = np.array(np.meshgrid(*[[1, -1]] * world.num_states)).reshape(world.num_states, -1)
    log_prob = -np.log1p(np.exp(-2.0 * signs))  # of the better response, by state and policy
    log_other = -np.log1p(np.exp(2.0 * signs))
    score = np.zeros(signs.shape[1])
    gaps, current = [OF_REFERENCE], None
    for _ in range(horizon):
        state = rng.integers(world.num_states)
        chance = 0.5 if current is None else math.exp(log_prob[state, current])
        first, second = rng.random() < chance, rng.random() < 0.5  # whether the better one is drawn
        logs = log_prob[state] if second else log_other[state]
        score += gamma * logs
        if first != second:
            win = 1 / (1 + math.exp(-reward if first else reward))
            y = 1 if rng.random() < win else -1
            z = y if rng.random() < 1 / (1 + math.exp(-world.epsilon)) else -y
            difference = beta * (log_prob[state] - log_other[state]) * (1 if first else -1)
            mean = np.tanh(difference / 2)
            if square:
                score += (mean - cost * z) ** 2
            else:
                score -= cost**2 * np.log((1 + z * mean / cost) / 2)
        least = score <= score.min() + 1e-9
        current = rng.choice(np.flatnonzero(least))
        gaps.append(OF_WRONG * (signs[:, current] < 0).mean())
    return min(gaps)


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("multiple", [0.1, 1.0])
def test_runs_of_single_rounds_have_the_same_gaps(square, multiple):
    rng, runs = np.random.default_rng(5), 150
    slow = [round_by_round(WORLD, square, multiple, rng) for _ in range(runs)]
    (fast,) = best_iterate.best_iterates(
        WORLD, rng, 20 * runs, square=square, multiples=(multiple,), sign=1.0
    )
    error = math.sqrt(np.var(slow) / runs + np.var(fast) / len(fast))
    assert abs(np.mean(slow) - fast.mean()) < 4 * error + 1e-12


def test_the_printed_bound_by_hand():
    world = OneSize(epsilon=1.0, num_states=64, inverse_reward_bound=1e3, steps=1.0, grid_ratio=1.1)
    cost = 1 / math.tanh(0.5)
    horizon = round(64 * cost**2 * 1e6)
    value = 0.5e-3 * math.log((1 + math.exp(2)) / 2)
    logs = math.log(2**64 * horizon / 0.05)
    bound = (value + 1e-3) * math.exp(2e-3) * math.log(horizon) * cost
    bound *= math.sqrt(2 / (1 + math.exp(-2)) * logs / horizon)
    assert printed_bound(world) == pytest.approx(bound / 1e-3)


def test_gaps_of_one_state():
    assert pytest.approx(0.2169, abs=1e-4) == OF_REFERENCE  # log cosh 1 / 2
    assert pytest.approx(0.7616, abs=1e-4) == OF_WRONG  # tanh 1


def test_bad_worlds_are_refused():
    with pytest.raises(ValueError, match="rounds"):
        OneSize(epsilon=1.0, num_states=64, inverse_reward_bound=1e9, steps=3, grid_ratio=1.1)


def test_a_ladder_that_ends_too_early_is_a_failed_replicate():
    world = EverySize(
        epsilon=1.0, num_states=4, horizon=100, grid_ratio=1.5,
        ladder=RewardLadder(low=1e-4, high=1e-3, rungs=3),
    )  # fmt: skip
    (row,) = best_iterate.worst_size(
        [world], [best_iterate.tuned_square_xpo], [np.random.default_rng(0)], 4
    )
    assert np.isnan(row[0]).all()


def test_a_loss_without_the_reward_turns_the_rate(turned):
    def wrong(right, *setting):
        return 0.5

    found = turned(
        "rate_square", best_iterate, "released_win_prob", wrong, replicates=400, blocks=20
    )
    assert found[0] == "supported" != found[1]
