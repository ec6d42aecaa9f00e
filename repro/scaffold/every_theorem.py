"""``pytest --pyargs repro.scaffold.every_theorem``: what every experiment owes its readers.

Those of the current folder, of installed packages and the shipped ones are found by themselves;
``-k NAME`` takes one.  Experiments of the current folder are run, too, at smoke budget.
"""

from __future__ import annotations

import re
import sys

import repro
from repro.base.notation import AXES
from repro.base.places import places, shipped
from repro.catalogue.coverage import completed, problems
from repro.catalogue.entries import load
from repro.cli.composition import compose_values
from repro.study.claims import RATE
from repro.study.discovery import find, slugs
from repro.study.experiment import Experiment
from repro.study.plan import built
from repro.study.row import Evidence, Row
from repro.study.settings import session_of
from repro.study.theorem_experiment import TheoremExperiment

VERDICTS = {"supported", "contradicted", "inconclusive", "assumption_failed"}
NEED_NOTHING = {Evidence.PROVED, Evidence.COMPUTED, Evidence.SEARCHED}


def pytest_generate_tests(metafunc):
    """``slug``: every experiment; ``run_slug``: those of the current folder."""
    if "slug" in metafunc.fixturenames:
        metafunc.parametrize("slug", slugs())
    if "run_slug" in metafunc.fixturenames:
        here = places()[-1]
        metafunc.parametrize("run_slug", here.names() if here != shipped() else [])


def test_the_docstring_names_its_source(slug):
    text = sys.modules[find(slug).__module__].__doc__
    assert text
    assert re.search(r"\bP[1-4]\b", text) or all(
        s.startswith("own.") for s in find(slug).statements
    )


def test_statements_are_known_to_the_catalogue(slug):
    statements = find(slug).statements
    assert statements
    existing = {slug: statements}
    told = problems(completed(load(), existing), existing)
    assert [line for line in told if line.startswith(f"{slug}:")] == []


def test_every_row_speaks_for_a_statement(slug):
    assert speaks_for_nothing(find(slug)) == []


def speaks_for_nothing(kind: type[Experiment]) -> list[str]:
    """Names of rows that settle no statement."""
    return [row.name for row in kind.rows if not (row.settles or kind.settles)]


def test_a_row_needs_something_unless_it_is_proved_or_computed(slug):
    """Rows that search inequalities, or read an exact curve, may need nothing but their cases; a
    privacy claim that is contradicted stays so without its noise.
    """
    kind = find(slug)
    idle = [row.name for row in kind.rows if not row.needs and not may_need_nothing(row)]
    assert idle == [] or kind.extra or issubclass(kind, TheoremExperiment)  # measured: repro.ablate


def may_need_nothing(row: Row) -> bool:
    """Whether there may be nothing that the row would fail without."""
    return row.measure.evidence in NEED_NOTHING or row.expected == "contradicted"


def test_checks_are_well_formed(slug):
    checks = [trial.check for trial in default(slug).trials]
    names = [check.name for check in checks]
    assert len(set(names)) == len(names) > 0
    for check in checks:
        assert check.axis in AXES
        assert check.expected in VERDICTS
        assert check.quantity
        assert check.claim
        assert check.evidence in set(Evidence)
        assert RATE not in check.claim


def test_some_control_is_wrong_on_purpose(slug):
    assert any(trial.check.controls for trial in default(slug).trials)


def test_assumptions_hold_on_the_default_instance(slug):
    assert [one for one in default(slug).assumptions() if not one.holds] == []


def default(slug: str) -> Experiment:
    """The experiment as its files configure it."""
    values = {**compose_values(slug, {}), "output_dir": "unused"}
    return built(session_of(values).plan).experiment


def test_a_run_has_the_pinned_verdicts_and_catches_every_control(run_slug):
    result = repro.run(run_slug, budget="smoke", overrides=["compute.workers=1"]).result
    assert result.as_expected, result.verdict
    assert [one.check.name for one in result.checks if not one.caught] == []
