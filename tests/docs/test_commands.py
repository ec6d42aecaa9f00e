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


@pytest.mark.parametrize("path", pages(), ids=page_id)
def test_blocks_are_well_formed_and_what_is_not_run_has_a_reason(path):
    for block in blocks(path.read_text(encoding="utf-8")):
        assert block.reason or block.status >= 0


@pytest.mark.parametrize("path", pages(), ids=page_id)
def test_no_command_stands_outside_of_a_runnable_block(path):
    assert escaped_commands(path.read_text(encoding="utf-8")) == []


HELP = [ROOT / "conf" / "config.yaml", *sorted((ROOT / "repro").glob("*.py"))]


@pytest.mark.parametrize("path", [*pages(), *HELP], ids=page_id)
def test_no_shell_expands_the_names_of_checks(path):
    """``only=[a,b]`` is a pattern of file names; zsh refuses one that matches nothing.

    Python's ``only=["a"]`` is none of theirs.
    """
    assert re.findall(r"(?<![\"'`])only=\[(?!\").*", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("```bash\npython -m repro.no_such_command\n```\n", "No module named"),
        ("```bash\nfalse\ntrue\n```\n", "exit status 1, not 0"),
        ("```console\n$ python -m repro suite lost\nshown output\n```\n", "exit status 2, not 0"),
        ('```bash title="exit status 2"\ntrue\n```\n', "exit status 0, not 2"),
        ("```bash\npython -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'\n```\n",
         "offline"),
    ],
)  # fmt: skip
def test_a_broken_command_is_seen(copy, code, complaint):
    (wrong,) = run_page(f"# A page\n\n{code}", copy)
    assert complaint in wrong


def test_blocks_of_a_page_share_a_folder_and_unmarked_languages_are_not_run(copy):
    page = "```bash\necho 3 > a\n```\n```python\nraise SystemExit(1)\n```\n```bash\ngrep 3 a\n```\n"
    assert run_page(page, copy) == []


@pytest.mark.parametrize(
    "fence",
    ['bash title="not run in CI"', 'bash title="not run in CI: slow"', 'bash title="later"',
     "bash no-ci", 'bash title="exit status bad"'],
)  # fmt: skip
def test_a_block_without_a_reason_is_refused(fence):
    with pytest.raises(BadFence):
        assert [block.reason or block.status for block in blocks(f"```{fence}\ntrue\n```\n")]


@pytest.mark.parametrize(
    "page", ["```\npython -m repro\n```\n", "    python -m repro plan\n", "```text\nmake ui\n```\n"]
)
def test_a_command_outside_of_a_runnable_block_is_seen(page):
    assert len(escaped_commands(page)) == 1


def test_a_budget_on_a_page_is_replaced_by_smoke(copy):
    page = '```bash\npython -m repro budget=paper --cfg job | grep "name: smoke"\n```\n'
    assert run_page(page, copy) == []
