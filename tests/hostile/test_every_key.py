"""Every key of every experiment's config, spoilt in every way: one line, nothing written.

In process and past Hydra: the values go straight into ``session_of``, which the command calls
before Hydra makes a folder.  A seeded sample goes the whole way in ``test_whole_command``.
"""

import functools
from typing import Any

import pytest

from repro.base.errors import BadInput
from repro.study import settings
from repro.study.composition import compose_values
from repro.study.discovery import slugs
from repro.study.experiment import Budget
from repro.study.settings import RunConfig, session_of
from tests.hostile import spoilt

LONGEST_LINE = 2000
FEWEST = 2000


class LaxBudget(Budget):
    """Takes anything for a rate of errors."""

    check_error: Any


class LaxRunConfig(RunConfig):
    """The whole config with one key that nobody checks."""

    budget: LaxBudget


@functools.cache
def composed(slug):
    return compose_values(slug, {})


def outcome(values):
    """The refusal's one line, or None where the config is accepted; anything else is a fault."""
    try:
        session_of(values)
    except BadInput as problem:
        return str(problem)
    return None


def names_the_key(line, path, way):
    """The line has the key, or what holds it: a claim whose grid does not increase."""
    misspelt = way.removeprefix("misspelt ") if way.startswith("misspelt") else ""
    return any(part in line for part in (*path[-2:], misspelt) if part)


@pytest.mark.some(2)
@pytest.mark.parametrize("slug", slugs())
def test_every_key_in_every_way(slug, tmp_path, monkeypatch, record_property):
    monkeypatch.chdir(tmp_path)
    refused, faults, taken = 0, [], set()
    for path, way, values in spoilt.spoilt_configs(composed(slug)):
        line = outcome(values)
        if line is None:
            taken.add((".".join(path), way, spoilt.accepted(path, way)))
            continue
        refused += 1
        if "\n" in line or len(line) > LONGEST_LINE or not names_the_key(line, path, way):
            faults.append((path, way, line))
    record_property("refused", refused)
    print(f"{slug}: {refused} bad inputs refused, accepted: {sorted(taken)}")
    assert [one for one in taken if not one[2]] == []
    assert faults == []
    assert refused > 100
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_at_least_two_thousand_bad_inputs():
    tried = sum(
        not spoilt.accepted(path, way)
        for slug in slugs()
        for path, way, _ in spoilt.spoilt_values(composed(slug))
    )
    print(f"{tried} bad inputs over {len(slugs())} experiments")
    assert tried >= FEWEST


def test_a_key_without_a_check_is_seen(monkeypatch):
    """A validation that lets one key through is found."""
    values = composed("label_masks")
    bad = {**values, "budget": {**values["budget"], "check_error": "often"}}
    assert outcome(bad) is not None
    monkeypatch.setattr(settings, "RunConfig", LaxRunConfig)
    assert outcome(bad) is None
