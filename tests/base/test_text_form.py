"""What the canonical form keeps: a pinned list, which no other version of Unicode changes."""

from __future__ import annotations

import unicodedata

import pytest

from repro.base.text_form import TABLE, canonical
from repro.base.unicode_18 import FORMS
from tests.at_each import at_each

FORM_NAMES = ("NFC", "NFD", "NFKC", "NFKD")
BULLETS = "\uf0b7\ue000"
"""Private use, for which fonts have glyphs."""
BLANK_GLYPHS = "\u2800\ufffc\U0001d159"
INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0" + "".join(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Default_Ignorable_Code_Point among letters and marks."""
PLAIN = set(map(chr, (*range(0x3400, 0xA000), *range(0xAC00, 0xD7A4), *range(0x20000, 0x31350))))
"""Ideographs and syllables, of which a few stand for all."""


@pytest.fixture(scope="module")
def assigned():
    """Characters of this Python but NUL; of the great blocks those at their ends."""
    every = (chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000)
    ends = "\u3400\u4e00\u9fff\uac00\uac01\ud7a3\U00020000\U0002a6d6"
    return [c for c in every if unicodedata.category(c) not in ("Cn", "Co") and c not in PLAIN] + [
        *ends, *BULLETS, "\U000f0000"
    ]  # fmt: skip


def test_no_normal_form_of_any_character_is_a_difference(assigned):
    changed = [
        char
        for char in assigned
        if unicodedata.decomposition(char)
        for form in FORM_NAMES
        if (other := unicodedata.normalize(form, char)) != char
        and canonical(other) != canonical(char)
    ]
    assert changed == []


@at_each("form", FORM_NAMES)
@at_each(
    "text",
    ["\U0001f210", "ᵀ", "\U0001f130", "\U0002f868", "\U00011099\U000110ba", "a\u1dfa\u0301",
     "\u0915\u093c\u1df5\u0301", "\U0001112e"],
)  # fmt: skip
def test_characters_newer_than_the_table_have_one_form(text, form):
    """Characters, compositions and marks that are newer than Unicode 3.2, or corrected later."""
    assert canonical(unicodedata.normalize(form, text)) == canonical(text)


def test_what_this_python_composes_beyond_the_table_is_taken_apart():
    """Or the form would depend on the version of Python."""
    for text in ("\U00011347\U0001133e", "\u1b05\u1b35"):
        assert TABLE.normalize("NFKC", text) != text
        assert canonical(text) == text.encode()


def test_what_nobody_sees_is_no_difference(assigned):
    for char in assigned:
        unseen = unicodedata.category(char)[0] not in "LMNPS" and char not in BULLETS
        if unseen or char in INVISIBLE or char in BLANK_GLYPHS:
            assert canonical(f"é{char}b") == "éb".encode(), hex(ord(char))


def test_what_is_seen_is_a_difference(assigned):
    """But for marks that 3.2 cannot put in order: they cost an answer and no privacy."""
    for char in assigned:
        seen = unicodedata.category(char)[0] in "LMNPS" or char in BULLETS
        if seen and char not in INVISIBLE + BLANK_GLYPHS:
            newer = TABLE.category(char) == "Cn" and unicodedata.combining(char)
            assert (canonical(f"é{char}b") == "éb".encode()) == bool(newer), hex(ord(char))


def test_the_pinned_forms_are_those_of_this_python():
    """As far as it knows the characters: their forms never change again."""
    for code, form in (pair.split(":") for pair in FORMS.split()):
        char = chr(int(code, 16))
        if unicodedata.category(char) != "Cn":
            expected = unicodedata.normalize("NFKD", char)
            assert [int(part, 16) for part in form.split("_")] == list(map(ord, expected))
