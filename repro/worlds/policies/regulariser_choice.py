"""A divergence as configuration: what ``regulariser=`` may ask for, checked."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import Finite, Model, Number, validate
from repro.worlds.policies.regularisers import AlphaMixture

Alpha = Annotated[Number, Field(ge=-2, le=4)]
LARGEST_LOG_RATIO = 20.0
POINTS = 401
"""f″ is looked at in so many ratios from e^−20 to e^20."""


class RegulariserChoice(Model):
    """f by its second derivative, f″(w) = Σ weight·w^(α−2)."""

    terms: Annotated[tuple[tuple[Finite, Alpha], ...], Field(min_length=1, max_length=10)]


def chosen_regulariser(values: Any) -> AlphaMixture:
    """The divergence of the composed ``regulariser`` group.

    Raises:
        BadInput: a bad value, or an f that is not convex, at 1 or elsewhere.
    """
    if not isinstance(values, dict):
        raise BadInput("regulariser", values, "allowed: regulariser=NAME, or regulariser.terms=…")
    terms = validate(RegulariserChoice, values, "regulariser").terms
    mixture = AlphaMixture(tuple((float(weight), float(alpha)) for weight, alpha in terms))
    at_one = sum(weight for weight, _ in terms)
    shown = [list(term) for term in terms]
    if not at_one > 0:
        why = f"f″(1) = {at_one:g}: f is not convex at 1; allowed: weights with a positive sum"
        raise BadInput("regulariser.terms", shown, why)
    logs = torch.linspace(-LARGEST_LOG_RATIO, LARGEST_LOG_RATIO, POINTS, dtype=torch.float64)
    bent = mixture.curvature(logs.exp()) <= 0
    if bool(bent.any()):
        where = float(logs[bent].exp()[0])
        raise BadInput("regulariser.terms", shown, f"f is not convex at {where:.3g}")
    return mixture
