"""Index typos of P3 and the inverse in P4's Corollary 4.4, printed and corrected, by evaluation."""

import numpy as np
import pytest
import torch

from repro.catalogue.papers import load
from repro.labels.privacy.gaussian import gaussian_delta
from repro.p3.objective_perturbation.with_covariance import printed_shift
from repro.p4.linear_rlhf.bandit import difference_covariance, relative_condition_number
from theorems.kwise_gap import (
    automatic_derivatives,
    claimed_gradient,
    claimed_hessian,
    ranking_loss,
)

GEN = torch.Generator().manual_seed(0)
RECORDS, STEPS, FEATURES = 6, 3, 2
FIRST, SECOND = (
    torch.randn(RECORDS, STEPS, FEATURES, generator=GEN, dtype=torch.float64) for _ in range(2)
)
LABELS = torch.tensor([1.0, 0, 1, 1, 0, 0], dtype=torch.float64)
TRUTH = torch.tensor([0.7, -0.4], dtype=torch.float64)


def trajectory_loss(theta, reward_parameter):
    """ℓ_Dτ before Claim C.1 of P3, with r_θ for the parameter that is put in."""
    one = (FIRST @ reward_parameter(theta)).sum(1)
    zero = (SECOND @ reward_parameter(theta)).sum(1)
    chosen = torch.where(LABELS == 1, one, zero)
    return -(chosen - torch.logaddexp(one, zero)).mean()


def claim_c_1(theta):
    """The printed gradient, x the sum over steps."""
    x = (FIRST - SECOND).sum(1)
    odds = torch.exp(-(x @ theta))
    weight = torch.where(LABELS == 1, odds / (1 + odds), -1 / (1 + odds))
    return -(weight[:, None] * x).mean(0)


def gradient(reward_parameter, theta):
    theta = theta.clone().requires_grad_()
    found = torch.autograd.grad(
        trajectory_loss(theta, reward_parameter), theta, allow_unused=True, materialize_grads=True
    )
    return found[0]


def test_the_trajectory_loss_of_p3_needs_theta_where_the_truth_is_printed():
    """Printed: r_θ* in every place, so that the loss is constant and has no gradient."""
    theta = torch.tensor([0.3, 1.1], dtype=torch.float64)
    constant = [trajectory_loss(t, lambda _: TRUTH) for t in (theta, -theta)]
    assert constant[0] == constant[1] != trajectory_loss(theta, lambda t: t)
    assert gradient(lambda t: TRUTH + 0 * t, theta).abs().max() == 0
    assert gradient(lambda t: t, theta) == pytest.approx(claim_c_1(theta), abs=1e-12)
    assert claim_c_1(theta).abs().max() > 0.1


def test_the_record_loss_of_lemma_b_6_needs_its_minus():
    """Σ log p has a negative Hessian, the printed formula a positive one; its rank is below K."""
    features = torch.randn(20, 4, 6, generator=GEN, dtype=torch.float64)
    theta = torch.randn(20, 6, generator=GEN, dtype=torch.float64)
    _, corrected = automatic_derivatives(theta, features)
    eigenvalues = torch.linalg.eigvalsh(corrected)
    assert (eigenvalues >= -1e-10).all()
    assert (torch.linalg.eigvalsh(-corrected)[:, 0] < -1e-3).all()
    assert (torch.linalg.eigvalsh(claimed_hessian(theta, features, printed=True)) > -1e-10).all()
    assert ((eigenvalues > 1e-10).sum(1) <= 3).all()


def test_the_index_of_claim_b_1():
    """The printed weight of j gives another gradient, whose mean over the two labels has root −θ*.

    Two responses, x their difference: the printed gradient is −σ(θx)·x, averaged over rankings
    drawn at θ*: −σ(θ*x)σ(θx)x + σ(−θ*x)σ(−θx)x, which is 0 at θ = −θ*.
    """
    features = torch.tensor([[[1.0], [0.0]], [[0.0], [1.0]]], dtype=torch.float64)
    truth = torch.tensor([[0.8], [0.8]], dtype=torch.float64)
    chance = torch.exp(-ranking_loss(truth, features))
    assert chance.sum() == pytest.approx(1)

    def mean(sign, printed):
        return (chance @ claimed_gradient(sign * truth, features, printed)).item()

    assert mean(1, printed=False) == pytest.approx(0, abs=1e-12)
    assert mean(-1, printed=True) == pytest.approx(0, abs=1e-12)
    assert abs(mean(1, printed=True)) > 0.1


def test_eq_16_of_p3_holds_for_the_argmax_and_not_for_the_printed_direction():
    """Ĵ(π̂) ≥ Ĵ(π*) by optimality of the argmax of Algorithm 3; printed ≤ fails in most worlds."""
    rng = np.random.default_rng(0)
    printed = []
    for _ in range(200):
        features, truth = rng.standard_normal((4, 3, 2)), rng.standard_normal(2)
        near = truth + 0.5 * rng.standard_normal((50, 2))
        choices = np.stack(np.meshgrid(*[range(3)] * 4), -1).reshape(-1, 4)
        means = features[np.arange(4), choices].mean(1)
        pessimistic = (means @ near.T).min(1)
        best = pessimistic.argmax()
        star = (means @ truth).argmax()
        assert pessimistic[best] >= pessimistic[star]
        printed.append(pessimistic[best] <= pessimistic[star])
        worst = (means @ truth).argmin()
        assert (means @ truth)[worst] <= (means @ truth)[star]
    assert np.mean(printed) < 0.9


def test_corollary_4_4_step_b_of_p4_needs_a_pseudo_inverse():
    """Deterministic π† and π_ref: Σ^diff has rank ≤ S < d, so its inverse does not exist.

    With Σ⁺: E[ψ]ᵀ(Σ_sft+λI)⁻¹E[ψ] ≤ κ·E[ψ]ᵀΣ⁺E[ψ], tr(ΣΣ⁺) = rank ≤ d, and the middle is ≤ κ.
    """
    rng = np.random.default_rng(1)
    for _ in range(50):
        features, states = rng.standard_normal((2, 4, 5)), np.full(2, 0.5)
        first, second = (np.eye(4)[rng.integers(0, 4, 2)] for _ in range(2))
        sft = rng.dirichlet(np.ones(4), 2)
        covariance = difference_covariance(features, states, first, second)
        data = difference_covariance(features, states, sft, sft)
        assert np.linalg.matrix_rank(covariance) <= 2 < 5
        pseudo = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
        mean = np.einsum("s,sa,sai->i", states, first - second, features)
        kappa = relative_condition_number(covariance, data)
        left = mean @ np.linalg.solve(data + 1e-3 * np.eye(5), mean)
        assert left <= kappa * (mean @ pseudo @ mean) * (1 + 1e-9) + 1e-12
        assert mean @ pseudo @ mean <= 1 + 1e-9
        rank = np.linalg.matrix_rank(covariance)
        assert np.trace(covariance @ pseudo) == pytest.approx(rank)


def test_the_printed_inverse_is_not_defined():
    """One state, one pair: Σ = ψψᵀ exactly singular."""
    features = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    first, second = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    covariance = difference_covariance(features, np.ones(1), first, second)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(covariance)


def test_the_lines_above_eq_13_of_p3():
    """⟨b, x⟩ ≥ (nγ/2)‖x‖²_M gives ‖x‖_M ≤ 2‖b‖/(n√(γα)), M = (α/γ)I; half of it is too little.

    The largest such x is 2b/(nα).  With the printed square on the left, ‖b‖_(M⁻¹) ≥ nγ/2 would
    follow, which is false for a small b.
    """
    n_pairs, gamma, alpha = 10.0, 0.1, 0.02
    for b in (0.01, 1.0, 30.0):
        x = 2 * b / (n_pairs * alpha)
        norm = np.sqrt(alpha / gamma) * x
        assert b * x == pytest.approx(n_pairs * gamma / 2 * norm**2)
        proved = 2 * b / (n_pairs * np.sqrt(gamma * alpha))
        assert norm == pytest.approx(proved)
        assert norm > 1.9 * b / (n_pairs * np.sqrt(gamma * alpha))
        dual = b * np.sqrt(gamma / alpha)
        assert dual * norm == pytest.approx(n_pairs * gamma / 2 * norm**2)
        assert (dual >= n_pairs * gamma / 2) == (b > 0.3)


@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_gaussian_releases_are_never_pure(delta):
    """δ(ε) > 0 at every ε for the printed Σ̃ of P3."""
    shift = printed_shift(1.0, delta)
    assert all(gaussian_delta(shift, epsilon) > 0 for epsilon in (0.5, 1.0, 2.0, 4.0))


def test_the_first_term_of_theorem_1_2_does_not_dominate_at_fixed_dimension():
    """√(d/n) against (d·log(1/δ))^(1/4)/√(εn) of P3 at ε = 1, δ = 1/n²."""

    def over_the_first(n_pairs, d):
        first = np.sqrt(d / n_pairs)
        return (d * 2 * np.log(n_pairs)) ** 0.25 / np.sqrt(n_pairs) / first

    ratios = [over_the_first(n_pairs, 4) for n_pairs in (1e2, 1e4, 1e8, 1e16)]
    assert ratios[0] > 1
    assert all(np.diff(ratios) > 0)
    assert over_the_first(1e4, 2 * np.log(1e4)) == pytest.approx(1)


def test_the_smallest_counterexamples_to_claims_b_1_and_b_2_have_their_numbers():
    """Two responses with the features 1 and 0, θ = 1: by autograd, and as printed."""
    theta, features = torch.ones(1, 1), torch.tensor([[[1.0], [0.0]]])
    right = automatic_derivatives(theta, features)
    claimed = [formula(theta, features, True) for formula in (claimed_gradient, claimed_hessian)]
    for name, holds, printed in zip(("claim_b_1", "claim_b_2"), right, claimed, strict=True):
        said = load().items[f"p3.{name}"].counterexample.replace("−", "-")
        assert f"= {holds.item():.3f}, and the claim gives" in said
        assert f"= {printed.item():.3f}." in said


def test_the_smallest_counterexamples_to_lemmas_a_5_and_a_6_have_their_numbers():
    """θ² at 1, whose least value is at 0; 2θ² with the ridge (c/2)θ², c = 2 and γ = 4."""
    said = {name: load().items[f"p3.{name}"].counterexample for name in ("lem_a_5", "lem_a_6")}
    square, theta, gamma, ridge = torch.square, torch.ones(()), 4, 2
    left, right = square(theta * 0) - square(theta), 2 / 2 * square(theta)
    assert f"left side is −{-left:g}, and the right side is {right:g}." in said["lem_a_5"]
    of_both = torch.autograd.functional.hessian(lambda x: 2 * x**2 + ridge / 2 * x**2, theta)
    assert f"second derivative {of_both:g}, and" in said["lem_a_6"]
    assert f"= {gamma * (1 + ridge / 2):g}." in said["lem_a_6"]
