"""No link of README, CONTRIBUTING or the documentation leads nowhere."""

from tests.docs.fences import ROOT, pages
from tests.docs.links import anchors, broken


def test_every_link_of_every_page_leads_somewhere():
    assert [line for path in pages() for line in broken(path, ROOT)] == []


def test_anchors_are_as_github_names_them():
    assert anchors("## Change ε\n## `a.b`, c: d\n```text\n# no heading\n```\n") == {
        "change-ε", "ab-c-d",
    }  # fmt: skip
