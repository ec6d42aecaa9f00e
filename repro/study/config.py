"""Typed configuration of a study: probes, budgets and top-level overrides.

Hydra composes YAML; these models check it.  A wrong value becomes one BadInput line.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from repro.base.schema import Epsilon, KLWeight, Model, Pairs, Positive, Whole


class Probe(Model):
    """How a row is probed: its sweep and the numbers that it does not sweep.

    ``replicates`` multiplies the budget's replicates.
    """

    grid: Annotated[tuple[Positive, ...], Field(min_length=1)]
    epsilon: Epsilon | None = None
    n_pairs: Pairs | None = None
    horizon: Pairs | None = None
    replicates: Positive = 1.0

    @model_validator(mode="after")
    def _increasing(self):
        if any(a >= b for a, b in zip(self.grid, self.grid[1:], strict=False)):
            raise ValueError("grid values that increase")
        return self


class Probes(Model):
    """What ``conf/theorem/NAME.yaml`` holds at least.

    Attributes:
        name: of the experiment.
        probes: by row, on the default instance and on the experiment's own worlds.
        instances: by another kind of instance the probes of the rows measured on it.
    """

    name: str
    probes: dict[str, Probe]
    instances: dict[str, dict[str, Probe]] = {}


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
