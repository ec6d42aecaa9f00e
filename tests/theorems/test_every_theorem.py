"""What every experiment owes its readers; new ones are picked up by discovery."""

import re

import pytest
import yaml

from repro.cli.composition import compose_values
from repro.notation import AXES
from repro.paths import conf_dir
from repro.study.experiment import find, slugs
from repro.study.settings import session_of

VERDICTS = {"supported", "contradicted", "inconclusive", "assumption_failed"}


@pytest.fixture(params=slugs())
def experiment(request):
    values = {**compose_values(request.param, {}), "output_dir": "unused"}
    return session_of(values).plan.experiment()


def test_docstring_names_its_source(experiment):
    text = __import__(f"theorems.{experiment.slug}", fromlist=["x"]).__doc__
    assert text
    assert re.search(r"\bP[1-4]\b", text)


def test_statements_are_catalogue_ids(experiment):
    assert experiment.statements
    for statement in experiment.statements:
        assert re.fullmatch(r"(p[1-4]|own)\.[a-z0-9_]+", statement)


def test_checks_are_well_formed(experiment):
    checks = experiment.checks()
    names = [check.name for check in checks]
    assert len(set(names)) == len(names) > 0
    for check in checks:
        assert check.axis in AXES
        assert check.expected in VERDICTS
        assert check.quantity
        assert check.claim


def test_some_control_is_wrong_on_purpose(experiment):
    assert any(check.controls for check in experiment.checks())


def test_assumptions_hold_on_the_default_instance(experiment):
    failed = [a for a in experiment.assumptions() if not a.holds]
    assert failed == []


def test_every_theorem_has_its_config_and_every_config_its_theorem():
    configs = {path.stem for path in (conf_dir() / "theorem").glob("*.yaml")}
    assert configs == set(slugs())


def test_the_suite_lists_every_theorem_that_needs_no_extra():
    suite = yaml.safe_load((conf_dir() / "suite.yaml").read_text())
    assert suite["theorems"] == [slug for slug in slugs() if not find(slug).extra]


def test_find_returns_the_class_of_that_file():
    for slug in slugs():
        assert find(slug).slug == slug
