"""What every experiment owes its readers, and what this repository owes every experiment."""

from dataclasses import replace

import yaml

from repro.base.places import conf_dir, shipped
from repro.commands.scaffold import every_theorem
from repro.commands.scaffold.every_theorem import (  # noqa: F401
    speaks_for_nothing,
    test_assumptions_hold_on_the_default_instance,
    test_checks_are_well_formed,
    test_every_control_says_what_is_wrong_with_it,
    test_some_control_is_wrong_on_purpose,
)
from repro.study.discovery import find, slugs
from tests.at_each import at_each
from tools import short_numbers

of_every_theorem = at_each("slug", slugs())
test_the_docstring_names_its_source = of_every_theorem(
    every_theorem.test_the_docstring_names_its_source
)
test_statements_are_known_to_the_catalogue = of_every_theorem(
    every_theorem.test_statements_are_known_to_the_catalogue
)
test_every_check_speaks_for_a_statement = of_every_theorem(
    every_theorem.test_every_check_speaks_for_a_statement
)


def pytest_generate_tests(metafunc):
    """``slug``: every experiment; ``run_slug``: those that need no extra."""
    if "slug" in metafunc.fixturenames:
        metafunc.parametrize("slug", slugs())
    if "run_slug" in metafunc.fixturenames:
        metafunc.parametrize("run_slug", [slug for slug in slugs() if not find(slug).extra])


def test_a_run_has_the_pinned_verdicts_and_catches_every_control(run_slug, whole, surprises):
    assert surprises(whole(run_slug)) == []


def test_a_short_run_turns_no_verdict_and_moves_no_number(run_slug, short):
    """Few replicates may leave a row open; none may come out against its pin, no control pass."""
    run = short(run_slug)
    checks = run.result.checks
    turned = [
        (one.check.name, one.outcome.verdict)
        for one in checks
        if one.outcome.verdict not in (one.check.expected, "inconclusive")
    ]
    passed = [o.method for one in checks for o in one.controls if o.verdict == "supported"]
    decided = [one for one in checks if one.outcome.verdict == one.check.expected]
    assert (turned, passed) == ([], [])
    assert decided
    lines = short_numbers.moved(run_slug, short_numbers.numbers_of(run))
    assert not lines, "\n".join([*lines[:20], short_numbers.renewal(run_slug)])


def test_a_row_that_speaks_for_nothing_is_found():
    theorem = find("rdpo_identity")
    mute = replace(theorem.checks[0], name="mute", settles=())
    assert speaks_for_nothing(replace(theorem, checks=[mute], settles=())) == ["mute"]
    assert speaks_for_nothing(replace(theorem, checks=[mute], settles=["own.y"])) == []


def test_every_theorem_has_its_config_and_every_config_its_theorem():
    configs = {path.stem for path in (conf_dir() / "theorem").glob("*.yaml")}
    files = {path.stem for path in (shipped().folder / "theorems").glob("[a-z]*.py")}
    assert configs == files == set(slugs())


def test_the_suite_lists_every_theorem_that_needs_no_extra():
    suite = yaml.safe_load((conf_dir() / "suite.yaml").read_text())
    wanted = [slug for slug in slugs() if not find(slug).extra]
    assert suite["theorems"] == wanted, "python -m repro suite list rewrites conf/suite.yaml"


def test_find_returns_the_theorem_of_that_file():
    for slug in slugs():
        assert find(slug).slug == slug


def test_every_contradicted_row_has_one_with_the_form_that_holds():
    checks = {slug: {one.name: one for one in find(slug).checks} for slug in slugs()}
    for slug, rows in checks.items():
        corrected = find(slug).corrected
        assert set(corrected) == {n for n, one in rows.items() if one.expected == "contradicted"}
        for holds in corrected.values():
            experiment, _, row = holds.rpartition(": ")
            assert checks[experiment or slug][row].expected == "supported", (slug, holds)
