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
_BLANK = bytes(range(33)) + b"\x7f"
"""ASCII white space and control characters; in UTF-8 no part of any other character."""

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point, but for scripts of no living language."""


def canonical(text: str) -> bytes:
    """UTF-8 of a text in NFKC without white space, control and invisible characters.

    NFKC and not NFC: tokenizers and exports turn ligatures, full-width letters and no-break
    spaces into plain ones.  That makes one of "x²" and "x2", too, where all else is equal, which
    costs an answer and no privacy; the other way round copies would be paid for with privacy.
    All white space goes, because runs, ends, line ends and wrapping are what exports change.

    >>> canonical("ﬁne\\u00a0 day\\r\\n") == canonical("fine day")
    True
    """
    if not text.isascii():
        text = "".join(unicodedata.normalize("NFKC", _IGNORABLE.sub("", text)).split())
    return text.encode().translate(None, _BLANK)


def comparison(record: Record) -> tuple[bytes, int]:
    """Canonical bytes of a prompt and its unordered pair, and which of the pair was chosen.

    The pair is in order of canonical bytes, which does not depend on the label; responses that
    are canonically equal are in order of their code points.

    >>> comparison(("p", "b ", "a")) == (comparison((" p", "a", "b"))[0], 1)
    True
    """
    prompt, chosen, rejected = map(canonical, record)
    which = chosen > rejected if chosen != rejected else record[1] > record[2]
    pair = (rejected, chosen) if which else (chosen, rejected)
    return b"\0".join((prompt, *pair)), int(which)


def fingerprint(salt: bytes, content: bytes) -> int:
    """A keyed 62-bit hash of canonical bytes.

    Args:
        salt: 1 to 64 secret bytes.
        content: what ``comparison`` returns.
    """
    digest = blake2b(content, digest_size=8, key=salt).digest()
    return int.from_bytes(digest, "little") >> (64 - FINGERPRINT_BITS)
