"""δ(ε) on the ball in d ≤ 3 against closed forms, sampling and the one-dimensional code."""

import math

import numpy as np
import pytest
from scipy import integrate

from repro.labels.privacy.gaussian import exact_shift
from repro.p3.objective_perturbation.ball import OnBall, log_area_densities, log_densities
from repro.p3.objective_perturbation.calibration import Calibration, corrected, tied_otherwise
from repro.p3.objective_perturbation.divergence import Slices, log_delta, worst_log_delta
from repro.p3.objective_perturbation.gradients import pairs
from repro.p3.objective_perturbation.neighbour_search import (
    TwoDatasets,
    World,
    guesses,
    most_telling,
)
from repro.p3.objective_perturbation.neighbours import OnBallNeighbours
from repro.p3.objective_perturbation.one_dimension import LogisticRecords
from repro.p3.objective_perturbation.planar_divergence import COARSE, FINE, Rule, Surface
from repro.p3.objective_perturbation.ranking_distance import joint_distances, joint_rankings
from repro.p3.objective_perturbation.ranking_search import evenly_ranked, mirrored_ranking, start
from repro.p3.objective_perturbation.records import Pair, RankedFeatures
from tools.rankings_on_line import ranking_on_line, versions


def flipped(dimension, sigma, count=5000.0):
    """A label flipped along the last axis, many records with even labels along all of them."""
    axes = 2 * np.eye(dimension)
    common = tuple(Pair(tuple(s * one), count) for one in axes for s in (1, -1))
    last = tuple(axes[-1])
    sides = [Pair(last), Pair(tuple(-one for one in last))]
    return [OnBall((*common, one), 40.0, sigma, 1.0, dimension) for one in sides]


@pytest.mark.some(3)
@pytest.mark.parametrize("dp_delta", [1e-3, 1e-12, 1e-30])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_flip_is_a_gaussian_shift(dimension, dp_delta):
    sides = flipped(dimension, 2 / exact_shift(0.5, dp_delta))
    assert worst_log_delta(*sides, 0.5) == pytest.approx(math.log(dp_delta), abs=1e-6)


FINER = Rule(16, 12, 24, 15, 3e-8)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("bound", "dp_delta", "n_pairs", "kind", "dimension"),
    [(5.0, 1e-3, 1000, 1, 2), (3.0, 1e-12, 1000, 3, 2), (1.0, 1e-6, 10**6, 1, 2),
     (5.0, 1e-3, 1000, 1, 3), (0.5, 1e-12, 10**5, 1, 3), (3.0, 1e-3, 1000, 0, 3)],
)  # fmt: skip
def test_finer_rules_change_a_pair_by_less_than_1e_6(bound, dp_delta, n_pairs, kind, dimension):
    made = corrected(0.5, dp_delta, pairs(bound, dimension)).weakened(1.25)
    world = World(n_pairs, bound, dimension)
    one, other = guesses(world, made, 0.5)[kind].datasets(world, made)
    assert log_delta(one, other, 0.5) == pytest.approx(log_delta(one, other, 0.5, FINER), abs=1e-6)


def test_the_middle_coordinate_may_be_joined_to_the_others():
    """Turned about the last axis, the records join all coordinates: slices, not closed forms."""
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    common = (Pair((1.0, 0.0, 0.0), 20.0), Pair((0.0, 1.5, 0.0), 30.0), Pair((0.0, 0.0, 2.0), 9.0))
    last = (Pair((1.2, 0.0, 1.5)), Pair((1.2, 0.0, -1.5)))

    def side(one: Pair, by: np.ndarray) -> OnBall:
        records = tuple(Pair(tuple(by @ each.x), each.count) for each in (*common, one))
        return OnBall(records, 3.0, 6.0, 1.0, 3)

    plain, other_plain = (side(one, np.eye(3)) for one in last)
    turned, other_turned = (side(one, turn) for one in last)
    assert plain.middle_alone
    assert not turned.middle_alone
    found = log_delta(turned, other_turned, 0.2, COARSE)
    assert found == pytest.approx(log_delta(plain, other_plain, 0.2), abs=2e-3)


@pytest.mark.parametrize("rate", [3.0, -3.0, 400.0, -400.0])
def test_slices_are_added_up_to_either_end_of_the_ball(rate):
    """Slices of e^(rate·x) on [−1, 1]: all that matters lies at one end."""

    class Leaning(Slices):
        def _slice(self, middle, epsilon, rule):
            return rate * middle

    ball = OnBall((), 1.0, 1.0, 1.0, 3)
    by_hand = abs(rate) + math.log(-math.expm1(-2 * abs(rate)) / abs(rate))
    assert Leaning(ball, ball).log_integral(0.0, FINE) == pytest.approx(by_hand, abs=1e-6)


def test_one_dimension_agrees_with_the_code_of_the_rows():
    made = Calibration(8.0, 3.0)
    sides = [OnBall((Pair((x,)), Pair((1.5,), 4.0)), 3.0, 8.0, 2.0, 1) for x in (2.0, -1.3)]
    shared = LogisticRecords(1.5, count=4.0)
    wanted = tied_otherwise(
        made, 2.0, (LogisticRecords(2.0), shared), (LogisticRecords(-1.3), shared)
    )
    for epsilon in (0.05, 0.3):
        found = math.exp(worst_log_delta(*sides, epsilon))
        assert found == pytest.approx(wanted.exact_delta(epsilon), rel=1e-6)


RECORDS = (
    (Pair((0.5, -1.2)), Pair((1.0, 0.3), 6.0)),
    (RankedFeatures(((0.5, 0.1), (-0.4, 0.6), (0.0, -1.0))), Pair((-0.2, 1.9), 3.0)),
)


@pytest.mark.parametrize("records", RECORDS)
def test_gradients_and_curvature_are_derivatives(records):
    side, h = OnBall(records, 0.7, 1.0, 1.0, 2), 1e-5
    theta = np.array([[0.3, -0.4]])
    for axis in range(2):
        step = h * np.eye(2)[axis]
        slope = (side.pull(theta + step) - side.pull(theta - step)) / (2 * h)
        assert slope[0] == pytest.approx(side.curvature(theta)[0, axis], abs=1e-7)


@pytest.mark.some(1)
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_runs_follow_the_density_inside_and_on_the_sphere(dimension):
    """E[q/p] = 1 under p, and δ(ε) as a mean over runs."""
    rng = np.random.default_rng(dimension)
    x = rng.uniform(-1, 1, (3, dimension))
    common = tuple(Pair(tuple(one), 3.0) for one in x)
    last = 2 * np.eye(dimension)[-1]
    sides = [OnBall((*common, Pair(tuple(s * last))), 3.0, 4.0, 1.0, dimension) for s in (1, -1)]
    pair = OnBallNeighbours(*sides)
    loss = -pair.scores(rng, False, 1500)
    assert np.exp(-loss).mean() == pytest.approx(1, abs=0.06)
    theta = sides[0].solve(4 * rng.standard_normal((300, dimension)))
    on_sphere = np.linalg.norm(theta, axis=1) > 1 - 1e-9
    assert 0.1 < on_sphere.mean() < 0.95
    delta = np.maximum(0, -np.expm1(0.1 - loss))
    # Random records join all three coordinates, which takes seconds at the fine rule.
    found = math.exp(worst_log_delta(*sides, 0.1, COARSE))
    assert delta.mean() <= found + 4 * delta.std() / math.sqrt(1500)
    assert delta.mean() == pytest.approx(found, abs=0.03)


def test_a_density_of_the_plane_integrates_to_one():
    side = OnBall((Pair((1.5, 0.5), 3.0),), 2.0, 3.0, 1.0, 2)

    def inside(y, x):
        return float(np.exp(side.log_density(np.array([x, y]))))

    disc = integrate.dblquad(
        inside, -1, 1, lambda x: -math.sqrt(1 - x * x), lambda x: math.sqrt(1 - x * x),
        epsabs=1e-6,
    )[0]  # fmt: skip
    turn = (np.arange(2000) + 0.5) / 2000 * 2 * math.pi
    omega = np.stack([np.cos(turn), np.sin(turn)], 1)
    circle = np.exp(side.log_area_density(omega)).mean() * 2 * math.pi
    assert disc + circle == pytest.approx(1, abs=1e-5)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("dimension", "bound", "dp_delta", "n_pairs"),
    [(1, 0.5, 1e-12, 1000), (1, 5.0, 1e-3, 1000), (2, 0.5, 1e-3, 1000), (2, 1.0, 1e-12, 10**6),
     (2, 5.0, 1e-6, 10**5), (3, 3.0, 1e-9, 10**5)],
)  # fmt: skip
def test_the_certified_noise_is_never_caught_and_1_25_times_less_is(
    dimension, bound, dp_delta, n_pairs
):
    made, world = (
        corrected(0.5, dp_delta, pairs(bound, dimension)),
        World(n_pairs, bound, dimension),
    )
    steps = 40 if dimension < 3 else 0
    assert most_telling(world, made, 0.5, steps).exact_delta(0.5) <= dp_delta
    assert most_telling(world, made.weakened(1.25), 0.5).exact_delta(0.5) > dp_delta


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranked", "dimension", "dp_delta"), [(3, 2, 1e-3), (3, 3, 1e-3), (3, 3, 1e-6)]
)
def test_rankings_are_caught_where_n_cannot_pin_them_to_the_edge(ranked, dimension, dp_delta):
    made = corrected(0.5, dp_delta, joint_rankings(ranked, 5.0, dimension))
    world = World(1000, 5.0, dimension)
    assert mirrored_ranking(ranked, world, made, 0.5).exact_delta(0.5) <= dp_delta
    short = mirrored_ranking(ranked, world, made.weakened(1.25), 0.5)
    assert short.exact_delta(0.5) > dp_delta


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("ranked", "bound", "n_pairs"), [(3, 0.5, 1000), (3, 5.0, 10**6), (4, 1.0, 1000)]
)
def test_rankings_on_a_line_are_caught(ranked, bound, n_pairs):
    made = corrected(0.5, 1e-6, joint_rankings(ranked, bound, 1))
    world = World(n_pairs, bound, 1)
    assert ranking_on_line(ranked, world, made, 0.5).exact_delta(0.5) <= 1e-6
    short = ranking_on_line(ranked, world, made.weakened(1.25), 0.5)
    assert short.exact_delta(0.5) > 5e-6
    assert sum(one.count for one in short.one.records) <= n_pairs


@pytest.mark.some(1)
@pytest.mark.parametrize("size", [0.0, 1.5, 4.0])
def test_versions_on_a_line_reach_what_no_two_rankings_exceed(size):
    one, other = (
        float(each.derivatives(np.array([[-size]]))[0][0, 0]) for each in versions(3, size)
    )
    apart = one - other
    limit = joint_distances(3, 4.0, False, 0.0)[0]
    assert 3.3 < apart <= limit
    rng, at = np.random.default_rng(0), np.array([[-size]])
    drawn = rng.uniform(-1, 1, (2000, 3, 1))
    pulls = [
        float(RankedFeatures(tuple(map(tuple, one))).derivatives(at)[0][0, 0]) for one in drawn
    ]
    assert np.ptp(pulls) <= 1.01 * apart


def test_a_row_of_responses_pulls_alike_at_every_angle_that_its_features_reach():
    at = np.array([[-3.0, 0.0]])
    pulls = [
        evenly_ranked(3, (-2.5 / 3, 2.5 / 3 * math.tan(angle))).derivatives(at)[0][0, 0]
        for angle in (0.0, 0.5, 1.0)
    ]
    assert pulls == pytest.approx([pulls[0]] * 3, rel=1e-12)
    assert pulls[0] > 0


@pytest.mark.slow
def test_n_rankings_hold_the_minimiser_where_the_start_says():
    made = corrected(0.5, 1e-6, joint_rankings(3, 5.0, 2))
    world = World(1000, 5.0, 2)
    pins = start(3, world, made, 0.5, 0.0, 0.0)
    one = pins.datasets(3, world, made).one
    theta = one.solve(np.zeros((1, 2)))
    assert float(np.linalg.norm(theta)) == pytest.approx(pins.size, rel=0.02)
    assert sum(record.count for record in pins.common(3, world)) == 999


def test_coordinates_and_back():
    for dimension in (1, 2, 3):
        world = World(1000, 2.0, dimension)
        for one in guesses(world, Calibration(20.0, 40.0), 0.5)[1:]:
            back = TwoDatasets.at(one.coordinates)
            assert back.length == pytest.approx(one.length, abs=1e-6)
            assert back.wins == pytest.approx(one.wins, abs=1e-6)
            assert back.norms == pytest.approx(one.norms, abs=1e-6)
            assert back.angles == pytest.approx(one.angles, abs=1e-6)


def test_neighbours_differ_in_one_record_of_n():
    world = World(1000, 2.0, 2)
    one, other = guesses(world, Calibration(20.0, 40.0), 0.5)[1].datasets(
        world, Calibration(20.0, 40.0)
    )
    assert one.records[:-1] == other.records[:-1]
    assert one.records[-1] != other.records[-1]
    assert 995 <= sum(record.count for record in one.records) <= 1000


def test_what_two_datasets_share_is_looked_at_once_and_changes_no_bit(monkeypatch):
    shared = (
        RankedFeatures(((0.5, 0.1), (-0.4, 0.6), (0.0, -1.0)), 20.0),
        RankedFeatures(((0.1, 0.9), (0.3, -0.2), (-0.8, 0.0)), 7.0),
        Pair((-0.2, 1.9), 3.0),
    )
    last = (RankedFeatures(((0.9, 0.0), (-0.9, 0.0))), RankedFeatures(((0.0, 0.9), (0.0, -0.9))))
    one, other = (OnBall((*shared, own), 0.7, 2.0, 1.5, 2) for own in last)
    theta = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    omega = theta / np.linalg.norm(theta, axis=1, keepdims=True)
    alone = one.log_density(theta), other.log_density(theta)
    alone_on_sphere = one.log_area_density(omega), other.log_area_density(omega)
    asked = []
    right = RankedFeatures.derivatives
    monkeypatch.setattr(
        RankedFeatures, "derivatives", lambda self, at: asked.append(self) or right(self, at)
    )
    np.testing.assert_array_equal(log_densities(one, other, theta), alone)
    np.testing.assert_array_equal(log_area_densities(one, other, omega), alone_on_sphere)
    assert len(asked) == 2 * 4


def test_densities_of_which_rounding_hides_all_but_the_peak_have_an_integral():
    def far(u, t):
        return np.where(np.abs(t) < 1, -2e18, -3e18), np.full_like(t, -4e18)

    part = Surface(far, None, (-1.0, 1.0), round=False)
    assert part.log_integral(1.0, COARSE) < -1e18
