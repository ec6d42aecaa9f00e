"""The constants of docs/explanations/price_of_adaptivity.md, by theorem."""

from __future__ import annotations

IMITATION, LOG_IMITATION = 0.07, 0.05
"""κ₀ of Theorem 2, square and log loss: the gap is at least min{½, κ₀·(ζα)²/β}."""
ENOUGH, LOG_ENOUGH = 52.0, 360.0
"""n·(ζα)²/c² from which imitation wins at least half of the time (Theorem 2)."""
