"""f-divergences: policies, gaps and curvatures against independent formulas."""

import math

import numpy as np
import pytest
import torch

from repro.worlds.policies import regularisers as f
from repro.worlds.policies.gibbs import gibbs_policy, gibbs_suboptimality

ALL = {
    "kl": f.KL, "forward": f.FORWARD_KL, "chi": f.CHI_SQUARED, "hellinger": f.HELLINGER,
    "alpha": f.ALPHA_3_2, "both": f.KL_AND_CHI_SQUARED, "flat": f.PowerDivergence(4.0),
    "three": f.AlphaMixture(((0.5, 0.0), (1.0, 2.0), (0.25, 3.0))),
    "weighted": f.AlphaMixture(((4.0, 0.5),)), "mixed": f.AlphaMixture(((0.5, 2.0), (3.0, 1.0))),
    "two": f.AlphaMixture(((1.0, 1.5), (1.0, 3.0))),
}  # fmt: skip


@pytest.fixture
def state():
    rng = np.random.default_rng(0)
    reference = torch.softmax(torch.from_numpy(rng.normal(size=(3, 4))), -1)
    reward, error = torch.from_numpy(rng.normal(size=(2, 3, 4)))
    return reference, reward, error, torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)


def value(regulariser, reference, reward, ratio, state_prob, weight):
    paid = weight * regulariser.value(ratio)
    return float((reference * (ratio * reward - paid)).sum(-1) @ state_prob)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("weight", [0.3, 2.0])
def test_the_policy_is_the_best_and_the_gap_the_difference_of_values(name, weight, state):
    reference, reward, error, prob = state
    ratio, _ = f.regularised_policy(ALL[name], reference, reward, weight)
    assert float((reference * ratio).sum(-1).sub(1).abs().max()) < 1e-12
    other, _ = f.regularised_policy(ALL[name], reference, reward + error, weight)
    best, worse = (value(ALL[name], reference, reward, one, prob, weight) for one in (ratio, other))
    gap = f.regularised_suboptimality(
        ALL[name], reference, reward, (reward + error)[None], prob, weight
    )
    assert float(gap) == pytest.approx(best - worse, rel=1e-9)
    assert float(gap) > 0


@pytest.mark.parametrize("name", ["kl", "chi", "alpha", "both", "hellinger"])
@pytest.mark.parametrize("weight", [1e-4, 1e-3, 1e-2])
def test_responses_that_are_all_but_never_played_cost_what_they_should(name, weight, state):
    """Their ratios lie below the smallest number: e^−1000 and less."""
    reference, reward, error, prob = state
    ratio, _ = f.regularised_policy(ALL[name], reference, reward, weight)
    other, _ = f.regularised_policy(ALL[name], reference, reward + error, weight)
    best, worse = (value(ALL[name], reference, reward, one, prob, weight) for one in (ratio, other))
    gap = f.regularised_suboptimality(
        ALL[name], reference, reward, reward + error, prob, weight
    )  # fmt: skip
    assert float(gap) == pytest.approx(best - worse, rel=1e-10, abs=1e-11)
    assert name == "hellinger" or float(ratio.min()) < 1e-300 or weight == 1e-2


def test_kl_is_the_gibbs_policy(state):
    reference, reward, error, prob = state
    ratio, _ = f.regularised_policy(f.KL, reference, reward, 0.5)
    best = gibbs_policy(reference, reward, 0.5)
    assert torch.allclose(reference * ratio, best, rtol=1e-12)
    known = gibbs_suboptimality(best, error[None] / 0.5, prob, 0.5)
    given = (f.KL, reference, reward, (reward + error)[None], prob, 0.5)
    assert torch.allclose(f.regularised_suboptimality(*given), known, rtol=1e-10)


@pytest.mark.parametrize("name", ALL)
def test_inverse_and_derivatives(name):
    ratio = torch.tensor([0.3, 0.9, 1.7, 3.0], dtype=torch.float64, requires_grad=True)
    regulariser = ALL[name]
    (slope,) = torch.autograd.grad(regulariser.value(ratio).sum(), ratio, create_graph=True)
    (bent,) = torch.autograd.grad(slope.sum(), ratio)
    plain = ratio.detach()
    assert torch.allclose(slope.detach(), regulariser.slope(plain), atol=1e-12)
    assert torch.allclose(bent, regulariser.curvature(plain), atol=1e-12)
    assert torch.allclose(regulariser.inverse(regulariser.slope(plain)), plain, rtol=1e-9)


RATIOS = torch.tensor([0.01, 0.4, 0.9, 1.1, 2.5, 30.0], dtype=torch.float64)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("kl", 4 * math.log(4) - 3),
        ("forward", 3 - math.log(4)),
        ("chi", 4.5),
        ("hellinger", 2.0),
        ("alpha", (8 - 6 + 0.5) / 0.75),
        ("mixed", 0.5 * 4.5 + 3 * (4 * math.log(4) - 3)),
        ("flat", 81 / 12),
    ],
)
def test_values_at_four_by_hand(kind, expected):
    four = torch.tensor(4.0, dtype=torch.float64)
    assert float(ALL[kind].value(four)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "slope", "expected"),
    [
        ("chi", -1.5, 0.0), ("alpha", -2.5, 0.0), ("forward", 1.5, math.inf),
        ("hellinger", 2.5, math.inf), ("flat", -0.4, 0.0), ("two", -3.0, 0.0),
    ],
)  # fmt: skip
def test_beyond_its_slopes_the_inverse_is_zero_or_infinite(kind, slope, expected):
    assert float(ALL[kind].inverse(torch.tensor(slope, dtype=torch.float64))) == expected


@pytest.mark.parametrize("kind", ALL)
def test_the_excess_is_what_a_tangent_lacks_near_and_far(kind):
    """Near by its second order, f″(w)·(v − w)²/2; far by the definition."""
    regulariser = ALL[kind]
    far = regulariser.excess(RATIOS.flip(0), RATIOS)
    expected = regulariser.value(RATIOS.flip(0)) - regulariser.value(RATIOS)
    expected = expected - regulariser.slope(RATIOS) * (RATIOS.flip(0) - RATIOS)
    torch.testing.assert_close(far, expected, rtol=1e-9, atol=1e-12)
    step = 1e-3 * RATIOS
    near = regulariser.excess(RATIOS + step, RATIOS)
    second = regulariser.curvature(RATIOS) * step.square() / 2
    torch.testing.assert_close(near, second, rtol=0.02, atol=0)


def test_response_weights_are_the_curvature_of_the_best_value():
    """diag(h) − hhᵀ/Σh is kl_weight times the Hessian of J* in the rewards, by differences."""
    reference = torch.tensor([[0.5, 0.3, 0.2]], dtype=torch.float64)
    reward = torch.tensor([[0.3, 0.1, -4.0]], dtype=torch.float64)
    for kind in ("kl", "chi", "mixed"):
        regulariser, weight = ALL[kind], 0.7

        def best(reward, regulariser=regulariser, weight=weight):
            ratio, _ = f.regularised_policy(regulariser, reference, reward[None], weight)
            value = reward * ratio[0] - weight * regulariser.value(ratio[0])
            return float((reference[0] * value).sum())

        h = f.response_weights(regulariser, reference, reward, weight)[0]
        expected = (torch.diag(h) - torch.outer(h, h) / h.sum()) / weight
        size, eye = 1e-3, torch.eye(3, dtype=torch.float64)
        found = torch.tensor(
            [
                [
                    sum(s * t * best(reward[0] + size * (s * a + t * b))
                        for s in (1, -1) for t in (1, -1)) / (4 * size**2)
                    for a in eye
                ]
                for b in eye
            ],
            dtype=torch.float64,
        )  # fmt: skip
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)
    assert float(f.response_weights(ALL["chi"], reference, reward, 0.7)[0, 2]) == 0
    policy = gibbs_policy(reference, reward, 0.7)
    torch.testing.assert_close(f.response_weights(f.KL, reference, reward, 0.7), policy)
