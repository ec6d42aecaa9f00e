"""Stages by name from a config, and as objects from Python."""

import subprocess
import sys

import pytest

from repro.base.errors import BadInput
from repro.core.stages import STAGES, in_words, named_stages, refuse_unknown
from repro.labels.corruption.orders import Order
from repro.labels.preferences import label_law
from repro.labels.preferences.label_law import AsymmetricResponse, fair_coins
from repro.labels.privacy.central_noise import GAUSSIAN, NO_NOISE
from tests.at_each import at_each


def test_names_and_objects():
    own = AsymmetricResponse(0.9, 0.3)
    given = {
        "labels": "fair_coins",
        "channel": own,
        "optimism": -2.5,
        "pessimism": "reversed",
        "reference": "uniform",
        "order": Order.CTL,
        "noise": None,
    }
    wanted = {"labels": fair_coins, "channel": own, "optimism": -2.5, "pessimism": -1.0,
              "reference": "uniform", "order": Order.CTL}  # fmt: skip
    assert named_stages(given) == wanted


@at_each("value", [1, 2.5, True, [1], {"a": 1}, "", "x"])
@at_each("name", ["labels", "channel", "estimate", "noise", "order", "adversary"])
def test_what_yaml_alone_could_give_is_refused(name, value):
    with pytest.raises(BadInput, match=rf"^stages\.{name}"):
        named_stages({name: value})


@at_each("value", [True, [1], {"a": 1}, "x", float("nan"), float("inf"), 1e300])
@at_each("name", ["optimism", "pessimism"])
def test_a_multiple_of_a_bonus_is_a_finite_number_or_a_name(name, value):
    with pytest.raises(BadInput, match=rf"^stages\.{name}"):
        named_stages({name: value})


def test_an_unknown_stage_is_named():
    with pytest.raises(BadInput, match=r"^stages\.lables=x: did you mean labels\?"):
        named_stages({"lables": "x"})


def test_a_stage_that_no_world_has_is_refused_by_name():
    refuse_unknown({"labels": fair_coins}, {"labels", "n_pairs"})
    with pytest.raises(BadInput) as refused:
        refuse_unknown({"order": "ctl"}, {"labels", "n_pairs", "channel"})
    assert str(refused.value) == "stages.order=ctl: allowed: labels, channel"
    with pytest.raises(BadInput) as refused:
        refuse_unknown({"labels": fair_coins}, {"n_pairs"})
    assert str(refused.value) == "stages.labels=fair_coins: allowed: none: nothing here is drawn"


def test_a_stage_that_is_gone_is_no_stage():
    assert "bonus" not in STAGES
    with pytest.raises(BadInput, match=r"^stages\.bonus=none: "):
        named_stages({"bonus": "none"})


def test_stages_are_shown_by_their_kind_and_content():
    shown = in_words({"labels": fair_coins, "optimism": -1.0})
    assert shown["labels"].startswith("function ")
    assert in_words({"optimism": 0.0})["optimism"] != shown["optimism"]


def test_checking_a_config_does_not_import_torch():
    """Importing torch takes longer than all else before the first line."""
    code = (
        "import sys, repro.commands.runs.validation; print(*{'torch', 'mlflow'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not found.stdout.split()


def test_a_name_stands_for_the_object_of_that_name():
    def named(**given):
        (stage,) = named_stages(given).values()
        return stage

    assert (named(noise="gaussian"), named(noise="no_noise")) == (GAUSSIAN, NO_NOISE)
    assert named(estimate="the_truth") is label_law.the_truth
    assert named(estimate="as_fitted") is label_law.as_fitted
    for bonus in ("optimism", "pessimism"):
        values = [named(**{bonus: name}) for name in ("as_printed", "none", "reversed")]
        assert values == [1.0, 0.0, -1.0]
        assert named(**{bonus: -1e6}) == -1e6
        for beyond in (1.1e6, float("nan")):
            with pytest.raises(BadInput, match=f"^stages.{bonus}=.*: allowed: a number within"):
                named(**{bonus: beyond})
    assert named_stages({"labels": None}) == {}
