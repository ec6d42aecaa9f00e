"""What no attack on Algorithm 1 can exceed: a certificate beside the value of the attack found.

Labels moved by b, Σ_c|b_c| ≤ ζα =: Z, move the score by s = Σ_c b_c·x_c, so s lies in the hull of
±Z·x_c, and a norm of it is largest at a vertex.  Inside the ball H̄·Δ = s, H̄ the mean Hessian
between θ and θ̂, and σ′ changes by a factor e^±|u| over a step u.  With H the Hessian at the truth,
X = max_c ‖x_c‖_{H⁻¹} and S = Z·X,

    D := max_c |⟨x_c, Δ⟩| ≤ −ln(1 − X·S),    ‖H^-½(H̄ − H)H^-½‖ ≤ e := (e^D − 1)/D − 1,
    ‖R·Δ‖ ≤ Z·max_c ‖R·H⁻¹·x_c‖ + ‖R·H^-½‖·S·e/(1 − e).

Or, the change of the Hessian taken cell by cell, the rest is at most
e·max_c ‖R·H⁻¹·x_c‖·Σ_c m_c·σ′_c·|⟨x_c, Δ⟩| and the sum at most √(Σ_c m_c·σ′_c)·‖Δ‖_H by Cauchy and
Schwarz, ‖Δ‖_H ≤ S·D/(1 − e^−D); the smaller of the two counts.

A single functional ⟨r, Δ⟩ can have a first term that is small beside its rest, so there the second
order is kept (``certified_rise``).  With a_c = ⟨r, H⁻¹x_c⟩, d_c = ⟨x_c, Δ⟩ and u_c = ⟨x_c, H⁻¹s⟩,

    ⟨r, Δ⟩ = Σ a_c·b_c − ½Σ m_c·σ″_c·a_c·d_c² − e₃,    |e₃| ≤ Σ m_c·σ′_c·|a_c|·κ₃(D_c),
    |d_c² − u_c²| ≤ E_c·(D_c + U_c),    |d_c − u_c| ≤ E_c = Σ_j m_j·σ′_j·|⟨x_c, H⁻¹x_j⟩|·κ₂(D_j),

U_c = Z·max_j |⟨x_c, H⁻¹x_j⟩|, κ₂(d) = e^d·d²/2 and κ₃(d) = e^d·d³/6, as |σ″|, |σ‴| ≤ σ′, which is
at most e^|u| times its value a step u away.  What is left, linear and quadratic in b, is wᵀAw over
the simplex of the vertices ±Z·e_c, so at most the largest entry of A.

The first two by Δᵀ·H̄·Δ ≤ sᵀ·Δ, which holds on the ball's surface too, and H̄ ⪰ H·(1 − e^−D)/D.
"""

from __future__ import annotations

import math

import torch

from repro.p4.label_cells.pairs import PairWorld


def certified_floor(world: PairWorld, moved: float, root: torch.Tensor) -> float:
    """Largest ‖R·(θ̂ − θ_true)‖ of n → ∞ labels under any attack; infinite if none is known.

    Args:
        world: label cells; the truth further inside the ball than the certificate.
        moved: Z = ζα.
        root: (e, k) R of the norm.
    """
    return _certified_floors(world, moved, [root])[0]


def _certified_floors(world: PairWorld, moved: float, roots: list[torch.Tensor]) -> list[float]:
    """``certified_floor`` of several norms."""
    unknown = [math.inf] * len(roots)
    x, win = world.coordinates, torch.sigmoid(world.reward_diff)
    slope = world.cell_prob * win * (1 - win)
    hessian = (x * slope[:, None]).T @ x
    values, vectors = torch.linalg.eigh(hessian)
    if float(values[0]) <= 0:
        return unknown
    half = (vectors / values.sqrt()) @ vectors.T
    largest = float((x @ half).norm(dim=1).max())
    score = moved * largest
    if largest * score >= 1:
        return unknown
    distance = -math.log1p(-largest * score)
    off = math.expm1(distance) / distance - 1
    if off >= 1:
        return unknown
    in_l2 = moved * float((half @ half @ x.T).norm(dim=0).max())
    in_l2 += float(half.norm()) * score * off / (1 - off)
    if float(world.truth.norm()) + in_l2 >= world.radius:
        return unknown
    # √(Σ m_c σ′_c)·S·D/(1 − e^−D), for the rest cell by cell.
    sum_at_most = float(slope.sum()) ** 0.5 * (score * distance / -math.expm1(-distance))

    def of(root: torch.Tensor) -> float:
        halved = root @ half
        response = float((halved @ half @ x.T).norm(dim=0).max())
        rest = float(torch.linalg.matrix_norm(halved, 2)) * score * off / (1 - off)
        return moved * response + min(rest, off * response * sum_at_most)

    return [of(root) for root in roots]


def certified_rise(
    world: PairWorld, moved: float, along: torch.Tensor, bend: torch.Tensor | None = None
) -> float:
    """Largest ⟨r, Δ⟩ + ½·Δᵀ·K·Δ, Δ = θ̂ − θ_true, of n → ∞ labels under any attack, to third order.

    Args:
        world: as in ``certified_floor``.
        moved: Z = ζα.
        along: (k,) r.
        bend: (k, k) K, symmetric; none unless given.
    """
    x, win = world.coordinates, torch.sigmoid(world.reward_diff)
    widest = torch.tensor(_certified_floors(world, moved, list(x[:, None])), dtype=x.dtype)
    if not torch.isfinite(widest).all():
        return math.inf
    slope = world.cell_prob * win * (1 - win)
    inverse = torch.linalg.inv((x * slope[:, None]).T @ x)
    response = x @ inverse @ along
    weights, lines = -slope * (1 - 2 * win) * response, x
    if bend is not None:
        values, vectors = torch.linalg.eigh(bend)
        weights, lines = torch.cat([weights, values]), torch.cat([lines, vectors.T])
    moves = lines @ inverse @ x.T
    straight = moved * moves.abs().max(dim=1).values
    grown = slope * widest.exp() * widest.square() / 2
    off = moves.abs() @ grown
    second = (weights.abs() * off * (2 * straight + off)).sum() / 2
    third = (response.abs() * grown * widest / 3).sum()
    straightest = _over_vertices(moved, response, moves.T @ (weights[:, None] * moves) / 2)
    return straightest + float(second + third)


def _over_vertices(moved: float, linear: torch.Tensor, quadratic: torch.Tensor) -> float:
    """At least the maximum of a·b + bᵀQb over Σ|b_c| ≤ Z: the largest entry of its form over ±Z."""
    a, q = moved * torch.cat([linear, -linear]), moved**2 * quadratic
    signed = torch.cat([torch.cat([q, -q], dim=1), torch.cat([-q, q], dim=1)])
    return float(((a[:, None] + a[None, :]) / 2 + signed).max())
