"""What two printed means ± standard deviations over few seeds can show: Welch's test.

P4's Tables 1 and 2 print win rates over five seeds.  Here are the p-value of each contrast and the
seeds per arm with which an effect of the printed size would be found.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from scipy import stats

POWER, LEVEL = 0.8, 0.05
"""Chance to find the effect, and error of the two-sided test."""
MOST = 10**6
"""Seeds; an effect that needs more is none."""


@dataclass(frozen=True)
class Contrast:
    """Two means of win rates in percent with their standard deviations over seeds.

    >>> round(Contrast("table 1, ε = 0.1", 59.0, 4.7, 55.4, 1.1).p_value(5), 2)
    0.16
    """

    name: str
    first: float
    first_spread: float
    second: float
    second_spread: float

    def freedom(self, seeds: int) -> float:
        """Satterthwaite's degrees of freedom with ``seeds`` per arm."""
        a, b = self.first_spread**2, self.second_spread**2
        return (seeds - 1) * (a + b) ** 2 / (a**2 + b**2)

    def p_value(self, seeds: int) -> float:
        """Two-sided, with ``seeds`` per arm (at least 2)."""
        arms = self.first, self.first_spread, seeds, self.second, self.second_spread, seeds
        return float(stats.ttest_ind_from_stats(*arms, equal_var=False).pvalue)

    def seeds_needed(self) -> int:
        """Fewest seeds per arm that find an effect of this size with ``POWER``; else ``MOST``."""

        def power(seeds: int) -> float:
            freedom = self.freedom(seeds)
            noise = ((self.first_spread**2 + self.second_spread**2) / seeds) ** 0.5
            shift = abs(self.first - self.second) / noise
            return float(stats.nct.sf(stats.t.isf(LEVEL / 2, freedom), freedom, shift))

        equal = self.first == self.second
        return MOST if equal else 2 + bisect_left(range(2, MOST), POWER, key=power)


P4_CONTRASTS = (
    Contrast("Table 1, ε = 0.1: rDPO, DPO", 59.0, 4.7, 55.4, 1.1),
    Contrast("Table 1, ε = 0.5: rDPO, DPO", 65.8, 5.6, 60.4, 3.0),
    Contrast("Table 2, ε = 1: CTL, LTC", 69.6, 5.1, 65.4, 5.0),
    Contrast("Table 2, ε = 0.5: CTL, LTC", 64.4, 2.8, 58.6, 2.6),
)
"""As printed."""
