"""P1 Definitions 3.2 and 3.5: the distance D² and the pair eluder dimension, as printed.

Definition 3.2 (arXiv 2510.13512).  D²_F((s,a); π) = sup over g, h in F of inf over b: S → [−B, B]
of (g(s,a) − h(s,a) − b(s))² / E_d₀ Var_π[g − h].

The proof of Theorem 4.2 uses it so: there is one b such that at all (s, a)

    (r̄ − b − r*)²(s, a) ≤ D²((s,a); π_ref)·E_d₀ Var_π_ref[r̄ − r*].

As printed, with the infimum inside the supremum, b may be chosen for each response by itself; then
D² is zero on rewards in [0, B], and the inequality would say that r̄ equals r* up to a bias, the
theorem that the gap is zero.  Row ``distance_printed`` holds the inequality with the printed D², on
classes of two rewards, against the smallest left side that any common b reaches: expected
contradicted.  Corrected form: b(s) = E_π_ref[g − h] (row ``distance_centred``), which all other
experiments use.

Definition 3.5.  d_F = sup over s and a² of Σ_t min(1, U_t²); which first responses a¹ are in the
data D_t is left open.  With a¹ ~ π¹, as Algorithm 2 draws them, d_F of a linear class stays below
the elliptical potential d·log(1 + …T…)/log 2 (row ``eluder_drawn``).  With a supremum over a¹ as
well it grows like T: the pairs (a, a) tell nothing (control ``eluder_any_first``), and Theorem 5.2
would be void.  So a¹ ~ π¹ is what is meant.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from repro.complexity.class_distance import (
    smallest_common_bias_error,
    squared_distance_centred,
    squared_distance_printed,
)
from repro.complexity.eluder import (
    linear_eluder_bound,
    linear_eluder_dimension,
    uninformative_eluder_sum,
)
from repro.instances.linear import LinearWorld, random_linear_world
from repro.instances.random_rewards import RewardPairs, random_reward_pairs
from repro.schema import Count, Positive
from repro.study.checks import Check
from repro.study.results import AssumptionResult
from repro.study.sweep import Row, SweepConfig, SweepExperiment

DISTANCE = "(r̄ − b − r*)² / D²·E Var"
ELUDER = "Σ min(1, U²) / elliptical potential"
NOTHING = 1e-12
"""Added to D²·E Var relative to the error's size: what rounding can leave of a zero."""

SUMS = {"eluder_drawn": linear_eluder_dimension, "eluder_any_first": uninformative_eluder_sum}


def distance_printed(pairs: RewardPairs) -> Tensor:
    """Left over right side with D² as printed."""
    bound = pairs.error.abs().amax((-2, -1))
    right = squared_distance_printed(pairs.error, bound).amax(-1)
    left = smallest_common_bias_error(pairs.error)
    return (left / (right + NOTHING * bound.square()[..., None])).amax(-1)


def distance_centred(pairs: RewardPairs) -> Tensor:
    """Left over right side with D² centred under π_ref."""
    right = squared_distance_centred(pairs.error, pairs.reference).amax(-1)
    return (smallest_common_bias_error(pairs.error) / right).amax(-1)


DISTANCES = {f.__name__: f for f in (distance_printed, distance_centred)}


class P1DefinitionsConfig(SweepConfig):
    """Numbers of the experiment.

    Attributes:
        num_features: d of the linear classes.
        ridge: λ of Definition 3.5.
    """

    num_features: Count
    ridge: Positive


class P1Definitions(SweepExperiment):
    """What the two definitions give when taken by the letter."""

    slug = "p1_definitions"
    title = "P1 Definitions 3.2, 3.5: D² and the pair eluder dimension"
    statements = ("p1.def_3_2", "p1.def_3_5")
    settled_by = {
        "p1.def_3_2": ("distance_printed", "distance_centred"),
        "p1.def_3_5": ("eluder_drawn",),
    }
    instances = ("linear",)
    used_overrides = frozenset()
    config_type = P1DefinitionsConfig
    config: P1DefinitionsConfig

    rows = (
        Row("distance_printed", "num_actions", "random", "distance_printed", (), DISTANCE,
            "the step of Theorem 4.2 with D² as printed"),
        Row("distance_centred", "num_actions", "random", "distance_centred",
            ("distance_printed",), DISTANCE, "the same with b(s) = E_π_ref[g − h] in D²"),
        Row("eluder_drawn", "horizon", "linear", "eluder_drawn", ("eluder_any_first",), ELUDER,
            "d_F with a¹ ~ π¹ stays below d·log(1 + …T…)/log 2"),
    )  # fmt: skip

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """The ratio of every random class."""
        if check.quantity == DISTANCE:
            pairs = random_reward_pairs(rng, replicates, int(value))
            return {method: DISTANCES[method](pairs).numpy() for method in check.methods}
        worlds = [self._world(int(seed)) for seed in rng.integers(2**31, size=replicates)]
        return {
            method: np.array([self._ratio(method, world, int(value)) for world in worlds])
            for method in check.methods
        }

    def _ratio(self, method: str, world: LinearWorld, horizon: int) -> float:
        numbers = (world, world.reference, self.config.ridge, horizon)
        return float(SUMS[method](*numbers)[-1]) / linear_eluder_bound(*numbers)

    def _world(self, seed: int) -> LinearWorld:
        return random_linear_world(
            num_states=4, num_actions=4, num_features=self.config.num_features,
            radius=1.0, theta_share=0.5, kl_weight=1.0, seed=seed,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Rewards of a class differ by at most B, by B's choice; nothing is left to check."""
        return ()
