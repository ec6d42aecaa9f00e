"""What a user gave: no key may go or be invented, and every value changes a world."""

import copy
import dataclasses

import pytest

from repro.base.errors import BadInput
from repro.base.places import conf_dir
from repro.labels.preferences.label_mixture import mixture_of_flips
from repro.study.idle_values import (
    refuse_departures,
    refuse_without_effect,
    shipped,
    shipped_instance,
)
from repro.worlds.policies.regularisers import CHI_SQUARED
from repro.worlds.policies.reward_class import Box
from tests.study.conftest import SWEEPS

MEANT = {
    "name": "toy",
    "sweeps": {"gap": {"epsilon": 1.0, "n_pairs": None}},
    "worlds": {"one": {"radius": 1.0}},
    "scale": {"low": 1.0, "high": None},
    "empty": {},
}
GOOD = {
    "name": "toy",
    "sweeps": {"gap": {"epsilon": 2.0, "n_pairs": 5}},
    "worlds": {"one": {"radius": 2.0}},
    "scale": {"low": None, "high": 3.0, "more": 4.0},
    "empty": {"anything": 1},
    "own": 1,
}


def changed(*path, value="drop"):
    """``GOOD`` with one value replaced or dropped."""
    found = copy.deepcopy(GOOD)
    place = found
    for key in path[:-1]:
        place = place[key]
    if value == "drop":
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return found


def test_a_config_with_the_shipped_keys_is_taken():
    refuse_departures(MEANT, GOOD)


@pytest.mark.parametrize(
    ("config", "line"),
    [
        (changed("scale"), "theorem.scale=(missing): a value is required"),
        (changed("worlds", "one", value=None), "theorem.worlds.one=null: a value is required"),
        (changed("scale", "high"), "theorem.scale.high=(missing): a value is required"),
        (changed("sweeps", "gap", "n_pairs"),
         "theorem.sweeps.gap.n_pairs=(missing): a value is required"),
        (changed("sweeps", "gap", "epsilon", value=None),
         "theorem.sweeps.gap.epsilon=null: a value is required"),
        (changed("sweeps", "gap", value=None),
         "theorem.sweeps.gap=null: a value is required"),
        (changed("worlds", "onee", value={}),
         "theorem.worlds.onee=(unknown): did you mean one? allowed: one"),
        (changed("sweeps", "other", value={}),
         "theorem.sweeps.other=(unknown): allowed: gap"),
    ],
)  # fmt: skip
def test_departures_are_named(config, line):
    with pytest.raises(BadInput) as refused:
        refuse_departures(MEANT, config)
    assert str(refused.value) == line


def test_the_shipped_file_is_read_without_its_defaults():
    found = shipped(conf_dir() / "theorem" / "kl_contraction.yaml")
    assert found["name"] == "kl_contraction"
    assert "defaults" not in found
    assert shipped(conf_dir() / "no_such_experiment.yaml") == {}


def test_defaults_are_hydras_and_no_keys():
    assert "defaults" not in shipped(conf_dir() / "theorem" / "llm_chipo.yaml")


def test_the_shipped_instances_are_read_as_hydra_reads_them():
    assert shipped_instance("linear")["kind"] == "linear"
    assert shipped_instance("no_such_kind") == {}


# What changes nothing, on the toy -----------------------------------------------------------------


def refusal(plan, kept=None, instance=None):
    """The line that refuses a plan; nothing where it is taken."""
    try:
        refuse_without_effect(plan, plan.config if kept is None else kept, instance or {})
    except BadInput as refused:
        return str(refused)
    return ""


def test_what_changes_a_world_is_taken(plan_of):
    given = {"epsilon": 0.5}
    assert refusal(plan_of(overrides=given, exponent=-2.0), plan_of(exponent=-1.0).config) == ""


def test_a_number_of_replicates_is_taken(plan_of):
    """It changes no world, but how often each is measured."""
    sweeps = copy.deepcopy(SWEEPS)
    name = next(iter(sweeps))
    sweeps[name] = {**sweeps[name], "replicates": 2}
    once = copy.deepcopy(sweeps)
    once[name]["replicates"] = 1
    assert refusal(plan_of(sweeps=sweeps), plan_of(sweeps=once).config) == ""


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"horizon": 5}, "horizon=5: changes nothing in toy; allowed: epsilon"),
        ({"n_pairs": 7}, "n_pairs=7: changes nothing in toy: n_pairs and 1 more sweep it, so set"
             " theorem.sweeps.n_pairs.grid=[...]; allowed: epsilon"),
        ({"kl_weight": 2, "epsilon": 0.5},
         "kl_weight=2: changes nothing in toy; allowed: epsilon"),
    ],
)  # fmt: skip
def test_a_number_that_no_world_takes_is_refused(plan_of, given, line):
    assert refusal(plan_of(overrides=given)) == line


@pytest.mark.parametrize(
    "group",
    [
        {"channel": mixture_of_flips(0.3, 0.35, 1.0)},
        {"regulariser": CHI_SQUARED},
        {"reward_class": Box(1.0)},
    ],
)
def test_a_group_that_no_world_takes_is_refused(plan_of, group):
    plan = plan_of()
    plan = dataclasses.replace(plan, setting=dataclasses.replace(plan.setting, **group))
    ((name, one),) = group.items()
    assert refusal(plan) == f"{name}={one}: changes nothing in toy; allowed: epsilon"


def test_a_value_of_the_config_that_changes_no_world_is_refused(plan_of, toy):
    """A world that no check of the run is swept on, and one that only another check is."""
    plan = plan_of()
    worlds = plan.config["worlds"] | {"other": {"n_pairs": 1e3, "exponent": -1.0}}
    sweeps = {name: {"world": "power", **sweep} for name, sweep in plan.config["sweeps"].items()}
    kept = plan.config | {"worlds": worlds, "sweeps": sweeps}
    config = copy.deepcopy(kept)
    config["worlds"]["other"]["exponent"] = -2.0
    line = "theorem.worlds.other.exponent=-2: changes nothing in toy; allowed: epsilon"
    assert refusal(dataclasses.replace(plan, config=config), kept) == line
    sweeps["constant"]["world"] = config["sweeps"]["constant"]["world"] = "other"
    assert refusal(dataclasses.replace(plan, config=config), kept) == ""
    assert refusal(
        dataclasses.replace(plan, config=config, only=("n_pairs",)), kept
    ) == line.replace("toy;", "toy with only=n_pairs;")


def test_an_instance_that_no_world_is_built_from_is_refused(plan_of):
    plan = plan_of()
    given = {"kind": "linear", "seed": 2}
    plan = dataclasses.replace(plan, setting=dataclasses.replace(plan.setting, instance=given))
    line = "instance.seed=2: changes nothing in toy; allowed: epsilon"
    assert refusal(plan, instance={"kind": "linear", "seed": 1}) == line
    assert refusal(plan, instance=given) == ""
