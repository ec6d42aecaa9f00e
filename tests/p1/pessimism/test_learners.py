"""Every wrong version of Algorithm 1 errs, and in the direction it is meant to."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import binomtest

from repro.p1.pessimism.datasets import BuiltLabels
from repro.p1.pessimism.learners import EPSILON_OVERSTATED
from repro.worlds.instances.arms import bad_arms_world
from repro.worlds.instances.linear import LinearWorld, random_linear_world
from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world, large_difference_world
from theorems import offline_gap

SCALE = 0.1
FAILURE_PROB = 0.05
REPLICATES = 300
LINEAR = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)
CUBE = hypercube_world(8, 16.0, 1 / 32, 2.0, 1.0)


def gaps(
    method: str,
    world: LinearWorld | TwoArmWorld,
    n_pairs: int,
    epsilon: float = 1.0,
    scale: float = SCALE,
) -> np.ndarray:
    rng = np.random.Generator(np.random.Philox(6))
    source = BuiltLabels(truth=world, n_pairs=n_pairs, epsilon=epsilon, scale=scale)
    values = getattr(offline_gap, method)(source.draw(rng, REPLICATES))
    assert values.shape == (REPLICATES,)
    assert values.dtype == torch.float64
    assert bool((values >= 0).all())
    return values.numpy()


def fall(method: str, world: LinearWorld | TwoArmWorld, low: int, high: int) -> float:
    """How many times smaller the mean gap is with more labels."""
    return gaps(method, world, low).mean() / gaps(method, world, high).mean()


@pytest.mark.parametrize(
    ("method", "world"),
    [
        pytest.param("private_mle", LINEAR, id="linear"),
        pytest.param("private_mle", CUBE, id="hypercube"),
    ],
)
def test_right_estimates_fall_like_1_over_n(method, world):
    assert fall(method, world, 10**9, 10**13) == pytest.approx(1e4, rel=0.2)


def test_the_bonus_leads_where_labels_are_few():
    ratio = gaps("ppkl", LINEAR, 10**8).mean() / gaps("private_mle", LINEAR, 10**8).mean()
    assert ratio > 5


def test_wrong_versions_of_the_whole_algorithm_err_with_the_bonus_on():
    """At 1e14 labels the bonus is all; cut, its square is D²·√(the rarer π_ref)."""
    own = gaps("private_mle", CUBE, 10**14).mean()
    right = gaps("ppkl", CUBE, 10**14).mean()
    cut = gaps("bonus_without_coverage", CUBE, 10**14).mean()
    assert cut - own == pytest.approx((right - own) / 4, rel=0.1)
    assert gaps("inverted_kl_weight_with_bonus", CUBE, 10**14).mean() > 1e4 * right


@pytest.mark.parametrize("world", [LINEAR, CUBE], ids=["linear", "hypercube"])
def test_ppkl_falls_like_1_over_n(world):
    assert fall("ppkl", world, 10**10, 10**14) == pytest.approx(1e4, rel=0.1)


@pytest.mark.parametrize("world", [LINEAR, CUBE], ids=["linear", "hypercube"])
@pytest.mark.parametrize(
    "method", ["naive_likelihood", "epsilon_overstated", "unaccounted_randomizer"]
)
def test_wrong_likelihoods_stop_falling(method, world):
    assert fall(method, world, 10**9, 10**13) == pytest.approx(1, abs=0.1)
    worse = gaps(method, world, 10**10).mean() / gaps("private_mle", world, 10**10).mean()
    assert worse > 100


def test_private_mle_falls_where_naive_does_not():
    assert fall("private_mle", LINEAR, 10**6, 10**10) == pytest.approx(1e4, rel=0.2)
    assert fall("naive_likelihood", LINEAR, 10**6, 10**10) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("method", ["naive_likelihood", "epsilon_overstated"])
def test_wrong_likelihoods_are_right_without_privacy(method):
    assert EPSILON_OVERSTATED > 1
    expected = gaps("private_mle", LINEAR, 10**6, math.inf)
    np.testing.assert_array_equal(gaps(method, LINEAR, 10**6, math.inf), expected)


@pytest.mark.parametrize(
    ("method", "epsilon"),
    [
        pytest.param("naive_likelihood", 1.0, id="clean likelihood on private labels"),
        pytest.param("unaccounted_randomizer", math.inf, id="one more randomizer at 1"),
    ],
)
def test_unaccounted_flips_end_in_their_bias(method, epsilon):
    """They converge to the reward whose clean win probability is the private one at ε = 1."""
    world = large_difference_world(4.0, 2.0, 4.0)  # difference 2
    private = 1 / (1 + math.e) + math.tanh(0.5) / (1 + math.exp(-2))
    biased = math.log(private / (1 - private))
    odds = [2 / 4, biased / 4]
    star, chosen = (1 / (1 + math.exp(-x)) for x in odds)
    kl = chosen * math.log(chosen / star) + (1 - chosen) * math.log((1 - chosen) / (1 - star))
    assert gaps(method, world, 10**14, epsilon).mean() == pytest.approx(4 * kl, rel=1e-5)


def test_no_privacy_assumed_or_not_is_the_same_data():
    """Methods without bonus see the same counts and agree on what they share."""
    np.testing.assert_array_equal(
        gaps("without_bonus", LINEAR, 10**6), gaps("private_mle", LINEAR, 10**6)
    )


def test_bonus_of_scale_zero_is_no_bonus():
    for world in (LINEAR, CUBE):
        np.testing.assert_array_equal(
            gaps("ppkl", world, 10**6, scale=0.0), gaps("private_mle", world, 10**6)
        )


@pytest.mark.parametrize("coverage", [1000.0, 5000.0])
def test_without_bonus_is_worse_on_rare_bad_responses(coverage):
    world = bad_arms_world(coverage, 10, 0.5, 2.5, 0.0625)
    with_bonus, without = (gaps(m, world, 10**5) for m in ("ppkl", "without_bonus"))
    assert without.mean() > 10 * with_bonus.mean()


def test_pessimism_does_not_pay_for_rareness():
    """1/π_ref fifty times larger: the gap with bonus stays, without it grows."""
    worlds = [bad_arms_world(c, 10, 0.5, 2.5, 0.0625) for c in (100.0, 5000.0)]
    growth = {
        m: gaps(m, worlds[1], 10**5).mean() / gaps(m, worlds[0], 10**5).mean()
        for m in ("ppkl", "without_bonus")
    }
    assert growth["ppkl"] < 1.1
    assert growth["without_bonus"] > 100


def test_inverted_kl_weight_does_not_learn():
    """β for 1/β: the policy hardly moves from the reference, whatever n."""
    assert fall("inverted_kl_weight", CUBE, 10**9, 10**13) == pytest.approx(1, abs=1e-3)
    reference, star = CUBE.policies, CUBE.optimal_policy
    kl = (reference * (reference / star).log()).sum(-1) @ CUBE.state_prob
    expected = CUBE.kl_weight * float(kl)
    assert gaps("inverted_kl_weight", CUBE, 10**12).mean() == pytest.approx(expected, rel=0.05)


def test_inverted_kl_weight_is_right_at_one():
    world = hypercube_world(8, 16.0, 1.0, 9.0, 1.0)
    np.testing.assert_array_equal(
        gaps("inverted_kl_weight", world, 10**6), gaps("private_mle", world, 10**6)
    )


def test_uniform_reference_does_not_learn():
    """Its limit is the Gibbs policy that starts from one half."""
    world = hypercube_world(1, 16.0, 1 / 32, 2.0, 1.0)
    odds = world.reward_diff / world.kl_weight
    chosen = torch.stack([torch.sigmoid(odds), torch.sigmoid(-odds)], dim=-1)
    kl = (chosen * (chosen / world.optimal_policy).log()).sum(-1) @ world.state_prob
    limit = gaps("uniform_reference", world, 10**13).mean()
    assert limit == pytest.approx(world.kl_weight * float(kl), rel=1e-3)
    assert limit > 1e4 * gaps("private_mle", world, 10**13).mean()


def test_uniform_reference_is_right_where_the_reference_is_uniform():
    world = large_difference_world(4.0, 0.5, 4.0)
    expected = gaps("private_mle", world, 10**8)
    np.testing.assert_allclose(gaps("uniform_reference", world, 10**8), expected, rtol=1e-9)


def test_hidden_randomizer_has_more_variance():
    """Debiased as it should be, yet the gap is larger by the ratio of informations."""
    world = large_difference_world(4.0, 0.5, 4.0)
    clean, noisy = (gaps(m, world, 10**9, math.inf) for m in ("private_mle", "hidden_randomizer"))
    assert noisy.var() > 100 * clean.var()
    signal, sigma = math.tanh(0.5), 1 / (1 + math.exp(-3.5))
    private = 1 / (1 + math.e) + signal * sigma
    ratio = private * (1 - private) / (signal**2 * sigma * (1 - sigma))
    error = ratio * math.sqrt(2 * 2 / REPLICATES)  # both means are of scaled χ²₁
    assert noisy.mean() / clean.mean() == pytest.approx(ratio, abs=3 * error)
    assert fall_of_hidden(world) == pytest.approx(1e4, rel=0.3)


def fall_of_hidden(world: TwoArmWorld) -> float:
    low, high = (gaps("hidden_randomizer", world, n, math.inf).mean() for n in (10**9, 10**13))
    return low / high


def test_frozen_features_are_right_up_to_two():
    """Only where the truth has more features than two does freezing them cost."""
    two = random_linear_world(6, 4, 2, 0.5, 1.0, 0.6, seed=1)
    np.testing.assert_array_equal(
        gaps("frozen_features", two, 10**6), gaps("private_mle", two, 10**6)
    )
    assert fall("frozen_features", LINEAR, 10**8, 10**12) == pytest.approx(1, abs=0.05)


def test_frozen_features_do_not_grow_with_the_dimension():
    """The truth uses two features: the right gap grows like d, the frozen one does not."""
    growth = {}
    for method in ("private_mle", "frozen_features"):
        few, many = (
            gaps(method, random_linear_world(16, 4, d, 0.5, 1.0, 0.6, 2, seed=2), 10**9).mean()
            for d in (4, 32)
        )
        growth[method] = many / few
    assert growth["private_mle"] == pytest.approx(8, rel=0.3)
    assert growth["frozen_features"] < 2


def test_bonus_of_one_state_is_too_small():
    """Γ² ∝ log N + log 1/δ: eight states against one, in the gap of the bonus."""
    net = math.log1p(2 / 1e-15)
    expected = (8 * net + math.log(20)) / (net + math.log(20))
    right, wrong = (gaps(m, CUBE, 10**13).mean() for m in ("ppkl", "bonus_of_one_state"))
    without = gaps("private_mle", CUBE, 10**13).mean()
    assert (right - without) / (wrong - without) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("n_pairs", [10**4, 10**8])
def test_event_fails_no_more_than_allowed(n_pairs):
    fails = gaps("event_fails", LINEAR, n_pairs)
    assert set(fails.tolist()) <= {0.0, 1.0}
    seen = binomtest(int(fails.sum()), REPLICATES, FAILURE_PROB, "greater")
    assert seen.pvalue > 0.01


@pytest.mark.parametrize("n_pairs", [10**4, 10**8])
def test_event_without_root_fails_too_often(n_pairs):
    fails = gaps("event_fails_without_root", LINEAR, n_pairs)
    seen = binomtest(int(fails.sum()), REPLICATES, FAILURE_PROB, "greater")
    assert seen.pvalue < 1e-6


@pytest.mark.parametrize(
    ("method", "scale", "of"),
    [("event_fails", 1e-3, lambda bonus: bonus),
     ("event_fails_at_half", 4e-3, lambda bonus: bonus / 2),
     ("event_fails_at_quarter", 1.6e-2, lambda bonus: bonus / 4),
     ("event_fails_without_root", 0.1, np.square)],
)  # fmt: skip
def test_event_by_hand(method, scale, of):
    """Some |(r̄ − r*)(s, a) − E_ref of it| above the bonus, on either side."""
    rng = np.random.Generator(np.random.Philox(6))
    source = BuiltLabels(truth=LINEAR, n_pairs=10**4, epsilon=1.0, scale=scale)
    problem = source.draw(rng, REPLICATES)
    error = (problem.fit(1.0) - LINEAR.theta).numpy() @ LINEAR.features.numpy().reshape(24, 4).T
    error = error.reshape(-1, 6, 4)
    reference = LINEAR.reference.numpy()
    centre = np.einsum("sa,rsa->rs", reference, error)[..., None]
    bonus = of(problem.bonus().numpy())
    above, below = error - centre > bonus, centre - error > bonus
    expected = (above | below).any((1, 2))
    assert 0 < above.any((1, 2)).sum() < expected.sum() < REPLICATES
    np.testing.assert_array_equal(getattr(offline_gap, method)(problem).numpy(), expected)


def test_event_fails_always_without_bonus_and_more_with_less():
    """A bonus of nothing covers nothing; failures fall as the constant grows."""
    rates = [
        gaps("event_fails", LINEAR, 10**6, scale=s).mean() for s in (0.0, 3e-4, 1e-3, 3e-3, 0.1)
    ]
    assert rates[0] == 1.0
    assert rates == sorted(rates, reverse=True)
    assert 0 < rates[2] < 1
