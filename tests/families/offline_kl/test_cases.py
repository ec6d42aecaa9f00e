"""Which world a grid point gets, how many labels an override asks for, and how labels are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from repro.base.notation import privacy_cost
from repro.base.schema import validate
from repro.families.offline_kl.cases import OfflineExperiment, OfflineProbes, WorldCase, searched
from repro.preferences.label_law import fair_coins, no_randomizer
from repro.study.case import PointCase
from repro.study.claims import Ratio
from repro.study.config import Overrides, Probe
from repro.study.experiment import Setting
from repro.study.row import INSTANCE, Evidence, Measure, Row, method

LINEAR = {"kind": "linear", "num_states": 3, "num_actions": 3, "num_features": 2, "radius": 1.0,
          "theta_share": 0.5, "kl_weight": 0.5, "seed": 4}  # fmt: skip
ARMS = {"kind": "bad_arms", "coverage": 8.0, "num_bad": 2, "reward_difference": 0.5,
        "radius": 1.0, "kl_weight": 0.2}  # fmt: skip
COUNTS = Measure("q", lambda case, rng, replicates: {}, Evidence.MEASURED)
ROW, NAMED, SWEPT = (
    Row(name, over, Ratio("w"), COUNTS, method(fair_coins), on=on)
    for name, over, on in (
        ("row", "n_pairs", INSTANCE),
        ("named", "n_pairs", "named"),
        ("swept", "coverage", "named"),
    )
)
PROBES = {"row": {"grid": [10, 20], "epsilon": 1}, "named": {"grid": [10, 20], "epsilon": 1},
          "swept": {"grid": [16, 32], "n_pairs": 10, "epsilon": 1}}  # fmt: skip


class Toy(OfflineExperiment[WorldCase]):
    slug = "toy"
    rows = (ROW, NAMED, SWEPT)

    def case(self, point):
        world = self.world(point)
        return WorldCase(
            methods=point.methods, world=world, n_pairs=point.n_pairs, epsilon=point.epsilon
        )


def toy(**overrides):
    config = validate(OfflineProbes, {"name": "toy", "probes": PROBES, "worlds": {"named": ARMS}})
    return Toy(config, Setting(Overrides(**overrides), LINEAR, "cpu", Path("unused")))


def worlds(**overrides):
    return [trial.cases[0].world for trial in toy(**overrides).trials]


def test_a_given_weight_applies_to_the_instance_alone():
    assert [world.kl_weight for world in worlds()] == [0.5, 0.2, 0.2]
    assert [world.kl_weight for world in worlds(kl_weight=0.125)] == [0.125, 0.2, 0.2]


def test_a_swept_field_makes_a_world_of_its_own():
    _, named, swept = toy().trials
    assert named.cases[0].world is named.cases[1].world
    least = [float(case.world.reference.min()) for case in swept.cases]
    assert least == pytest.approx([1 / 16, 1 / 32])


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({}, 1),
        ({"kl_weight": 0.125}, 16),
        ({"kl_weight": 2.0}, 1),
        ({"kl_weight": 0.125, "epsilon": 0.5}, 16 * (privacy_cost(0.5) / privacy_cost(1)) ** 2),
    ],
)
def test_a_smaller_weight_or_budget_needs_more_labels(given, more):
    probe = Probe(grid=(10, 20), epsilon=1.0)
    assert toy().more_labels(ROW, probe, Overrides(**given)) == pytest.approx(more)


def test_a_built_world_keeps_its_weight_and_its_labels():
    probe = Probe(grid=(10, 20))
    assert toy().more_labels(NAMED, probe, Overrides(kl_weight=0.125)) == 1


@pytest.mark.parametrize(
    ("stages", "share"), [({"labels": fair_coins}, [0.5]), ({"channel": no_randomizer}, None)]
)
def test_counts_follow_law_and_channel(stages, share):
    (world, *_) = worlds()
    case = WorldCase(methods=(), world=world, n_pairs=10**12, epsilon=1.0, **stages)
    counts = case.counts(np.random.default_rng(0), 1)
    expected = share or world.reward_diff.sigmoid().tolist()
    found = (counts.wins / counts.pairs)[0].tolist()
    assert found == pytest.approx(expected * (len(found) // len(expected)), abs=1e-4)


@method
def doubled(number):
    """Twice the case."""
    return 2 * number


@method
def same(number):
    """The case."""
    return number


def test_a_search_shows_every_method_the_same_cases():
    measure = searched("q", lambda value, rng: value + rng.uniform())
    case = PointCase(methods=(same, doubled), value=3.0)
    found = measure.of(case, np.random.default_rng(0), 4)
    expected = 3 + np.random.default_rng(0).uniform(size=4)
    assert found["same"] == pytest.approx(expected)
    assert found["doubled"] == pytest.approx(2 * expected)
    assert measure.evidence is Evidence.SEARCHED
