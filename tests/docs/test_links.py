"""No link of README, CONTRIBUTING or the documentation leads nowhere."""

import pytest

from tests.docs.fences import ROOT, pages
from tests.docs.links import anchors, broken


def test_every_link_of_every_page_leads_somewhere():
    assert [line for path in pages() for line in broken(path, ROOT)] == []


def test_anchors_are_as_github_names_them():
    assert anchors("## Change ε\n## `a.b`, c: d\n```text\n# no heading\n```\n") == {
        "change-ε", "ab-c-d",
    }  # fmt: skip


@pytest.mark.parametrize("page", ["engine", "python"])
def test_a_page_of_docstrings_says_how_to_read_them_without_the_site(page):
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    before, *lists = text.split("\n::: ")
    assert "Without the site, `python -m pydoc " in " ".join(before.split())
    assert lists
