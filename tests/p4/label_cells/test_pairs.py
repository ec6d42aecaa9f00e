"""Label cells: the isometry into the complement of 1, coverage, choices."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.p4.label_cells.assumptions import covered, inside_the_class, sums_to_zero
from repro.p4.label_cells.choices import (
    CellsChoice,
    IsotropicChoice,
    LopsidedChoice,
    OppositeChoice,
    RareChoice,
    SaturatedChoice,
    ThreeArmsChoice,
    UncoveredChoice,
    UnseenChoice,
    build_pair_world,
    pair_choice_at,
)
from repro.p4.label_cells.log_linear import three_arms, two_arms
from repro.p4.label_cells.pairs import (
    PairWorld,
    complement_basis,
    isotropic_cells,
    orthogonal_cells,
    pairs_of,
    random_pair_world,
    unseen_direction,
)
from repro.p4.label_cells.rare_cell import RareCell
from repro.worlds.instances.linear import random_linear_world


@pytest.mark.parametrize("d", [2, 3, 7])
def test_basis_is_orthonormal_and_sums_to_zero(d):
    basis = complement_basis(d)
    assert torch.allclose(basis.T @ basis, torch.eye(d - 1, dtype=torch.float64))
    assert basis.sum(dim=0).abs().max() < 1e-12


def test_embedding_keeps_logits_norms_and_coverage():
    world = orthogonal_cells([0.3, 0.2], [0.4, -0.1], 2.0)
    assert world.reward_diff.tolist() == pytest.approx([0.4, -0.1])
    assert world.feature_diff.norm(dim=1).tolist() == pytest.approx([1.0, 1.0])
    assert abs(float(world.theta.sum())) < 1e-12
    assert float(world.theta.norm()) == pytest.approx(np.hypot(0.4, 0.1))
    assert world.min_eigenvalue == pytest.approx(0.2)
    assert torch.allclose(world.coordinates @ world.truth, world.reward_diff)
    assert world.coordinates.norm(dim=1).max() * world.radius == pytest.approx(2.0)


def test_isotropic_has_the_largest_coverage():
    assert isotropic_cells(8, 0.1, 1.0).min_eigenvalue == pytest.approx(1 / 8)


def test_unseen_direction_has_no_coverage():
    assert unseen_direction().min_eigenvalue == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_random_worlds_meet_definition_5_1(seed):
    world = random_pair_world(4, 3, 1.5, seed)
    assert world.feature_diff.norm(dim=1).max() <= 1 + 1e-12
    assert float(world.theta.norm()) <= 1.5
    assert float(world.cell_prob.sum()) == pytest.approx(1.0)


def test_pairs_of_a_linear_world_keep_its_logits():
    world = random_linear_world(3, 3, 2, 0.5, 1.0, 0.6)
    pairs = pairs_of(world)
    assert torch.allclose(pairs.reward_diff, world.reward_diff)
    assert pairs.feature_diff.norm(dim=1).max() <= 1 + 1e-12
    assert float(pairs.theta.norm()) <= pairs.radius


def test_three_arms_span_every_policy():
    arms = three_arms([4, 3, 1], [0.2, -0.1], 1.0, 0.5)
    assert arms.reference[0].tolist() == pytest.approx([0.5, 0.375, 0.125])
    assert torch.linalg.matrix_rank(arms.features[0]) == 2
    assert arms.feature_diff.norm(dim=1).tolist() == pytest.approx([2**0.5] * 3)


def test_two_arms_have_an_even_optimum():
    assert two_arms(0.1, 0.02).optimal_policy[0].tolist() == pytest.approx([0.5, 0.5])


def test_choices_build_and_sweep():
    cells = CellsChoice(
        kind="cells", num_features=2, min_eigenvalue=0.3, reward_diff=0.1, reward_bound=1.0
    )
    wider = build_pair_world(pair_choice_at(cells, num_features=3), "cpu")
    assert wider.reward_diff.tolist() == pytest.approx([0.1, -0.1, 0.1])
    halves = pair_choice_at(cells, min_eigenvalue=0.5)
    assert build_pair_world(halves, "cpu").cell_prob.tolist() == [0.5, 0.5]
    isotropic = IsotropicChoice(
        kind="isotropic", min_eigenvalue=0.25, reward_diff=0.1, reward_bound=1.0
    )
    assert len(build_pair_world(isotropic, "cpu").cell_prob) == 4
    saturated = SaturatedChoice(kind="saturated", reward_bound=3.0, margin=0.5)
    assert build_pair_world(saturated, "cpu").reward_diff.item() == pytest.approx(2.5)
    opposite = build_pair_world(OppositeChoice(kind="opposite", reward_bound=3.0), "cpu")
    assert opposite.feature_diff.norm(dim=1).tolist() == pytest.approx([2.0])
    assert opposite.reward_diff.item() == pytest.approx(6.0)
    assert (opposite.cell_prob.tolist(), opposite.radius) == ([1.0], 3.0)


def test_choices_of_policies_and_of_rare_cells():
    arms = ThreeArmsChoice(
        kind="three_arms", reference=(4, 3, 1), reward=(0.2, -0.1), reward_bound=1, kl_weight=0.5
    )
    assert arms.build("cpu").policies.reference[0].tolist() == pytest.approx([0.5, 0.375, 0.125])
    lopsided = LopsidedChoice(kind="lopsided", coverage=4, kl_weight=0.02).build("cpu")
    share = lopsided.policies.reference[0, 0].item()
    assert 0.25 / (share * (1 - share)) == pytest.approx(4)
    uncovered = UncoveredChoice(
        kind="uncovered", coverage=10, rewards=(0.02, 0, -0.2), reward_bound=2, kl_weight=0.05
    ).build("cpu")
    assert uncovered.policies.reference[0].tolist() == pytest.approx([0.45, 0.45, 0.1])
    reward = uncovered.policies.reward[0]
    assert (reward - reward[1]).tolist() == pytest.approx([0.02, 0, -0.2])
    assert UnseenChoice(kind="unseen").build("cpu").min_eigenvalue == pytest.approx(0, abs=1e-12)
    rare = RareChoice(
        kind="rare", reward_bound=2, reward_share=-0.5, masses=(0.1, 0.9), ratio=3, fixed_mass=0.2
    ).build("cpu")
    assert (rare.reward_diff, rare.fixed_mass) == (-1.0, 0.2)
    assert rare.ladder().tolist() == pytest.approx([0.1, 0.3, 0.9])


@pytest.mark.parametrize(
    ("change", "message"),
    [({"min_eigenvalue": 0.6}, "they are probabilities"), ({"reward_diff": 2.0}, "reward_bound")],
)
def test_impossible_cells(change, message):
    values = {"kind": "cells", "num_features": 2, "min_eigenvalue": 0.3, "reward_diff": 0.1,
              "reward_bound": 1.0}  # fmt: skip
    with pytest.raises(BadInput, match=message):
        validate(CellsChoice, values | change, "theorem.worlds.x")


def test_under_a_uniform_reference_cells_are_equally_likely():
    world = random_pair_world(5, 4, 1.0, seed=1)
    even = world.under_uniform_reference()
    assert even.cell_prob.tolist() == [1 / len(world.cell_prob)] * len(world.cell_prob)
    assert torch.equal(even.feature_diff, world.feature_diff)
    assert RareCell(2.0, 1.0, (0.01, 0.1), 10**0.5, 0.05).ladder() == pytest.approx(
        [0.01, 0.01 * 10**0.5, 0.1]
    )
    rare = RareCell(2.0, 1.0, (0.01, 0.1), 1.1, 0.05).under_uniform_reference()
    assert (rare.masses, rare.fixed_mass, rare.ladder().tolist()) == ((0.5, 0.5), 0.5, [0.5])


def test_what_is_assumed_of_cells_is_executed():
    """θ = (0.6, −0.6) has norm 0.85; the longest x has norm 2."""
    x = torch.tensor([[2.0, 0.0], [0.0, 0.5]], dtype=torch.float64)
    prob = torch.tensor([0.5, 0.25], dtype=torch.float64)
    theta = torch.tensor([0.6, -0.6], dtype=torch.float64)
    for radius, longest, class_holds, features_hold in (
        (0.84, 2.0, False, True), (0.85, 1.9, True, False), (0.85, 2.0, True, True),
    ):  # fmt: skip
        world = PairWorld(x, prob, theta, radius)
        (_, holds, said), (_, short, length) = inside_the_class(world, longest)
        assert (holds, short) == (class_holds, features_hold)
        assert (said, length) == ("‖θ‖ = 0.849", "‖x‖ ≤ 2")
    assert not inside_the_class(world)[1][1]  # of norm 1 unless it is said
    assert sums_to_zero(world) == ("⟨1,θ⟩ = 0", True, "0")
    for off in (1e-6, -1e-6):
        assert not sums_to_zero(PairWorld(x, prob, theta + off, 1.0))[1]
    # on the complement of 1 the cells are 2/√2 and −0.5/√2
    assert covered(world)[1:] == (True, "ξ = 1.03")
    assert not covered(PairWorld(0 * x, prob, theta, 1.0))[1]
