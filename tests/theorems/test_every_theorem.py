"""What every experiment owes its readers; new ones are picked up by discovery."""

import re

import pytest
import yaml

from repro.base.notation import AXES
from repro.base.paths import conf_dir
from repro.catalogue.coverage import pinned_checks
from repro.cli.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.settings import session_of
from repro.suite import room_of

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


def settled_wrongly(cls, checks) -> list[str]:
    """What is amiss in ``settled_by``: one line each."""
    named = {name for names in cls.settled_by.values() for name in names}
    return [
        *(f"{one}: not a statement" for one in sorted(set(cls.settled_by) - set(cls.statements))),
        *(f"{name}: no such check" for name in sorted(named - checks)),
        *(f"{one}: nothing speaks for it" for one, names in cls.settled_by.items() if not names),
        *(f"{name}: speaks for nothing" for name in sorted(checks) if not cls.statements_of(name)),
    ]


@pytest.mark.parametrize("slug", slugs())
def test_every_check_speaks_for_a_statement_and_every_statement_has_one(slug):
    assert settled_wrongly(find(slug), {name for name, _ in pinned_checks(slug)}) == []


def test_faults_of_settled_by_are_found():
    class Faulty(find("lower_bound")):
        statements = ("p1.thm_4_5", "p1.lem_a_6")
        settled_by = {"p1.thm_4_5": ("misspelt",), "p1.lem_a_6": (), "p9.thm_1": ("assouad",)}

    assert settled_wrongly(Faulty, {"assouad"}) == [
        "p9.thm_1: not a statement", "misspelt: no such check", "p1.lem_a_6: nothing speaks for it",
        "assouad: speaks for nothing",
    ]  # fmt: skip


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
    wanted = {slug: room_of(slug) for slug in slugs() if not find(slug).extra}
    assert suite["theorems"] == wanted, "python -m repro.suite list rewrites conf/suite.yaml"


def test_find_returns_the_class_of_that_file():
    for slug in slugs():
        assert find(slug).slug == slug
