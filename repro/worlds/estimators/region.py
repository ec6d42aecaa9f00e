"""A convex set of parameters by its two projections, which is all that a fit asks of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

from repro.worlds.estimators.ball import nearest_in_ball, newton_in_ball
from repro.worlds.estimators.box import nearest_in_box, newton_in_box


class Region(NamedTuple):
    """Projections on a set of the size that a fit is given.

    Attributes:
        newton: (θ, score, information, size) → step to the minimiser of the local quadratic.
        nearest: (centre, information, size) → nearest point in the norm of the information.
    """

    newton: Callable[[Tensor, Tensor, Tensor, float], Tensor]
    nearest: Callable[[Tensor, Tensor, float], Tensor]


BALL_REGION = Region(newton_in_ball, nearest_in_ball)
BOX_REGION = Region(newton_in_box, nearest_in_box)
