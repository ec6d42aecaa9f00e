"""Every command of the documentation runs, or says in its title why it does not."""

import re

import pytest

from tests.docs.fences import (
    ROOT,
    BadFence,
    blocks,
    escaped_commands,
    pages,
    project_copy,
    run_page,
)


def page_id(path):
    return str(path.relative_to(ROOT))


def runs_something(path):
    return any(block.reason is None for block in blocks(path.read_text(encoding="utf-8")))


@pytest.fixture
def copy(tmp_path, python_m, kept_blocks):
    return project_copy(tmp_path / "project", python_m, kept_blocks)


EXTRAS = {"docs/howto/language_models.md": "transformers"}
"""Pages whose commands need an optional extra."""


def on_its_own(path):
    """Pages share nothing, and take minutes together: any process may take one."""
    marks = [pytest.mark.xdist_group(f"docs/commands of {page_id(path)}")]
    marks += [pytest.mark.slow] if page_id(path) != "README.md" else []
    return pytest.param(path, marks=marks, id=page_id(path))


@pytest.mark.parametrize("path", [on_its_own(one) for one in pages() if runs_something(one)])
def test_every_command_of_the_page_runs(path, copy):
    if library := EXTRAS.get(page_id(path)):
        pytest.importorskip(library)
    wrong = run_page(path.read_text(encoding="utf-8"), copy)
    assert wrong == [], "\n".join(wrong)


def test_blocks_are_well_formed_and_what_is_not_run_has_a_reason():
    found = [block for path in pages() for block in blocks(path.read_text(encoding="utf-8"))]
    assert [block for block in found if not block.reason and block.status < 0] == []


def test_no_command_stands_outside_of_a_runnable_block():
    for path in pages():
        assert escaped_commands(path.read_text(encoding="utf-8")) == [], path


HELP = [ROOT / "conf" / "config.yaml", *sorted((ROOT / "repro" / "commands").rglob("*.py"))]


def test_no_shell_expands_the_names_of_checks():
    """``only=[a,b]`` is a pattern of file names; zsh refuses one that matches nothing.

    Python's ``only=["a"]`` is none of theirs.
    """
    pattern = re.compile(r"(?<![\"'`])only=\[(?!\").*")
    for path in [*pages(), *HELP]:
        assert pattern.findall(path.read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize(
    "fence",
    ['bash title="not run in CI"', 'bash title="not run in CI: slow"', 'bash title="later"',
     "bash no-ci", 'bash title="exit status bad"'],
)  # fmt: skip
def test_a_block_without_a_reason_is_refused(fence):
    with pytest.raises(BadFence):
        assert [block.reason or block.status for block in blocks(f"```{fence}\ntrue\n```\n")]
