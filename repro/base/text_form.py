"""The canonical form of a text: what is the same however it has been exported.

Only characters of a pinned list are kept.  It is a list of what is visible, not of what is
invisible.  So a character that nobody has thought of makes no difference, which costs an answer
and never privacy.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

from repro.base.unicode_18 import FORMS, KEPT

TABLE = unicodedata.ucd_3_2_0
"""Ships with every Python; the table of another version would sort the same texts otherwise."""

_ASCII = bytes(range(128))
_BLANK = bytes(range(1, 33)) + b"\x7f"
"""White space and control characters but NUL, which stands between the texts of a comparison; in
UTF-8 these bytes are part of no other character."""

_LATER = (*range(0x80), 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
"""ASCII, and what NFKC makes blanks of: blanks go after it, or letters beside them would join."""


class _Visible(dict[int, int | str | None]):
    """For ``str.translate``: None for what is not kept, and forms that ``TABLE`` does not give."""

    def __init__(self) -> None:
        pairs = [[int(end, 16) for end in ends.split("-")] for ends in KEPT.split()]
        self._starts, self._ends = [pair[0] for pair in pairs], [pair[-1] for pair in pairs]
        for code, form in (pair.split(":") for pair in FORMS.split()):
            letters = [chr(int(part, 16)) for part in form.split("_")]
            self[int(code, 16)] = "".join(letter for letter in letters if self[ord(letter)])
        self.update((code, code) for code in _LATER)

    def __missing__(self, code: int) -> int | None:
        place = bisect_right(self._starts, code) - 1
        self[code] = code if place >= 0 and code <= self._ends[place] else None
        return self[code]  # pyright: ignore[reportReturnType]


_VISIBLE = _Visible()
_STABLE = "".join(
    letter
    for letter in map(chr, (*range(0xA1, 0x180), *range(0x2010, 0x2028)))
    if TABLE.normalize("NFKC", letter) == letter and _VISIBLE[ord(letter)]
)
"""Latin letters and punctuation that NFKC leaves as they are, whatever stands beside them: none of
these blocks has a character that combines with the one before it."""


def canonical(text: str) -> bytes:
    """UTF-8 of the visible characters of a text in NFKC.

    NFKC and not NFC: tokenizers and exports turn ligatures, full-width letters and no-break
    spaces into plain ones.  That makes one of "10²" and "102", and of "no where" and "nowhere",
    where all else is equal, which costs an answer and no privacy; the other way round copies would
    be paid for with privacy.

    >>> canonical("ﬁne\\u00a0 day\\r\\n") == canonical("fine day\\x9b\\u2800\\ufffc")
    True
    """
    if text.isascii():
        return text.encode().translate(None, _BLANK)
    content = text.encode()
    unusual = content.translate(None, _ASCII).decode()
    if not unusual.strip(_STABLE):
        return content.translate(None, _BLANK)
    content = TABLE.normalize("NFKC", _visible(text, unusual)).encode().translate(None, _BLANK)
    # Python composes characters newer than its table of 3.2, those that its own version knows.
    unusual = content.translate(None, _ASCII).decode()
    return _visible(content.decode(), unusual).encode()


def _visible(text: str, unusual: str) -> str:
    """What is kept of a text that has these characters beside ASCII, in forms of the table."""
    if all(_VISIBLE[code] == code for code in map(ord, set(unusual))):
        return text
    return text.translate(_VISIBLE)
