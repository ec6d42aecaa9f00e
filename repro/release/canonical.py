"""The canonical form of a comparison: what stays when a file is exported once more.

Copies that differ in white space, in a form of Unicode or in invisible characters must not get
answers of their own: their noise could be averaged away.  The form serves recognition only; what
is released are the texts as they were given.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

from repro.release.records import Record

FINGERPRINT_BITS = 62
_ASCII = bytes(range(128))
_BLANK = bytes(range(1, 33)) + b"\x7f"
"""White space and control characters but NUL, which stands between the texts of a comparison; in
UTF-8 these bytes are part of no other character."""

_IGNORED = re.compile(
    "[\x85\u1680\u2028\u2029"  # white space that NFKC leaves
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""And Unicode's Default_Ignorable_Code_Point, but for notations of shorthand and music."""

_STABLE = "".join(
    letter
    for letter in map(chr, (*range(0xA1, 0x180), *range(0x2010, 0x2028)))
    if unicodedata.normalize("NFKC", letter) == letter and not _IGNORED.match(letter)
)
"""Latin letters and punctuation that NFKC leaves as they are, whatever stands beside them: none of
these blocks has a character that combines with the one before it."""


def canonical(text: str) -> bytes:
    """UTF-8 of a text in NFKC without white space, control and invisible characters.

    NFKC and not NFC: tokenizers and exports turn ligatures, full-width letters and no-break
    spaces into plain ones.  That makes one of "x²" and "x2", too, where all else is equal, which
    costs an answer and no privacy; the other way round copies would be paid for with privacy.
    All white space goes, because runs, ends, line ends and wrapping are what exports change.

    >>> canonical("ﬁne\\u00a0 day\\r\\n") == canonical("fine day")
    True
    """
    if text.isascii():
        return text.encode().translate(None, _BLANK)
    given = text.encode()
    unusual = given.translate(None, _ASCII).decode()
    if not unusual.strip(_STABLE):
        return given.translate(None, _BLANK)
    if _IGNORED.search(unusual):  # a tenth of the time of a search in the whole text
        text = _IGNORED.sub("", text)
    return unicodedata.normalize("NFKC", text).encode().translate(None, _BLANK)


def comparison(record: Record) -> tuple[bytes, int]:
    """Canonical bytes of a prompt and its unordered pair, and which of the pair was chosen.

    Texts hold no NUL.  The pair is in order of canonical bytes, which does not depend on the
    label; responses that are canonically equal are in order of their code points.

    >>> comparison(("p", "b ", "a")) == (comparison((" p", "a", "b"))[0], 1)
    True
    """
    content = canonical("\0".join(record))
    prompt, chosen, rejected = content.split(b"\0")
    if chosen < rejected or (chosen == rejected and record[1] < record[2]):
        return content, 0
    return b"%b\0%b\0%b" % (prompt, rejected, chosen), 1


def fingerprint(salt: bytes, content: bytes) -> int:
    """A keyed 62-bit hash of canonical bytes.

    Args:
        salt: 1 to 64 secret bytes.
        content: what ``comparison`` returns.
    """
    digest = blake2b(content, digest_size=8, key=salt).digest()
    return int.from_bytes(digest, "little") >> (64 - FINGERPRINT_BITS)
