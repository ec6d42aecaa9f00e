"""The glossary has the words that the page of papers sends its reader there for."""

import re

from tests.docs.fences import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").lower()
PAPERS = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")


def test_every_word_in_italics_is_a_term_of_the_glossary():
    terms = " ".join(re.findall(r"^\*\*(.+?)\*\*", GLOSSARY, re.MULTILINE))
    words = re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", PAPERS)
    assert len(words) > 12
    assert [word for word in words if word.lower().rstrip("s") not in terms] == []
