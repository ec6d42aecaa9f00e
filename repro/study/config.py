"""Budgets and top-level overrides.

Hydra composes YAML; these models check it.  A wrong value becomes one BadInput line.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from repro.base.schema import Epsilon, KLWeight, Model, Pairs, Positive, Whole

Blocks = Annotated[Whole, Field(ge=5, le=1000, description="independent blocks of replicates")]


class Budget(Model):
    """How much is simulated."""

    name: Literal["smoke", "laptop", "paper"]
    replicates: Annotated[Whole, Field(ge=20, le=10**7, description="per grid point")]
    blocks: Blocks
    row_error: Annotated[
        Positive, Field(le=0.05, description="chance that the deciding interval misses the truth")
    ]


class Overrides(Model):
    """Top-level numbers that replace a check's own where it does not sweep them."""

    epsilon: Epsilon | None = None
    n_pairs: Pairs | None = None
    horizon: Pairs | None = None
    kl_weight: KLWeight | None = None
