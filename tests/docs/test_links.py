"""No link of README, CONTRIBUTING or the documentation leads nowhere."""

import pytest

from tests.docs.fences import ROOT, pages
from tests.docs.links import anchors, broken, links


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_the_page_leads_somewhere(path):
    assert list(broken(path, ROOT)) == []


@pytest.mark.parametrize(
    ("link", "complaint"),
    [
        ("gone.md", "no such file: gone.md"),
        ("other.md#gone", "no such heading: other.md#gone"),
        ("#gone", "no such heading: #gone"),
        ("../outside.md", "no such file: ../outside.md"),
        ("/other.md", "no such file: /other.md"),
    ],
)
def test_a_broken_link_is_seen(tmp_path, link, complaint):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.md").write_text("# Out\n")
    (root / "other.md").write_text("# There\n")
    page = root / "page.md"
    page.write_text(f"# Here\n[good](other.md#there) [good](#here) ![picture]({link})\n")
    assert list(broken(page, root)) == [f"page.md: {complaint}"]


def test_links_in_code_and_to_other_sites_are_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`[a](b)`\n```text\n[a](b)\n```\n[site](https://example.org/x)\n")
    assert links(page.read_text()) == ["https://example.org/x"]
    assert list(broken(page, tmp_path)) == []


def test_anchors_are_as_github_names_them():
    assert anchors("## Change ε\n## `a.b`, c: d\n```text\n# no heading\n```\n") == {
        "change-ε", "ab-c-d",
    }  # fmt: skip
