"""The Gibbs policy of a reward, maximiser of the KL-regularised objective, and its exact gap."""

from __future__ import annotations

from repro.base.torch_later import Tensor, torch


def gibbs_policy(reference: Tensor, reward: Tensor, kl_weight: float | Tensor) -> Tensor:
    """π(a|s) ∝ π_ref(a|s)·exp(r(s, a)/kl_weight) (P1, eq. 5).

    Args:
        reference: (S, A) positive, rows summing to 1.
        reward: (..., S, A).
        kl_weight: > 0, a number or a tensor that broadcasts with the reward; to infinity it
            returns the reference, to 0 the argmax.
    """
    return torch.softmax(torch.log(reference) + reward / kl_weight, dim=-1)


def gibbs_policies(log_reference: Tensor, log_ratio: Tensor) -> Tensor:
    """π(a|s) ∝ π_ref(a|s)·exp(log_ratio(s, a)) of many runs: what ``gibbs_policy`` is to rounding.

    Four times as fast as a softmax over a handful of actions.

    Args:
        log_reference: (S, A) log π_ref.
        log_ratio: (..., S, A), finite: the reward over kl_weight.
    """
    logits = log_reference + log_ratio
    weights = logits.sub_(logits.amax(-1, keepdim=True)).exp_()
    return weights.div_(sum_last(weights).unsqueeze(-1))


def gibbs_suboptimality(
    optimal_policy: Tensor, log_ratio: Tensor, state_prob: Tensor, kl_weight: float | Tensor
) -> Tensor:
    """J(π*) − J(π̂) = kl_weight · E_s KL(π̂‖π*) for π̂ ∝ π*·exp(log_ratio) (P1, eq. 2).

    For a Gibbs policy of an estimated reward, log_ratio = (r̂ − r)/kl_weight, up to a shift per
    state.  Computed as Σ π*·(x·eˣ − (eˣ − 1)) with x = log π̂/π*, every term of which is
    non-negative: the textbook form loses all digits below 1e-17.

    Args:
        optimal_policy: (S, A) π*, or (..., S, A).
        log_ratio: (..., S, A).
        state_prob: (S,) d₀.
        kl_weight: > 0, a number or (...,).

    Returns:
        (...,) gaps in units of reward, ≥ 0.
    """
    x = log_ratio - sum_last(optimal_policy * log_ratio).unsqueeze(-1)
    peak = x.amax(-1, keepdim=True).clamp(min=0)
    shift = torch.log1p(sum_last(optimal_policy * torch.expm1(x)).unsqueeze(-1))
    near = peak < 1
    if not bool(near.all()):
        large = peak + torch.log(sum_last(optimal_policy * torch.exp(x - peak)).unsqueeze(-1))
        shift = torch.where(near, shift, large)
    x = x - shift
    return kl_weight * (sum_last(optimal_policy * excess(x)) @ state_prob)


def sum_last(values: Tensor) -> Tensor:
    """(...) sum over the last axis, as a product: six times as fast over a handful of actions."""
    return values @ torch.ones(values.shape[-1], dtype=values.dtype, device=values.device)


def excess(x: Tensor) -> Tensor:
    """x·eˣ − (eˣ − 1) = x²/2 + x³/3 + …, by its series near 0.

    >>> round(1e25 * float(excess(torch.tensor(1e-12, dtype=torch.float64))), 9)
    5.0
    """
    near = x.abs() < 1e-3
    if not bool(near.any()):
        return x * torch.exp(x) - torch.expm1(x)
    series = x.square() * (1 / 2 + x * (1 / 3 + x * (1 / 8 + x * (1 / 30 + x * (1 / 144)))))
    if bool(near.all()):
        return series
    return torch.where(near, series, x * torch.exp(x) - torch.expm1(x))
