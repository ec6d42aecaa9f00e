"""The canonical form of a comparison: what is the same however a file has been exported.

Copies that differ in white space, in a form of Unicode, in invisible characters or in a common
layout must not get answers of their own: their noise could be averaged away.  The same form fixes
which response stands first and in which place a line stands, so that no byte of a release but its
labels is anybody's choice.  What is released are the texts as they were given.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from typing import Any

FORM = (
    "NFKC of Unicode 3.2.0 without white space, control and invisible characters; a dialogue of one"
    " question, in the prompt or before both responses, is that question"
)
TABLE = unicodedata.ucd_3_2_0
"""Ships with every Python; the table of another version would sort the same texts otherwise."""

PAIR, LINE = b"repro-release/1 pair\0", b"repro-release/1 line\0"
"""What is hashed begins with these.  Public and fixed: a salt would be bytes of free choice."""

ASKED, ANSWERED = b"Human:", b"Assistant:"
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
    if TABLE.normalize("NFKC", letter) == letter and not _IGNORED.match(letter)
)
"""Latin letters and punctuation that NFKC leaves as they are, whatever stands beside them: none of
these blocks has a character that combines with the one before it."""


def canonical(text: str, table: Any = TABLE) -> bytes:
    """UTF-8 of a text in NFKC without white space, control and invisible characters.

    NFKC and not NFC: tokenizers and exports turn ligatures, full-width letters and no-break
    spaces into plain ones.  That makes one of "10²" and "102", and of "no where" and "nowhere",
    where all else is equal, which costs an answer and no privacy; the other way round copies would
    be paid for with privacy.

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
    return table.normalize("NFKC", text).encode().translate(None, _BLANK)


def compared(prompt: str, one: str, other: str) -> tuple[bytes, bytes, bool]:
    """Key and body of a comparison, and whether ``one`` is its response_1; symmetric in both.

    The response with the lesser SHA-256 of prompt and response stands first.  The prompt is hashed
    too, or a reply that is common to many prompts would stand in one place everywhere.

    Args:
        prompt, one, other: texts without NUL and lone surrogates, the responses different.

    Returns:
        (64,) bytes, SHA-256 in hexadecimal, the same for all copies; the line up to its label.

    >>> compared("p", "b ", "a")[0] == compared(" p", "a", "b")[0]
    True
    """
    texts = canonical("\0".join((prompt, one, other)))
    asked, *both = texts.split(b"\0")
    if ASKED in texts or ANSWERED in texts:
        asked, *both = _without_dialogue(asked, *both)
    prefix = PAIR + asked + b"\0"
    keys = sha256(prefix + both[0]).digest(), sha256(prefix + both[1]).digest()
    first = keys[0] < keys[1] if keys[0] != keys[1] else one.encode() < other.encode()
    if first:
        return sha256(LINE + keys[0] + keys[1]).hexdigest().encode(), body(prompt, one, other), True
    return sha256(LINE + keys[1] + keys[0]).hexdigest().encode(), body(prompt, other, one), False


def _without_dialogue(asked: bytes, one: bytes, other: bytes) -> tuple[bytes, bytes, bytes]:
    """Canonical texts with the marks of a dialogue, and a prompt that both responses repeat, cut.

    >>> _without_dialogue(b"Human:Hi?Assistant:", b"Human:Hi?Assistant:Yes", b"Human:Hi?Assistant:")
    (b'Hi?', b'Yes', b'')
    """
    asked = asked.removesuffix(ANSWERED)
    if asked.count(ASKED) == 1 and ANSWERED not in asked:
        asked = asked.removeprefix(ASKED)
    opening = asked + ANSWERED if asked.startswith(ASKED) else ASKED + asked + ANSWERED
    if one.startswith(opening) and other.startswith(opening):
        one, other = one.removeprefix(opening), other.removeprefix(opening)
    return asked, one, other


def body(prompt: str, first: str, second: str) -> bytes:
    """A line up to its label; escapes are those of RFC 8785."""
    return (
        f'{{"prompt":{quoted(prompt)},"response_1":{quoted(first)},'
        f'"response_2":{quoted(second)},"label":'
    ).encode()


def line(text: bytes, label: int) -> bytes:
    """A whole line, from its body and a label of 1 or 0, which is written −1.

    >>> line(body("p", "a", "b"), 0)
    b'{"prompt":"p","response_1":"a","response_2":"b","label":-1}\\n'
    """
    return text + (b"1}\n" if label else b"-1}\n")
