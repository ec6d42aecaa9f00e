"""The certificate by hand, and random worlds."""

import math

import numpy as np
import pytest
import torch

from repro.families.robust.adversaries import STRONG
from repro.families.robust.bounds_cases import PricedCase, RandomCells
from repro.families.robust.bounds_certificate import certified_floor
from repro.families.robust.searches_certificate import certified
from repro.families.robust.searches_policy_certificate import policy_ratio
from repro.families.robust.worlds_pairs import orthogonal_cells


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
    case = PricedCase(world=RandomCells((1.05, 20.0)), cost=3.0, epsilon=math.log(2.0),
                      corruption=1e-5, adversary=STRONG)  # fmt: skip
    worst = np.max(certified.run(case, np.random.default_rng(0), 15))
    assert 0.95 <= worst <= 1 + 1e-6
    assert worst == pytest.approx(0.9999, abs=0.01)


@pytest.mark.parametrize("kind", range(3), ids=["greedy", "pessimistic", "dpo"])
def test_policies_have_certificates_that_the_attack_all_but_reaches(kind):
    case = PricedCase(world=RandomCells((1.05, 20.0)), cost=3.0, epsilon=math.log(2.0),
                      corruption=1e-5, adversary=STRONG)  # fmt: skip
    rng = np.random.default_rng(kind)
    found = [policy_ratio(case, kind, rng, lambda one: one) for _ in range(6)]
    assert 0.95 <= min(found) <= max(found) <= 1 + 1e-6
