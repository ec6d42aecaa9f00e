"""When a Newton fit is done although its steps do not end: nothing is left to gain.

Where the curvature is small in some direction, the last bits of the score move the step by more
than any tolerance on its length, on one CPU and not on another.  What such a step promises is then
far below the rounding of the objective.
"""

from __future__ import annotations

import torch
from torch import Tensor

from repro.worlds.estimators.ball import promised_gain

LEAST_GAIN = 1e-18
"""Share of the objective's scale.  The rounding of an objective is 1e-16 of it; steps that only
follow the last bits of a score promise 1e-20 and less, while a fit that climbs towards an end of
its class over saturated labels promises more until its score is zero."""


def nothing_left(
    step: Tensor, last: Tensor, score: Tensor, curvature: Tensor, scale: Tensor
) -> Tensor:
    """(R,) rows whose steps no longer shrink and no longer promise any gain.

    Args:
        step: (R, d) from the minimiser of the local quadratic, before any halving.
        last: (R,) length of the step before; 0 at the first, which is never the last.
        score: (R, d) direction of steepest improvement.
        curvature: (R, d, d) of the local quadratic.
        scale: (R,) of the objective, such as its number of labels.
    """
    stalled = (step.norm(dim=-1) >= last / 2) & (last > 0)
    if not bool(stalled.any()):
        return stalled
    promised = promised_gain(step, score, curvature)
    return stalled & (promised <= LEAST_GAIN * torch.as_tensor(scale))
