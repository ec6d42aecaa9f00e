"""Stages by name from a config, and as objects from Python."""

import subprocess
import sys

import pytest

from repro.base.errors import BadInput
from repro.corruption.orders import Order
from repro.preferences.label_law import AsymmetricResponse, fair_coins
from repro.study.named_stages import named_stages


def test_names_and_objects():
    own = AsymmetricResponse(0.9, 0.3)
    given = {
        "labels": "fair_coins",
        "channel": own,
        "bonus": -2.5,
        "order": Order.CTL,
        "noise": None,
    }
    wanted = {"labels": fair_coins, "channel": own, "bonus": -2.5, "order": Order.CTL}
    assert named_stages(given) == wanted


@pytest.mark.parametrize("value", [1, 2.5, True, [1], {"a": 1}, "", "x"])
@pytest.mark.parametrize("name", ["labels", "channel", "estimate", "noise", "order", "adversary"])
def test_what_yaml_alone_could_give_is_refused(name, value):
    with pytest.raises(BadInput, match=rf"^stages\.{name}"):
        named_stages({name: value})


@pytest.mark.parametrize("value", [True, [1], {"a": 1}, "x", float("nan"), float("inf"), 1e300])
def test_a_bonus_is_a_finite_number_or_a_name(value):
    with pytest.raises(BadInput, match=r"^stages\.bonus"):
        named_stages({"bonus": value})


def test_an_unknown_stage_is_named():
    with pytest.raises(BadInput, match=r"^stages\.lables=x: did you mean labels\?"):
        named_stages({"lables": "x"})


def test_checking_a_config_does_not_import_torch():
    """Importing torch takes longer than all else before the first line."""
    code = "import sys, repro.cli.validation; print(*{'torch', 'mlflow'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not found.stdout.split()
