"""SquareXPO from offline and online labels, and what happens when its code is broken."""

from dataclasses import replace

from repro.p2.xpo import worst_reward
from theorems import hybrid_xpo
from theorems.hybrid_xpo import Given, OfflineAndOnline


def test_offline_labels_that_are_not_drawn_break_the_upper_bound(turned):
    def wrong(right, *setting, **more):
        *before, start = setting
        return right(*before, replace(start, n_pairs=min(start.n_pairs, 10**6)), **more)

    found = turned("bounds_n_pairs", worst_reward, "average_gap", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")


def test_labels_turned_round_break_the_upper_bound(turned):
    def wrong(right, *setting):
        mean = right(*setting)
        return replace(mean, scale=-mean.scale, offset=-mean.offset, shift=-mean.shift)

    found = turned(
        "bounds_n_pairs", worst_reward, "released_mean", wrong, replicates=400, blocks=20
    )
    assert found == ("supported", "contradicted")


def test_without_optimism_the_rare_response_is_not_found(turned):
    def wrong(right, self, reward, times):
        return 0.0

    found = turned("horizon", OfflineAndOnline, "weight", wrong, replicates=1600, blocks=20)
    assert found[0] == "supported" != found[1]


def test_a_lower_bound_ten_times_as_large_is_caught(turned):
    def wrong(right, *setting):
        return 10 * right(*setting)

    found = turned("bounds_horizon", hybrid_xpo, "least_gap", wrong, replicates=400, blocks=20)
    assert found == ("supported", "contradicted")


def test_the_weight_of_optimism_makes_both_terms_equal():
    given = Given(1.0, 100, 1000, 2.0, 30.0, 5.0, 0.3)
    weight, slope = given.optimism, given.inverse_slope
    labels = given.error / weight
    pairs = weight * slope**2 * given.new_pairs / (64 * 0.09836733507)
    assert abs(labels / pairs - 1) < 1e-6
    assert abs((labels + pairs) / given.upper - 1) < 1e-6


def test_bad_numbers_are_one_line(refused):
    refused("horizon", "horizon=0.5")


def test_bounds_of_n_keep_their_epsilon(swept_of):
    """At ε = 8 and n = 1e13 most gaps are 0, and so are means of ten."""
    worlds = swept_of(epsilon=8)["bounds_n_pairs"].sweep.worlds
    assert {world.epsilon for world in worlds} == {1}
