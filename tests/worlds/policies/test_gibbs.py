"""The Gibbs policy: the direction of the temperature, eq. (5) by hand, and its optimality."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from repro.base.notation import kl_weight_of_inverse_temperature
from repro.worlds.policies.gibbs import excess, gibbs_policies, gibbs_policy, gibbs_suboptimality
from tests.at_each import at_each

REFERENCE = torch.tensor([[0.2, 0.5, 0.3], [0.7, 0.1, 0.2]], dtype=torch.float64)
REWARD = torch.tensor([[1.0, 0.2, -0.4], [0.0, 0.3, 0.9]], dtype=torch.float64)


def objective(policy: Tensor, kl_weight: float) -> Tensor:
    """J = E[r] − kl_weight·KL(π‖π_ref), states equally likely."""
    kl = (torch.xlogy(policy, policy) - torch.xlogy(policy, REFERENCE)).sum(-1)
    return ((policy * REWARD).sum(-1) - kl_weight * kl).mean(-1)


def random_policies(count: int) -> Tensor:
    rng = np.random.Generator(np.random.Philox(1))
    return torch.from_numpy(rng.dirichlet(np.ones(3), size=(count, 2)))


def test_heavy_kl_returns_the_reference():
    policy = gibbs_policy(REFERENCE, REWARD, 1e9)
    torch.testing.assert_close(policy, REFERENCE, atol=1e-8, rtol=0)


def test_light_kl_returns_the_argmax():
    policy = gibbs_policy(REFERENCE, REWARD, 1e-4)
    expected = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    torch.testing.assert_close(policy, expected, atol=1e-15, rtol=0)


@at_each("beta", [0.5, 4.0])
def test_inverse_temperature_of_the_paper(beta):
    """Eq. (5) as printed, π_ref·exp(β·r)/Z: P1's β multiplies the reward."""
    printed = REFERENCE * torch.exp(beta * REWARD)
    policy = gibbs_policy(REFERENCE, REWARD, kl_weight_of_inverse_temperature(beta))
    torch.testing.assert_close(policy, printed / printed.sum(-1, keepdim=True))


def test_two_responses_by_hand():
    """Odds 1/3 of the reference times e^{log 9} are 3: probabilities 3/4 and 1/4."""
    reference = torch.tensor([[0.25, 0.75]], dtype=torch.float64)
    reward = torch.tensor([[2 * math.log(9), 0.0]], dtype=torch.float64)
    policy = gibbs_policy(reference, reward, 2.0)
    torch.testing.assert_close(policy, torch.tensor([[0.75, 0.25]], dtype=torch.float64))


@at_each("kl_weight", [0.05, 0.5, 5.0])
@at_each("mixed_in", [1e-3, 0.1, 1.0])
def test_no_perturbation_is_better(kl_weight, mixed_in):
    best = gibbs_policy(REFERENCE, REWARD, kl_weight)
    others = (1 - mixed_in) * best + mixed_in * random_policies(2000)
    shortfall = objective(best, kl_weight) - objective(others, kl_weight)
    assert float(shortfall.min()) > 0


@at_each("kl_weight", [0.05, 0.5, 5.0])
def test_shortfall_is_the_divergence(kl_weight):
    """J(π*) − J(π) = kl_weight·E KL(π‖π*), the identity behind P1's eq. (2)."""
    best, others = gibbs_policy(REFERENCE, REWARD, kl_weight), random_policies(200)
    divergence = (others * (torch.log(others) - torch.log(best))).sum(-1).mean(-1)
    shortfall = objective(best, kl_weight) - objective(others, kl_weight)
    torch.testing.assert_close(shortfall, kl_weight * divergence, rtol=1e-9, atol=1e-12)


def test_other_temperature_is_worse():
    best = objective(gibbs_policy(REFERENCE, REWARD, 0.5), 0.5)
    for wrong in (0.25, 0.45, 0.55, 2.0):
        assert float(objective(gibbs_policy(REFERENCE, REWARD, wrong), 0.5)) < float(best)


@at_each("kl_weight", [1e9, 0.3, 1e-4])
def test_policies_of_many_runs_are_those_of_one(kl_weight):
    rewards = torch.stack([REWARD, -REWARD, 0 * REWARD])
    found = gibbs_policies(REFERENCE.log(), rewards / kl_weight)
    expected = gibbs_policy(REFERENCE, rewards, kl_weight)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)


def test_shift_of_a_state_changes_nothing():
    shift = torch.tensor([[5.0], [-30.0]], dtype=torch.float64)
    torch.testing.assert_close(
        gibbs_policy(REFERENCE, REWARD + shift, 0.1), gibbs_policy(REFERENCE, REWARD, 0.1)
    )


def test_batch_of_rewards():
    rewards = torch.stack([REWARD, -REWARD, 1e5 * REWARD])
    policy = gibbs_policy(REFERENCE, rewards, 0.3)
    assert policy.shape == (3, 2, 3)
    for one, reward in zip(policy, rewards, strict=True):
        torch.testing.assert_close(one, gibbs_policy(REFERENCE, reward, 0.3))
    torch.testing.assert_close(policy.sum(-1), torch.ones(3, 2, dtype=torch.float64))


def random_case(key: int, scale: float, states: int = 4, actions: int = 3) -> dict:
    """A world and an estimated reward, off by errors of a size."""
    rng = np.random.Generator(np.random.Philox(key))
    draw = lambda *shape: torch.from_numpy(rng.standard_normal(shape))  # noqa: E731
    return {
        "reference": torch.softmax(draw(states, actions), -1),
        "reward": draw(states, actions),
        "error": scale * draw(states, actions),
        "state_prob": torch.softmax(draw(states), -1),
        "kl_weight": float(np.exp(rng.standard_normal())),
    }


def gap(case: dict) -> float:
    best = gibbs_policy(case["reference"], case["reward"], case["kl_weight"])
    log_ratio = case["error"] / case["kl_weight"]
    return float(gibbs_suboptimality(best, log_ratio, case["state_prob"], case["kl_weight"]))


def objective_of(case: dict, reward: torch.Tensor) -> float:
    """J = E[r] − kl_weight·KL(π‖π_ref) of the Gibbs policy of ``reward``."""
    policy = gibbs_policy(case["reference"], reward, case["kl_weight"])
    kl = (torch.xlogy(policy, policy) - policy * case["reference"].log()).sum(-1)
    value = (policy * case["reward"]).sum(-1) - case["kl_weight"] * kl
    return float(value @ case["state_prob"])


def exact_gap(case: dict) -> float:
    """kl_weight·E KL(π̂‖π*) in 50 digits."""
    best = gibbs_policy(case["reference"], case["reward"], case["kl_weight"])
    with localcontext() as context:
        context.prec, weight = 50, Decimal(case["kl_weight"])
        total = Decimal(0)
        for state, p in enumerate(case["state_prob"].tolist()):
            star = [Decimal(x) for x in best[state].tolist()]
            ratio = [Decimal(x) / weight for x in case["error"][state].tolist()]
            shift = (sum(q * r.exp() for q, r in zip(star, ratio, strict=True)) / sum(star)).ln()
            terms = (q * (r - shift).exp() * (r - shift) for q, r in zip(star, ratio, strict=True))
            total += Decimal(p) * sum(terms)
        return float(weight * total)


@at_each("key", range(10))
def test_is_the_difference_of_objectives(key):
    case = random_case(key, scale=1.0)
    direct = objective_of(case, case["reward"]) - objective_of(case, case["reward"] + case["error"])
    assert gap(case) == pytest.approx(direct, abs=1e-10)


@at_each("scale", [1e-14, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1e3])
@at_each("key", range(3))
def test_is_right_to_many_digits_at_every_size(scale, key):
    """The difference of objectives has no digit left at errors of 1e-9, where the gap is 1e-18."""
    case = random_case(key, scale)
    assert gap(case) == pytest.approx(exact_gap(case), rel=1e-10, abs=0)


@at_each("key", range(5))
def test_tiny_errors_follow_the_second_order(key):
    """E Var_π*(error)/(2·kl_weight)."""
    case = random_case(key, scale=1e-9)
    best = gibbs_policy(case["reference"], case["reward"], case["kl_weight"])
    spread = case["error"] - (best * case["error"]).sum(-1, keepdim=True)
    variance = float((best * spread.square()).sum(-1) @ case["state_prob"])
    assert gap(case) == pytest.approx(variance / (2 * case["kl_weight"]), rel=1e-6, abs=0)
    assert gap(case) > 0


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3),
    st.lists(st.floats(-300, 0), min_size=3, max_size=3),
)
def test_never_negative_and_always_finite(log_ratio, logits):
    best = torch.softmax(torch.tensor([logits], dtype=torch.float64), -1)
    ratio = torch.tensor([log_ratio], dtype=torch.float64)
    value = float(gibbs_suboptimality(best, ratio, torch.ones(1, dtype=torch.float64), 0.5))
    assert 0 <= value < 1e4


def test_huge_log_ratios_by_hand():
    """π̂ all on one response of probability π*: the gap is kl_weight·log 1/π*."""
    best = torch.tensor([[0.25, 0.75], [1e-200, 1.0]], dtype=torch.float64)
    ratio = torch.tensor([[1e6, 0.0], [1e6, -1e6]], dtype=torch.float64)
    one = gibbs_suboptimality(best[:1], ratio[:1], torch.ones(1, dtype=torch.float64), 2.0)
    assert float(one) == pytest.approx(2 * np.log(4))
    rare = gibbs_suboptimality(best[1:], ratio[1:], torch.ones(1, dtype=torch.float64), 2.0)
    assert float(rare) == pytest.approx(2 * 200 * np.log(10))


def test_no_error_and_shifts_of_a_state_cost_nothing():
    case = random_case(0, scale=0.0)
    assert gap(case) == 0.0
    case["error"] = torch.tensor([[5.0], [-3.0], [0.1], [70.0]]).double().expand(4, 3)
    assert gap(case) == pytest.approx(0.0, abs=1e-25)


def test_batch_is_one_at_a_time():
    cases = [random_case(0, scale) for scale in (1e-9, 0.1, 5.0)]
    best = gibbs_policy(cases[0]["reference"], cases[0]["reward"], cases[0]["kl_weight"])
    ratio = torch.stack([c["error"] for c in cases]) / cases[0]["kl_weight"]
    batch = gibbs_suboptimality(best, ratio, cases[0]["state_prob"], cases[0]["kl_weight"])
    assert batch.tolist() == pytest.approx([gap(c) for c in cases], rel=1e-12, abs=0)


@at_each("x", [-745.0, -50.0, -1.0, -1.01e-3, -9.9e-4, -1e-12, 9.9e-4, 1.01e-3, 0.5, 1.0, 50.0])
def test_excess_in_50_digits(x):
    with localcontext() as context:
        context.prec = 50
        exact = float(Decimal(x) * Decimal(x).exp() - (Decimal(x).exp() - 1))
    value = float(excess(torch.tensor(x, dtype=torch.float64)))
    assert value == pytest.approx(exact, rel=1e-12, abs=0)
    assert value > 0


def test_excess_is_zero_at_zero():
    assert float(excess(torch.tensor(0.0, dtype=torch.float64))) == 0.0


def test_gaps_of_near_and_far_policies_in_one_batch_are_those_alone():
    """Steps of a thousandth beside steps of hundreds."""
    policy = torch.tensor([[0.5, 0.3, 0.2]], dtype=torch.float64)
    steps = torch.tensor([[[1e-3, 0.0, -2e-3]], [[300.0, -5.0, 20.0]], [[0.5, 0.2, -0.1]]]).double()
    one = torch.ones(1, dtype=torch.float64)
    found = gibbs_suboptimality(policy, steps, one, 2.0)
    alone = [float(gibbs_suboptimality(policy, step[None], one, 2.0)) for step in steps]
    assert found.tolist() == pytest.approx(alone, rel=1e-9)
    for gap, step in zip(alone, steps, strict=True):
        new = (policy.log() + step).softmax(-1)
        kl = float((new * (new.log() - policy.log())).nan_to_num().sum())
        assert gap == pytest.approx(2 * kl, rel=1e-6)


def test_excess_of_small_and_large_numbers_together():
    x = torch.tensor([-30.0, -1e-2, 1e-8, 2e-3, 3.0], dtype=torch.float64)
    expected = [1 - 31 * math.exp(-30), 0.0, 5e-17, 0.0, 2 * math.exp(3) + 1]
    found = excess(x)
    assert found[[0, 2, 4]].tolist() == pytest.approx([expected[k] for k in (0, 2, 4)], rel=1e-9)
    for k in (1, 3):
        assert float(found[k]) == pytest.approx(float(x[k] ** 2 / 2 + x[k] ** 3 / 3), rel=1e-4)
