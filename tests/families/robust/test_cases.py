"""Which world, α and adversary a grid point of P4 has."""

from __future__ import annotations

from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.families.robust.adversaries import ADVERSARIES, NONE, adversary_of
from repro.families.robust.adversaries_huber import MAX_CELLS
from repro.families.robust.cases import NOBODY, STRONG_LTC, RobustExperiment, RobustProbes
from repro.families.robust.cases_separation import RarePairs
from repro.families.robust.worlds_choices import CellsChoice, SaturatedChoice, build_pair_world
from repro.families.robust.worlds_pairs import pairs_of
from repro.instances.linear import random_linear_world
from repro.study.case import Point
from repro.study.claims import Inequality
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.row import INSTANCE, Evidence, Measure, Method, Row

LINEAR = {"kind": "linear", "num_states": 3, "num_actions": 3, "num_features": 2, "radius": 1.0,
          "theta_share": 0.5, "kl_weight": 0.5, "seed": 4}  # fmt: skip
CELLS = {"kind": "cells", "num_features": 2, "min_eigenvalue": 0.25, "reward_diff": 0.5,
         "reward_bound": 2.0}  # fmt: skip
SATURATED = {"kind": "saturated", "reward_bound": 3.0, "margin": 0.1}
MEASURE = Measure("q", lambda case, rng, replicates: {}, Evidence.MEASURED)


class Toy(RobustExperiment):
    def case(self, point):
        return self.pair_case(point, STRONG_LTC)


def toy(**probe) -> Toy:
    values = {
        "name": "toy", "corruption": 0.125, "worlds": {"named": CELLS, "flat": SATURATED},
        "probes": {"r": {"grid": [1.0, 2.0, 3.0], **probe}},
    }  # fmt: skip
    setting = Setting(Overrides(), LINEAR, "cpu", Path("unused"))
    return Toy(validate(RobustProbes, values), setting)


def point(experiment: Toy, over: str, value: float, on: str = "named") -> Point:
    row = Row("r", over, Inequality("at most 1"), MEASURE, Method("m", None), on=on)
    probe = experiment.config.probes["r"]
    given = Overrides(epsilon=probe.epsilon, n_pairs=probe.n_pairs)
    return Point(row, probe, probe.grid, value, given, ())


def test_worlds_of_label_cells():
    sweep = toy()
    plain, flat = validate(CellsChoice, CELLS), validate(SaturatedChoice, SATURATED)
    assert sweep.world(point(sweep, "n_pairs", 10.0)) is build_pair_world(plain, "cpu")
    assert sweep.world(point(sweep, "num_features", 3.0)) is build_pair_world(
        plain.model_copy(update={"num_features": 3}), "cpu"
    )
    assert sweep.world(point(sweep, "reward_bound", 4.0)) is build_pair_world(
        plain.model_copy(update={"reward_bound": 4.0}), "cpu"
    )
    assert sweep.world(point(sweep, "reward_bound", 4.5, "flat")) is build_pair_world(
        flat.model_copy(update={"reward_bound": 4.5}), "cpu"
    )


def test_the_instance_as_label_cells_is_built_once():
    sweep = toy()
    found = sweep.world(point(sweep, "n_pairs", 10.0, INSTANCE))
    assert sweep.world(point(sweep, "n_pairs", 20.0, INSTANCE)) is found
    fields = {k: v for k, v in LINEAR.items() if k != "kind"}
    wanted = pairs_of(random_linear_world(**fields))
    assert found.cell_prob.tolist() == wanted.cell_prob.tolist()


def test_whose_share_of_labels_is_corrupted():
    assert toy().corruption(point(toy(), "n_pairs", 10.0)) == 0.125
    own = toy(corruption=0.25)
    assert own.corruption(point(own, "n_pairs", 10.0)) == 0.25
    assert own.corruption(point(own, "corruption", 0.375)) == 0.375
    assert own.attacked(point(own, "n_pairs", 10.0), NOBODY)["corruption"] == 0.0
    assert own.attacked(point(own, "n_pairs", 10.0), STRONG_LTC)["corruption"] == 0.25


def test_a_corrupted_point_has_a_label_to_corrupt():
    sweep = toy(epsilon=0.5)
    assert sweep.case(point(sweep, "n_pairs", 8.0)).corruption == 0.125
    with pytest.raises(BadInput, match="^corruption=0.125: 0.875 of a label"):
        sweep.case(point(sweep, "n_pairs", 7.0))


def test_numbers_of_a_rows_world():
    sweep = toy()
    assert sweep.world_numbers(point(sweep, "n_pairs", 1.0).row) == {"world_fields": CELLS}
    on_instance = sweep.world_numbers(point(sweep, "n_pairs", 1.0, INSTANCE).row)
    assert on_instance["world_fields"]["num_features"] == 2
    assert sweep.world_numbers(point(sweep, "n_pairs", 1.0, "").row) == {}


def test_adversaries_by_name():
    def unused():
        raise AssertionError("cells are counted where it matters only")

    for name in set(ADVERSARIES) - {"huber"}:
        assert adversary_of("theorem.adversary", name, unused).name == name
    assert adversary_of("theorem.adversary", "none", unused) is NONE
    assert adversary_of("theorem.adversary", "huber", lambda: MAX_CELLS).name == "huber"
    with pytest.raises(BadInput, match=rf"at most {MAX_CELLS} label cells, the instance has"):
        adversary_of("theorem.adversary", "huber", lambda: MAX_CELLS + 1)
    with pytest.raises(BadInput, match=r"^theorem.adversary=hubr: did you mean huber\? allowed: "):
        adversary_of("theorem.adversary", "hubr", unused)


def test_rare_pairs_need_somebody_who_corrupts():
    """Their masses are in units of α: at α = 0 there are none."""
    rare = RarePairs(reward_bound=2, lightest=0.5, heaviest=2e4, ratio=1.25, kl_weight=0.02)
    assert rare.pairs(1e-5).masses == pytest.approx((5e-6, 0.2))
    with pytest.raises(BadInput, match=r"corruption=0.*above 0"):
        rare.pairs(0.0)
