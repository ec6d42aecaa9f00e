"""What P4 assumes of label cells, executed: one name, whether it holds and a detail each."""

from __future__ import annotations

from repro.p4.label_cells.pairs import PairWorld

Assumed = tuple[str, bool, str]


def inside_the_class(world: PairWorld, longest: float = 1.0) -> tuple[Assumed, Assumed]:
    """Definition 5.1: ‖θ‖ ≤ B′ and ‖x‖ ≤ 1, or ≤ 2 as ‖φ‖ ≤ 1 allows."""
    norm, length = float(world.theta.norm()), float(world.feature_diff.norm(dim=1).max())
    return (
        ("class", norm <= world.radius, f"‖θ‖ = {norm:.3g}"),
        ("features", length <= longest + 1e-9, f"‖x‖ ≤ {length:.3g}"),
    )


def covered(world: PairWorld) -> Assumed:
    """Assumption 5.6 on the complement of the all-ones vector: ξ > 0."""
    return "coverage", world.min_eigenvalue > 0, f"ξ = {world.min_eigenvalue:.3g}"


def sums_to_zero(world: PairWorld) -> Assumed:
    """Definition 5.1: ⟨1, θ⟩ = 0, up to rounding."""
    total = abs(float(world.theta.sum()))
    return "⟨1,θ⟩ = 0", total < 1e-9, f"{total:.1g}"
