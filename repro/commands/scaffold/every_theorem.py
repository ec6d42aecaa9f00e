"""What every experiment owes its readers: pytest --pyargs repro.commands.scaffold.every_theorem.

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
from repro.catalogue.entries import paper
from repro.catalogue.papers import load
from repro.catalogue.summaries import summary_of
from repro.core.check import EVIDENCE, Theorem
from repro.core.claims import RATE
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.experiment import Experiment
from repro.study.plan import built
from repro.study.settings import session_of

VERDICTS = {"supported", "contradicted", "inconclusive", "assumption_failed"}
MISTAKE = 100
"""Most signs of what is wrong with a control."""


def pytest_generate_tests(metafunc):
    """``slug``: every experiment; ``run_slug``: those of the current folder."""
    if "slug" in metafunc.fixturenames:
        metafunc.parametrize("slug", slugs())
    if "run_slug" in metafunc.fixturenames:
        here = places()[-1]
        metafunc.parametrize("run_slug", here.names() if here != shipped() else [])


def test_the_docstring_names_its_source(slug):
    text = sys.modules[find(slug).module].__doc__
    assert text
    printed = {paper(s) for s in find(slug).statements} - {"own"}
    assert not printed or any(re.search(rf"\b{name}\b", text, re.I) for name in printed)


def test_statements_are_known_to_the_catalogue(slug):
    assert find(slug).statements
    existing = {slug: summary_of(find(slug))}
    lines = problems(completed(load(), existing), existing)
    wrong = [line for line in lines if line.startswith(f"{slug}:")]
    assert not wrong, "\n".join(wrong)


def test_every_check_speaks_for_a_statement(slug):
    assert speaks_for_nothing(find(slug)) == []


def speaks_for_nothing(theorem: Theorem) -> list[str]:
    """Names of checks that settle no statement."""
    return [check.name for check in theorem.checks if not theorem.statements_of(check)]


def test_checks_are_well_formed(slug):
    checks = default(slug).checks
    names = [check.name for check in checks]
    assert len(set(names)) == len(names) > 0
    for check in checks:
        assert check.axis in AXES
        assert check.expected in VERDICTS
        assert check.quantity
        assert check.claim
        assert check.evidence in EVIDENCE
        assert RATE not in check.claim


def test_some_control_is_wrong_on_purpose(slug):
    assert any(check.controls for check in default(slug).checks)


def test_every_control_says_what_is_wrong_with_it(slug):
    """Its docstring begins with "Wrong:", or it is ``named(name, algorithm, mistake)``."""
    for check in default(slug).checks:
        assert set(check.mistakes) == set(check.controls)
        assert all(len(words) <= MISTAKE for words in check.mistakes.values())


def test_assumptions_hold_on_the_default_instance(slug):
    assert [assumption for assumption in default(slug).assumptions() if not assumption.holds] == []


def default(slug: str) -> Experiment:
    """The experiment as its files configure it."""
    values = {**compose_values(slug, {}), "output_dir": "unused"}
    return built(session_of(values).plan)


def test_a_run_has_the_pinned_verdicts_and_catches_every_control(run_slug):
    result = repro.run(run_slug, budget="smoke", overrides=["compute.workers=1"]).result
    assert result.as_expected, result.verdict
    assert [check.check.name for check in result.checks if not check.caught] == []
