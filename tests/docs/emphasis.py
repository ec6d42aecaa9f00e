"""Emphasis on a built page, told from the stars of formulas that were taken for its marks."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SYMBOL = re.compile(r"(?<![A-Za-z])[^\W\d_][\u0300-\u036f]?$")
"""A text ends in a symbol of one letter, which may wear an accent."""
_BEFORE = ' \n(["“–—'
"""What emphasis begins after."""
_CODE = "\N{OPEN BOX}"
_BLOCKS = {"p", "li", "td", "th", "div", "tr", "dt", "dd", "h1", "h2", "h3", "h4"}


class _Article(HTMLParser):
    """The words of an article, code blotted out, and where its emphasis stands."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.spans = "", list[tuple[int, int]]()
        self._inside, self._code, self._open = False, 0, list[int]()

    def handle_starttag(self, tag, attrs):
        self._inside |= tag == "article"
        self._code += tag in ("code", "pre")
        if tag in _BLOCKS:
            self.text += "\n"
        if tag in ("em", "strong"):
            self._open.append(len(self.text))

    def handle_endtag(self, tag):
        self._inside &= tag != "article"
        self._code -= tag in ("code", "pre")
        if tag in ("em", "strong"):
            self.spans.append((self._open.pop(), len(self.text)))

    def handle_data(self, data):
        if self._inside:
            self.text += re.sub(r"\S", _CODE, data) if self._code else data


def eaten(html: str) -> list[str]:
    """Each place of a page where a star or underscore was taken for a mark, or a mark for a star.

    Emphasis begins at the start of a word, ends at the end of one, holds whole brackets, and does
    not end in a letter that bears a star elsewhere on the page; a star follows a sign.
    """
    page = _Article()
    page.feed(html)
    found = [f"emphasis: {page.text[a:b]!r}" for a, b in page.spans if _wrong(page.text, a, b)]
    for star in re.finditer(r"(?<![\w)\]}*\u0300-\u036f])\*", page.text):
        found.append(f"star: {page.text[star.start() : star.start() + 20]!r}")
    return found


def _wrong(text: str, start: int, end: int) -> bool:
    held, before, after = text[start:end], text[start - 1 : start], text[end : end + 1]
    inside_a_word = before not in _BEFORE or after.isalnum()
    brackets = any(held.count(a) != held.count(b) for a, b in ("()", "[]", "{}"))
    letter = _SYMBOL.search(held)
    starred = letter is not None and re.search(rf"(?<![A-Za-z]){letter[0]}\*", text) is not None
    return inside_a_word or brackets or held.count("‖") % 2 == 1 or starred
