"""The entries for the papers carry the titles, authors and numbers of the catalogue."""

import re

from repro.base.places import PACKAGE
from repro.catalogue import papers

PAGE = (PACKAGE.parent / "docs" / "citing.md").read_text("utf-8").replace("{", "").replace("}", "")


def test_every_paper_is_there_as_the_catalogue_has_it():
    flat = re.sub(r"\s+", " ", PAGE)
    for paper in papers.load().papers.values():
        assert f"title = {paper.title}" in flat
        if paper.arxiv:
            assert f"eprint = {paper.arxiv}" in flat
        for author in paper.authors.split(", "):
            assert author.rpartition(" ")[2].lower() in flat.lower() or author.startswith("under")
