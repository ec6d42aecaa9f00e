"""The certificate by hand, and random worlds."""

import math

import numpy as np
import pytest
import torch
from scipy.special import expit

from repro.p4.adversaries.adversary import STRONG
from repro.p4.corruption_floors.policies import (
    dpo_floor,
    dpo_gap,
    gap_gradient,
    gap_hessian,
    gap_slope,
    rewards_of,
)
from repro.p4.debiased_mle.estimation import target_of, true_counts
from repro.p4.debiased_mle.labels import LabelsOfCells
from repro.p4.label_cells.pairs import orthogonal_cells
from repro.p4.minimax.certificate import certified_floor, certified_rise
from repro.p4.minimax.certified_estimation import certificate_ratio, random_moved, random_world
from repro.p4.minimax.certified_policies import (
    _attacked_widths,
    dpo_value,
    policy_ratio,
    random_policies,
)
from tests.at_each import at_each


def attacked(world, corruption) -> LabelsOfCells:
    """Labels at c(ε) = 3."""
    return LabelsOfCells(world=world, epsilon=math.log(2.0), corruption=corruption,
                         adversary=STRONG)  # fmt: skip


def test_one_cell_by_hand():
    """m = .5, θ = 0: H = m/4, and the exact floor is logit(½ + Z/m)."""
    world, moved = orthogonal_cells([0.5], [0.0], 2.0), 1e-3
    found = certified_floor(world, moved, torch.eye(1, dtype=torch.float64))
    exact = 2 * math.atanh(2 * moved / 0.5)
    assert exact <= found <= exact * 1.01


def test_no_certificate_where_the_attack_moves_too_much_or_leaves_the_ball():
    eye = torch.eye(1, dtype=torch.float64)
    assert certified_floor(orthogonal_cells([0.5], [0.0], 2.0), 0.2, eye) == math.inf
    assert certified_floor(orthogonal_cells([0.5], [1.9999], 2.0), 1e-3, eye) == math.inf


def test_the_attack_reaches_the_certificate_in_random_worlds():
    labels = attacked(orthogonal_cells([0.5], [0.0], 2.0), 1e-5)  # every world is drawn
    rng = np.random.default_rng(0)
    worst = max(certificate_ratio(labels, rng, lambda one: one) for _ in range(15))
    assert 0.95 <= worst <= 1 + 1e-6
    assert worst == pytest.approx(0.9999, abs=0.01)


@pytest.mark.parametrize("kind", range(3), ids=["greedy", "pessimistic", "dpo"])
def test_policies_have_certificates_that_the_attack_all_but_reaches(kind):
    labels = attacked(orthogonal_cells([0.5], [0.0], 2.0), 1e-5)  # every world is drawn
    rng = np.random.default_rng(kind)
    found = [policy_ratio(labels, kind, rng, lambda one: one) for _ in range(6)]
    assert 0.95 <= min(found) <= max(found) <= 1 + 1e-6


def every_shift(world, moved, points=60):
    """(P, k) θ̂ − θ_true of attacks along every edge of Σ|b_c| ≤ Z: the optimum by brute force."""
    x, theta = world.coordinates.numpy(), world.truth.numpy()
    cells, share = len(x), np.linspace(0, 1, points)
    corner = np.eye(cells)
    attacks = [
        moved * (np.outer(share, one * corner[i]) + np.outer(1 - share, two * corner[j]))
        for i in range(cells) for j in range(i) for one in (1, -1) for two in (1, -1)
    ]  # fmt: skip
    score, mass = np.concatenate(attacks) @ x, world.cell_prob.numpy()
    found = np.zeros_like(score)
    win = expit(x @ theta)
    for _ in range(12):
        now = expit((theta + found) @ x.T)
        left = score - (mass * (now - win)) @ x
        hessian = np.einsum("pc,ci,cj->pij", mass * now * (1 - now), x, x)
        found = found + np.linalg.solve(hessian, left[..., None])[..., 0]
    assert np.abs(left).max() < 1e-14
    return torch.from_numpy(found)


@at_each("seed", range(12))
def test_the_best_of_all_attacks_is_just_below_the_certificate_of_one_functional(seed):
    """That of the norm is wider: what it leaves is its own part for curvature, not the attack's."""
    rng = np.random.default_rng(seed)
    found = math.inf
    while not math.isfinite(found):
        world = random_world(rng)
        moved, along = random_moved(world), -world.coordinates[0]
        found = certified_rise(world, moved, along)
    best = float((every_shift(world, moved) @ along).max())
    assert 0.999 * found <= best <= found
    assert found <= certified_floor(world, moved, along[None]) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_attacks_on_dpo_is_just_below_its_certificate(seed):
    rng = np.random.default_rng(seed)
    pairs = random_policies(rng)
    moved = random_moved(pairs)
    case = attacked(pairs, moved / 3)
    value = dpo_value(case, moved)
    if value is None:
        return
    theta = (pairs.truth + every_shift(pairs, moved)) @ pairs.basis.T
    best = float(dpo_gap(pairs.policies, rewards_of(pairs.policies, theta)).abs().max())
    assert 0.95 * value.certificate <= value.attack <= best * (1 + 1e-6)
    assert best <= value.certificate


def best_gap_along_edges(pairs, case, moved, points=20) -> float:
    """|J(π*) − J(π̂)| of Algorithm 1's estimate in its ball, largest over ``points`` on each edge of
    Σ|b_c| ≤ Z.
    """
    cells, share = len(pairs.coordinates), np.linspace(0, 1, points)
    corner = np.eye(cells)
    attacks = [
        moved * (np.outer(share, one * corner[i]) + np.outer(1 - share, two * corner[j]))
        for i in range(cells) for j in range(i) for one in (1, -1) for two in (1, -1)
    ]  # fmt: skip
    moved_by = torch.from_numpy(np.concatenate(attacks))
    target = target_of(case, true_counts(case, None, 1)).repeated(len(moved_by))
    theta = target.estimate(torch.sigmoid(pairs.reward_diff) + moved_by / pairs.cell_prob)
    lost = dpo_gap(pairs.policies, rewards_of(pairs.policies, theta @ pairs.basis.T))
    return float(lost.abs().max())


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 5, 15])
def test_no_attack_on_dpo_is_stronger(times):
    """An attack on ⟨g, θ̂⟩ alone reached .985, .927 and .798 of the best in world 35."""
    found = []
    for seed in range(200):
        pairs = random_policies(np.random.default_rng(seed))
        moved = times * random_moved(pairs)
        case = attacked(pairs, moved / 3)
        best = best_gap_along_edges(pairs, case, moved)
        found.append(float(dpo_floor(case, None, 1)[0]) / best)
    assert min(found) >= 0.999999


@pytest.mark.parametrize("seed", range(5))
def test_the_slope_of_the_gap_at_any_estimate(seed):
    pairs = random_policies(np.random.default_rng(seed))
    at = pairs.truth + 0.3
    gap = lambda x: dpo_gap(pairs.policies, rewards_of(pairs.policies, (pairs.basis @ x)[None]))[0]  # noqa: E731
    by_hand = torch.autograd.functional.jacobian(gap, at)
    assert torch.allclose(gap_slope(pairs.policies, pairs, at[None])[0], by_hand, atol=1e-12)


def test_the_second_derivative_of_the_gap_is_that_of_its_gradient():
    pairs = random_policies(np.random.default_rng(3))
    gap = lambda at: dpo_gap(pairs.policies, rewards_of(pairs.policies, (pairs.basis @ at)[None]))  # noqa: E731
    k = len(pairs.truth)
    step = 1e-3 * torch.from_numpy(np.random.default_rng(4).standard_normal(k))
    straight = gap_gradient(pairs.policies, pairs) @ step
    bent = straight + step @ gap_hessian(pairs.policies, pairs) @ step / 2
    assert float(gap(pairs.truth + step)) == pytest.approx(float(bent), abs=1e-8)


@at_each("margin", [0.4, -0.4])
def test_the_certificate_of_one_functional_in_one_cell_by_hand(margin):
    """In one cell of feature 1 and H = h: U = Z/h, E = κ₂(D) and both signs of b are attacks."""
    moved, world = 0.02, orthogonal_cells([1.0], [margin], 4.0)
    win = float(expit(margin))
    h, skew = win * (1 - win), win * (1 - win) * (1 - 2 * win)
    d = certified_floor(world, moved, torch.eye(1, dtype=torch.float64))
    step, off = moved / h, math.exp(d) * d**2 / 2
    rest = abs(skew) / h * off * (2 * step + off) / 2 + math.exp(d) * d**3 / 6
    best = max(sign * step - skew / h * step**2 / 2 for sign in (1, -1))
    found = certified_rise(world, moved, world.coordinates[0])
    assert found == pytest.approx(best + rest, rel=1e-12)


def test_no_rise_where_no_floor_is_certified():
    world = orthogonal_cells([0.5], [0.0], 2.0)
    assert certified_rise(world, 0.2, world.coordinates[0]) == math.inf


def test_widths_under_attack_at_several_margins_are_those_of_each_alone():
    world = random_world(np.random.default_rng(3))
    case = attacked(world, random_moved(world) / 3)
    margins = np.array([0.1, 0.2, 0.4])
    together = _attacked_widths(case, margins)
    alone = [_attacked_widths(case, margins[j : j + 1])[0] for j in range(3)]
    assert together == pytest.approx(alone, rel=1e-12)
    assert len(set(together)) == 3
