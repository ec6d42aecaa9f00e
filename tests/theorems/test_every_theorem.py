"""What every experiment owes its readers; new ones are picked up by discovery."""

import dataclasses
import re
from pathlib import Path

import pytest
import yaml

from repro.base.notation import AXES
from repro.base.paths import conf_dir
from repro.cli.composition import compose_values
from repro.study.claims import RATE
from repro.study.discovery import find, slugs
from repro.study.plan import built
from repro.study.row import Evidence
from repro.study.settings import session_of
from repro.suite import room_of

VERDICTS = {"supported", "contradicted", "inconclusive", "assumption_failed"}


@pytest.fixture(params=slugs())
def experiment(request):
    values = {**compose_values(request.param, {}), "output_dir": "unused"}
    return built(session_of(values).plan).experiment


def test_docstring_names_its_source(experiment):
    text = __import__(f"theorems.{experiment.slug}", fromlist=["x"]).__doc__
    assert text
    assert re.search(r"\bP[1-4]\b", text)


def test_statements_are_catalogue_ids(experiment):
    assert experiment.statements
    for statement in experiment.statements:
        assert re.fullmatch(r"(p[1-4]|own)\.[a-z0-9_]+", statement)


def speaks_for_nothing(rows, settles) -> list[str]:
    """Names of rows that settle no statement."""
    return [row.name for row in rows if not (row.settles or settles)]


@pytest.mark.parametrize("slug", slugs())
def test_every_row_speaks_for_a_statement(slug):
    kind = find(slug)
    assert speaks_for_nothing(kind.rows, kind.settles) == []


def test_a_row_that_speaks_for_nothing_is_found():
    row = find("lower_bound").rows[0]
    assert speaks_for_nothing([dataclasses.replace(row, settles=())], ()) == [row.name]


@pytest.mark.parametrize("slug", slugs())
def test_a_row_needs_something_unless_it_is_proved_or_computed(slug):
    """Rows that search inequalities, or read an exact curve, may need nothing but their cases; a
    privacy claim that is contradicted stays so without its noise.
    """
    free = {Evidence.PROVED, Evidence.COMPUTED, Evidence.SEARCHED, Evidence.EXACT}
    for row in find(slug).rows:
        contradicted = row.expected == "contradicted"
        assert row.needs or row.measure.evidence in free or contradicted or find(slug).extra, (
            row.name
        )


def test_checks_are_well_formed(experiment):
    checks = [trial.check for trial in experiment.trials]
    names = [check.name for check in checks]
    assert len(set(names)) == len(names) > 0
    for check in checks:
        assert check.axis in AXES
        assert check.expected in VERDICTS
        assert check.quantity
        assert check.claim
        assert check.evidence in set(Evidence)
        assert RATE not in check.claim


def test_some_control_is_wrong_on_purpose(experiment):
    assert any(trial.check.controls for trial in experiment.trials)


def test_assumptions_hold_on_the_default_instance(experiment):
    failed = [a for a in experiment.assumptions() if not a.holds]
    assert failed == []


def test_every_theorem_has_its_config_and_every_config_its_theorem():
    configs = {path.stem for path in (conf_dir() / "theorem").glob("*.yaml")}
    assert configs == set(slugs())


def test_every_theorem_has_its_test():
    here = Path(__file__).parent
    assert [slug for slug in slugs() if not (here / f"test_{slug}.py").is_file()] == []


def test_the_suite_lists_every_theorem_that_needs_no_extra():
    suite = yaml.safe_load((conf_dir() / "suite.yaml").read_text())
    wanted = {slug: room_of(slug) for slug in slugs() if not find(slug).extra}
    assert suite["theorems"] == wanted, "python -m repro.suite list rewrites conf/suite.yaml"


def test_find_returns_the_class_of_that_file():
    for slug in slugs():
        assert find(slug).slug == slug
