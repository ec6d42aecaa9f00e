"""A comparison without its label: the prompt and the unordered pair of responses.

Everything that the release remembers about a record, in memory or in the ledger, is a keyed
fingerprint of its comparison; it is the same whichever response was chosen.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

from repro.release.records import Record

FINGERPRINT_BITS = 62
_BLANK = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"
"""What str.split takes for white space."""
COMPARED = 2000
"""Characters of altered texts that are compared."""


def unlabelled(record: Record) -> tuple[str, str, str, int]:
    """prompt, the two responses in order of their code points, and 0 or 1, the chosen one.

    >>> unlabelled(("p", "b", "a"))
    ('p', 'a', 'b', 1)
    """
    prompt, chosen, rejected = record
    pair = (chosen, rejected)
    which = chosen > rejected
    return prompt, pair[which], pair[not which], int(which)


def fingerprint(salt: bytes, prompt: str, first: str, second: str) -> int:
    """A keyed 62-bit hash of a comparison, never 0; texts hold no NUL.

    Args:
        salt: 1 to 64 secret bytes.
        prompt: any text.
        first: the response that comes first in order of code points.
        second: the other.
    """
    text = "\0".join((prompt, first, second)).encode()
    digest = blake2b(text, digest_size=8, key=salt).digest()
    return (int.from_bytes(digest, "little") >> (64 - FINGERPRINT_BITS)) or 1


def folded(text: str) -> str:
    """A text without case, white space and the difference between compatible characters.

    >>> folded("An\u00a0Example ")
    'anexample'
    """
    if text.isascii():  # a third of the time
        return text.encode().lower().translate(None, _BLANK).decode()
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def letters(text: str) -> str:
    """The letters and digits of a text, without accents and case.

    >>> letters("Caf\u00e9, no.\u200b 1")
    'cafeno1'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return re.sub(r"\W+", "", text).casefold()


def trigrams(text: str) -> set[str]:
    """Every three characters in a row of the first COMPARED letters and digits."""
    text = letters(text[:COMPARED])
    return {text[i : i + 3] for i in range(max(1, len(text) - 2))}
