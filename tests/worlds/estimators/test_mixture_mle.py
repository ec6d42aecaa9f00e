"""The private MLE against independent optimisers, derivatives and a plain logistic regression."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import expit, xlogy
from sklearn.linear_model import LogisticRegression

from repro.labels.preferences.label_counts import LabelCounts, draw_label_counts, private_win_prob
from repro.worlds.estimators.mixture_mle import MixtureLikelihood, mixture_mle
from repro.worlds.instances.arms import bad_arms_world
from repro.worlds.instances.linear import LinearWorld, random_linear_world

BUDGETS = pytest.mark.parametrize("epsilon", [0.5, 1.0, math.inf])
FREE = 50.0
"""A radius that no fit below reaches."""


def world(radius: float = 1.0) -> LinearWorld:
    return random_linear_world(6, 4, 4, 0.5, radius, 0.6, seed=1)


def draw(w: LinearWorld, n_pairs: int, epsilon: float, replicates: int = 6) -> LabelCounts:
    rng = np.random.Generator(np.random.Philox(5))
    return draw_label_counts(rng, w.cell_prob, w.reward_diff, n_pairs, epsilon, replicates)


def losses(counts: LabelCounts, feature_diff: torch.Tensor, epsilon: float) -> Iterable:
    """Per dataset: mean negative log-likelihood and gradient, written out from P1's eq. 9."""
    flip = 0.0 if epsilon == math.inf else 1 / (1 + math.exp(epsilon))
    x = feature_diff.numpy()
    for m, k in zip(counts.pairs.numpy(), counts.wins.numpy(), strict=True):

        def loss(theta, m=m, k=k):
            d = x @ theta
            win = (1 - flip) * expit(d) + flip * expit(-d)
            lose = (1 - flip) * expit(-d) + flip * expit(d)
            slope = (1 - 2 * flip) * expit(d) * expit(-d)
            value = -(xlogy(k, win) + xlogy(m - k, lose)).sum() / m.sum()
            return value, -((k / win - (m - k) / lose) * slope) @ x / m.sum()

        yield loss


def constrained(loss, start: np.ndarray, radius: float) -> np.ndarray:
    inside = {"type": "ineq", "fun": lambda t: radius**2 - t @ t, "jac": lambda t: -2 * t}
    options = {"ftol": 1e-15, "maxiter": 500}
    found = minimize(loss, start, jac=True, method="SLSQP", constraints=[inside], options=options)
    return found.x


def starts(features: int, radius: float, count: int) -> np.ndarray:
    """(N, d) points spread over the ball."""
    rng = np.random.Generator(np.random.Philox(8))
    directions = rng.standard_normal((count, features))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return radius * np.sqrt(rng.random((count, 1))) * directions


@BUDGETS
@pytest.mark.parametrize("n_pairs", [10**5, 10**12], ids=["n=1e5", "n=1e12"])
def test_agrees_with_scipy(epsilon, n_pairs):
    w = world()
    counts = draw(w, n_pairs, epsilon)
    fitted = mixture_mle(counts, w.feature_diff, epsilon, FREE).numpy()
    for theta, loss in zip(fitted, losses(counts, w.feature_diff, epsilon), strict=True):
        found = minimize(loss, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-10})
        np.testing.assert_allclose(theta, found.x, atol=1e-6)
        np.testing.assert_allclose(loss(theta)[1], 0.0, atol=1e-9)


@pytest.mark.some(4)
@BUDGETS
@pytest.mark.parametrize("n_pairs", [100, 1000, 10_000])
def test_is_the_best_of_many_restarts(epsilon, n_pairs):
    """No optimiser started anywhere in the class finds a likelier reward."""
    w = world()
    counts = draw(w, n_pairs, epsilon, replicates=3)
    fitted = mixture_mle(counts, w.feature_diff, epsilon, w.radius).numpy()
    for theta, loss in zip(fitted, losses(counts, w.feature_diff, epsilon), strict=True):
        others = [constrained(loss, start, w.radius) for start in starts(4, w.radius, 6)]
        best = min(loss(t / max(1, np.linalg.norm(t) / w.radius))[0] for t in others)
        assert loss(theta)[0] <= best + 1e-12


@BUDGETS
def test_on_the_sphere_agrees_with_slsqp(epsilon):
    """A class too small for the data: ‖θ‖ = radius, the score points outwards along θ."""
    w, radius = world(), 0.3
    counts = draw(w, 10**6, epsilon)
    theta = mixture_mle(counts, w.feature_diff, epsilon, radius)
    np.testing.assert_allclose(theta.norm(dim=1).numpy(), radius, rtol=1e-9)
    score, _ = MixtureLikelihood(w.feature_diff, epsilon).derivatives(counts, theta)
    multiplier = (score * theta).sum(1, keepdim=True) / radius**2
    assert bool((multiplier > 0).all())
    residual = (score - multiplier * theta).norm(dim=1) / score.norm(dim=1)
    assert float(residual.max()) < 1e-6
    for one, loss in zip(theta.numpy(), losses(counts, w.feature_diff, epsilon), strict=True):
        np.testing.assert_allclose(one, constrained(loss, np.zeros(4), radius), atol=1e-6)


@pytest.mark.parametrize("assumed", [0.5, 1.0, 1.2, math.inf])
def test_other_budgets_can_be_assumed(assumed):
    """The wrong likelihoods of the controls are maximised as well as the right one."""
    w = world()
    counts = draw(w, 10**6, 1.0)
    fitted = mixture_mle(counts, w.feature_diff, assumed, w.radius).numpy()
    for theta, loss in zip(fitted, losses(counts, w.feature_diff, assumed), strict=True):
        np.testing.assert_allclose(theta, constrained(loss, np.zeros(4), w.radius), atol=1e-6)


@BUDGETS
def test_expected_counts_return_the_truth(epsilon):
    w = world()
    pairs = 1e12 * w.cell_prob[None]
    counts = LabelCounts(pairs, pairs * private_win_prob(w.reward_diff, epsilon))
    fitted = mixture_mle(counts, w.feature_diff, epsilon, w.radius)[0]
    torch.testing.assert_close(fitted, w.theta, rtol=1e-9, atol=1e-9)


def test_no_privacy_is_plain_logistic_regression():
    w = world()
    counts = draw(w, 10**5, math.inf, replicates=3)
    fitted = mixture_mle(counts, w.feature_diff, math.inf, FREE).numpy()
    x, cells = np.vstack([w.feature_diff.numpy()] * 2), len(w.feature_diff)
    labels = np.repeat([1, 0], cells)
    for theta, m, k in zip(fitted, counts.pairs.numpy(), counts.wins.numpy(), strict=True):
        model = LogisticRegression(
            C=np.inf, fit_intercept=False, solver="newton-cholesky", tol=1e-12
        )
        model.fit(x, labels, sample_weight=np.concatenate([k, m - k]))
        np.testing.assert_allclose(theta, model.coef_[0], atol=1e-6)


@BUDGETS
def test_response_never_seen_gets_nothing(epsilon):
    """No pair informs its coordinate, which stays at 0; the others are as without it."""
    w = bad_arms_world(100.0, 3, 0.5, 2.5, 0.1)
    counts = draw(w, 10**5, epsilon)
    seen = w.feature_diff[:, -1] == 0
    kept = LabelCounts(counts.pairs * seen, counts.wins * seen)
    fitted = mixture_mle(kept, w.feature_diff, epsilon, w.radius)
    assert not bool(fitted[:, -1].any())
    alone = mixture_mle(
        LabelCounts(counts.pairs[:, seen], counts.wins[:, seen]),
        w.feature_diff[seen][:, :-1],
        epsilon,
        w.radius,
    )
    torch.testing.assert_close(fitted[:, :-1], alone, rtol=1e-7, atol=1e-8)


def test_no_pairs_at_all_is_the_middle_of_the_class():
    w = world()
    empty = torch.zeros(2, len(w.feature_diff), dtype=torch.float64)
    fitted = mixture_mle(LabelCounts(empty, empty), w.feature_diff, 1.0, w.radius)
    assert torch.equal(fitted, torch.zeros(2, 4, dtype=torch.float64))


def test_labels_all_alike_stop_at_the_boundary():
    """Separable labels have no finite MLE; the class ends it."""
    x = torch.ones(1, 1, dtype=torch.float64)
    counts = LabelCounts(x * 50, x * 50)
    for epsilon in (1.0, math.inf):
        assert float(mixture_mle(counts, x, epsilon, 3.0)) == pytest.approx(3.0)


@BUDGETS
@pytest.mark.parametrize("labels", ["drawn", "expected"])
def test_derivatives_by_autograd(epsilon, labels):
    """The score and minus the Hessian, at labels of the same θ and at their expectation."""
    w = world()
    likelihood = MixtureLikelihood(w.feature_diff, epsilon)
    theta = torch.tensor(starts(4, 1.0, 3))
    pairs = torch.full((3, len(w.feature_diff)), 10**6, dtype=torch.float64)
    win = private_win_prob(theta @ w.feature_diff.T, epsilon)
    drawn = torch.from_numpy(np.random.default_rng(6).binomial(10**6, win)).double()
    counts = LabelCounts(pairs, drawn if labels == "drawn" else pairs * win)
    score, information = likelihood.derivatives(counts, theta)
    for r in range(3):

        def value(t, r=r):
            return likelihood.value(LabelCounts(pairs[r : r + 1], counts.wins[r : r + 1]), t[None])

        gradient = torch.autograd.functional.jacobian(value, theta[r])[0]
        hessian = torch.autograd.functional.hessian(lambda t, f=value: f(t)[0], theta[r])
        torch.testing.assert_close(score[r], gradient, rtol=1e-9, atol=1e-6)
        torch.testing.assert_close(information[r], -hessian, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("wins", [0.0, 50.0])
def test_information_where_the_likelihood_is_convex(wins):
    """Labels that contradict θ: minus the second derivative is below 0, Fisher's quarter is not."""
    x = torch.ones(1, 1, dtype=torch.float64)
    theta = torch.full((1, 1), 3.0 if wins == 0 else -3.0, dtype=torch.float64)
    counts, signal = LabelCounts(50 * x, wins * x), math.tanh(0.5)
    likelihood = MixtureLikelihood(x, 1.0)
    hessian = torch.autograd.functional.hessian(lambda t: likelihood.value(counts, t).sum(), theta)
    t = math.tanh(1.5)
    fisher = 50 * signal**2 * (1 - t**2) ** 2 / (4 * (1 - signal**2 * t**2))
    assert float(hessian) > 0
    _, information = likelihood.derivatives(counts, theta)
    assert float(information) == pytest.approx(fisher / 4)


@BUDGETS
@pytest.mark.parametrize("n_pairs", [100, 10**3, 10**5, 10**9])
def test_few_steps_and_nothing_left_to_go(epsilon, n_pairs, monkeypatch):
    """Newton doubles the digits, and from least squares most are there; from 0 they were four.

    Fisher scoring takes eight steps a dataset at ε = 1, n = 1000.
    """
    from repro.worlds.estimators import mixture_mle as module

    w = world()
    counts = draw(w, n_pairs, epsilon, replicates=500)
    moved, taken = [], module._newton_step
    monkeypatch.setattr(module, "_newton_step", lambda *a: moved.append(len(a[2])) or taken(*a))
    found = mixture_mle(counts, w.feature_diff, epsilon, w.radius)
    steps = sum(moved) / 500
    exact = mixture_mle(counts, w.feature_diff, epsilon, w.radius, tolerance=1e-14)
    assert 1 <= steps <= {100: 8.0, 10**3: 5.5, 10**5: 3.1, 10**9: 2.1}[n_pairs]
    assert float((found - exact).norm(dim=-1).max()) < 2e-9


@BUDGETS
def test_least_squares_are_near_the_maximum(epsilon):
    """Within .3 of the maximum's own error at n = 1e5, within .03 at 1e7."""
    w = world()
    for n_pairs, share in ((10**5, 0.3), (10**7, 0.03)):
        counts = draw(w, n_pairs, epsilon, replicates=200)
        found = mixture_mle(counts, w.feature_diff, epsilon, FREE)
        start = MixtureLikelihood(w.feature_diff, epsilon).by_least_squares(counts)
        error = (found - w.theta).norm(dim=-1).mean()
        assert float((start - found).norm(dim=-1).mean() / error) < share


def test_an_empty_cell_does_not_keep_least_squares_from_the_others():
    x = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    counts = LabelCounts(
        torch.tensor([[100.0, 0.0]]).double(), torch.tensor([[60.0, 0.0]]).double()
    )
    start = MixtureLikelihood(x, math.inf).by_least_squares(counts)
    assert float(start) == pytest.approx(math.log(1.5))


def test_few_labels_start_from_zero():
    """A cell whose labels are all alike has no difference of its own."""
    x = torch.ones(1, 1, dtype=torch.float64)
    start = MixtureLikelihood(x, math.inf).by_least_squares(LabelCounts(5 * x, 5 * x))
    assert float(start) == 0.0


def test_value_is_eq_9_by_hand():
    """65 of 100 at win probability 0.65 (σ = 4/5, ε = log 3)."""
    x = torch.ones(1, 1, dtype=torch.float64)
    value = MixtureLikelihood(x, math.log(3)).value(LabelCounts(100 * x, 65 * x), math.log(4) * x)
    assert float(value) == pytest.approx(65 * math.log(0.65) + 35 * math.log(0.35))


@BUDGETS
@pytest.mark.parametrize("radius", [0.5, 1.0, FREE], ids=["active", "mixed", "free"])
def test_batch_is_one_at_a_time(epsilon, radius):
    w = world()
    counts = draw(w, 10**4, epsilon, replicates=12)
    batch = mixture_mle(counts, w.feature_diff, epsilon, radius)
    single = [
        mixture_mle(LabelCounts(m[None], k[None]), w.feature_diff, epsilon, radius)[0]
        for m, k in zip(counts.pairs, counts.wins, strict=True)
    ]
    torch.testing.assert_close(batch, torch.stack(single), rtol=1e-7, atol=1e-8)


def test_too_long_steps_are_halved():
    """Here whole scoring steps overshoot to a likelihood lower by a hundred."""
    x = torch.tensor([[-0.6, -0.6], [-1.1, -7.8], [-17.7, 3.1]], dtype=torch.float64)
    counts = LabelCounts(
        torch.tensor([[739.0, 225.0, 51183.0]], dtype=torch.float64),
        torch.tensor([[221.0, 61.0, 13765.0]], dtype=torch.float64),
    )
    fitted = mixture_mle(counts, x, 1.0, FREE)[0].numpy()
    (loss,) = losses(counts, x, 1.0)
    reached = [loss(constrained(loss, start, FREE))[0] for start in starts(2, FREE, 20)]
    assert loss(fitted)[0] <= min(reached) + 1e-10


def residual(w: LinearWorld, counts: LabelCounts, epsilon: float, theta: torch.Tensor):
    """(R,) score that is left: along the sphere where θ lies on it, all of it elsewhere."""
    score, _ = MixtureLikelihood(w.feature_diff, epsilon).derivatives(counts, theta)
    outwards = (score * theta).sum(1, keepdim=True).clamp(min=0) / theta.square().sum(1, True)
    on_sphere = (theta.norm(dim=1, keepdim=True) > w.radius * (1 - 1e-9)).double()
    return (score - outwards * on_sphere * theta).norm(dim=1)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("radius", [3.0, 10.0])
def test_few_labels_in_a_wide_class(radius, epsilon):
    """Every row is stationary; Fisher scoring left most of them to go round in circles."""
    w = world(radius)
    counts = draw(w, 100, epsilon, replicates=200)
    theta = mixture_mle(counts, w.feature_diff, epsilon, w.radius)
    assert float(residual(w, counts, epsilon, theta).max()) < 1e-6 * 100


def test_rows_that_do_not_converge_are_nan(monkeypatch):
    """Out of steps, a row is stationary or NaN, never silently unfinished."""
    monkeypatch.setattr("repro.worlds.estimators.mixture_mle.MAX_STEPS", 20)
    w = world(3.0)
    counts = draw(w, 100, 0.1, replicates=200)
    theta = mixture_mle(counts, w.feature_diff, 0.1, w.radius)
    done = ~theta.isnan().any(1)
    assert 0 < int(done.sum()) < 200
    assert bool((theta.isnan().all(1) | done).all())
    assert float(residual(w, counts, 0.1, theta)[done].max()) < 1e-6 * 100


def test_the_settings_of_the_experiments_converge():
    """Radius 1, from 1e2 labels, every assumed budget: no NaN row."""
    w = world()
    for n_pairs in (10**2, 10**4, 10**9, 10**15):
        counts = draw(w, n_pairs, 1.0, replicates=50)
        for assumed in (0.1, 1.0, 1.2, math.inf):
            fitted = mixture_mle(counts, w.feature_diff, assumed, w.radius)
            assert bool(fitted.isfinite().all())
            assert float(fitted.norm(dim=1).max()) <= w.radius * (1 + 1e-9)
