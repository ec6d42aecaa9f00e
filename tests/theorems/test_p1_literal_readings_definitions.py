"""Readings of P1's Definitions 3.2 and 3.5, against independent computations and by symbols."""

import numpy as np
import pytest
import sympy
import torch
from mpmath import iv

from repro.core.proofs import decided
from repro.worlds.instances.assumptions import linear_concentrability
from repro.worlds.instances.linear import LinearWorld, centred
from theorems import p1_literal_readings as proof
from theorems.p1_literal_readings import FeatureCount, eluder_closed_form, eluder_sums

RNG = np.random.default_rng


def one_hot_world(count):
    """One state, response 0 without features, the others one-hot, class of diameter 1."""
    features = torch.cat([torch.zeros(1, count), torch.eye(count)])[None].double()
    return LinearWorld(
        state_prob=torch.ones(1).double(),
        reference=torch.full((1, count + 1), 1 / (count + 1)).double(),
        features=features,
        theta=torch.zeros(count).double(),
        kl_weight=1.0,
        radius=0.5,
        reward_bound=1.0,
    )


def greedy_sums(world, policy, ridge, horizon):
    """(T,) greedy sums of min(1, U²): a pair teaches φ̃φ̃ᵀ + Cov_π¹ of its state."""
    features = centred(world, policy)
    spread = torch.einsum("sa,sai,saj->sij", policy, features, features)
    flat = features.flatten(0, 1)
    precision = ridge / (2 * world.radius) ** 2 * torch.eye(flat.shape[1], dtype=flat.dtype)
    gains = []
    for _ in range(horizon):
        squared = (flat * torch.linalg.solve(precision, flat.T).T).sum(-1)
        asked = int(squared.argmax())
        gains.append(min(1.0, float(squared[asked])))
        state = asked // features.shape[1]
        precision = precision + torch.outer(flat[asked], flat[asked]) + spread[state]
    return np.cumsum(gains)


@pytest.mark.parametrize("count", [1, 3])
def test_a_drawn_first_response_is_the_general_greedy_sum(count):
    """π¹ on response 0; the general sum adds Cov_π¹ = 0 and the same φφᵀ."""
    policy = torch.zeros(1, count + 1).double()
    policy[0, 0] = 1
    general = greedy_sums(one_hot_world(count), policy, 0.25, 50)
    assert eluder_sums(count, 0.25, 50, 1) == pytest.approx(general)


def test_free_first_responses_teach_nothing():
    assert eluder_sums(3, 0.25, 40, 0) == pytest.approx(np.arange(1, 41))
    assert eluder_sums(3, 4.0, 40, 0)[-1] == pytest.approx(10.0)


@pytest.mark.parametrize(("count", "ridge", "horizon"), [(1, 1.0, 1), (3, 0.25, 300), (5, 0.7, 50)])
def test_the_closed_form_is_the_drawn_sum(count, ridge, horizon):
    sums = eluder_sums(count, ridge, horizon, 1)
    assert eluder_closed_form(count, ridge, horizon) == pytest.approx(sums[-1])


def test_the_bound_of_theorem_5_2_is_log_squared_for_a_linear_class():
    """d_F of d one-hot responses is d harmonic sums; times log(NT/δ) it is d·log² T."""
    d, horizon, ridge, logs = sympy.symbols("d T lambda L", positive=True)
    eluder = d * (sympy.log(horizon / d + ridge) - sympy.log(1 + ridge))
    bound = eluder * (sympy.log(horizon) + logs)
    assert sympy.limit(bound / sympy.log(horizon) ** 2, horizon, sympy.oo) == d
    sums = eluder_sums(4, 0.25, 4000, 1)
    below = 4 * (np.log(np.arange(1, 4001) / 4 + 0.25) - np.log(1.25))
    assert (sums[4::4] >= below[4::4]).all()


def test_the_literal_distance_vanishes_symbolically():
    """b = g − h lies in [−B, B] for g, h in [0, B], and makes the numerator 0."""
    g, h = sympy.symbols("g h", real=True)
    assert ((g - h - sympy.Symbol("b")) ** 2).subs(sympy.Symbol("b"), g - h) == 0
    assert decided(proof.infimum_inside(FeatureCount(num_features=2))) == pytest.approx(1e12)


def leverage(phi, reference):
    moment = np.einsum("sa,sai,saj->ij", reference, phi, phi) / len(reference)
    return np.einsum("sai,ij,saj->sa", phi, np.linalg.inv(moment), phi), moment


def test_the_centred_distance_is_the_one_in_use_and_sharp():
    """On random classes the ratio is the squared cosine that the proof has, 1 along Σ⁻¹φ̃."""
    rng = RNG(1)
    for _ in range(50):
        features, reference = rng.standard_normal((3, 7, 3)), rng.dirichlet(np.ones(7), 3)
        phi = features - np.einsum("sa,sad->sd", reference, features)[:, None]
        distance, moment = leverage(phi, reference)
        for v in (rng.standard_normal(3), np.linalg.solve(moment, phi[0, 0])):
            ratio = (phi @ v) ** 2 / (distance * (v @ moment @ v))
            root = np.linalg.cholesky(moment)
            one, other = root.T @ v, np.linalg.solve(root, phi[0, 0])
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            assert ratio[0, 0] == pytest.approx(cosine**2)
            assert ratio.max() <= 1 + 1e-9
        assert ratio[0, 0] == pytest.approx(1)
    world = one_hot_world(2)
    assert linear_concentrability(world)[0] == pytest.approx(torch.full((3,), 2.0).double())


@pytest.mark.parametrize("c", [-0.5, 0.2, 0.5])
def test_the_uncentred_distance_by_one_feature(c):
    phi, reference = np.array([[[c + 1], [c - 1]]]), np.full((1, 2), 0.5)
    distance, _ = leverage(phi, reference)
    found = float(proof.uncentred(FeatureCount(num_features=1)).ratio(iv.mpf(c)).mid)
    assert found == pytest.approx(1 / distance[0, 1])
