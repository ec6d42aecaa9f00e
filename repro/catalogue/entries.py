"""Ids of statements: paper.kind_number, such as p1.thm_4_2, or own.NAME."""

from __future__ import annotations

import difflib
import re
from typing import Annotated

from pydantic import AfterValidator, Field

KINDS = {
    "def": "definition",
    "asm": "assumption",
    "lem": "lemma",
    "claim": "claim",
    "prop": "proposition",
    "thm": "theorem",
    "cor": "corollary",
    "fact": "fact",
    "obs": "observation",
    "conj": "conjecture",
    "alg": "algorithm",
    "tab": "table",
    "fig": "figure",
}
"""Prefixes of counted items."""
EXTRA_KINDS = {
    "rem": "remark",
    "ex": "example",
    "sec": "section",
    "app": "appendix",
    "eq": "equation",
    "abs": "abstract",
}
"""Prefixes of items that are listed only where an experiment settles a claim of theirs."""
OWN = "own"
"""Stands where ids of own results have their paper."""
PAPER = "[a-z][a-z0-9]*"
"""Names of papers: that of the file in conf/papers."""

_ID = re.compile(
    rf"(?!{OWN}\.)({PAPER})\.({'|'.join({**KINDS, **EXTRA_KINDS})})"
    r"_([a-z0-9]+(?:_[0-9]+)*)(?:_[a-z][a-z]+)?"
)


def _printable(text: str) -> str:
    """Refuse what a terminal would obey."""
    if not text.replace("\n", "").isprintable():
        raise ValueError("printable signs and ends of lines")
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_printable)]


def is_id(name: str) -> bool:
    """Whether it is an id."""
    return re.fullmatch(rf"{OWN}\.\w+|{_ID.pattern}", name) is not None


def like_ids(key: str) -> str:
    """What is allowed as the key of a statement, and the nearest to a wrong one.

    >>> like_ids("theorem_2")
    'did you mean thm_2? allowed: KIND_NUMBER, such as thm_4_2, with KIND of def, asm, lem, claim, \
prop, thm, cor, fact, obs, conj, alg, tab, fig, rem, ex, sec, app, eq, abs'
    """
    kinds = {**KINDS, **EXTRA_KINDS}
    short = {word: kind for kind, word in kinds.items()} | {kind: kind for kind in kinds}
    word, _, numbered = key.lower().partition("_")
    close = difflib.get_close_matches(word, short, n=1)
    hint = f"did you mean {short[close[0]]}_{numbered or 1}? " if close else ""
    return f"{hint}allowed: KIND_NUMBER, such as thm_4_2, with KIND of {', '.join(kinds)}"


def paper(name: str) -> str:
    """The paper of an id.

    >>> paper("p1.thm_4_2")
    'p1'
    """
    return name.split(".")[0]


def kind(name: str) -> str:
    """The kind of an id, in words.

    >>> kind("p4.claim_e_1"), kind("own.sharper_floor")
    ('claim', 'own result')
    """
    match = _ID.fullmatch(name)
    return {**KINDS, **EXTRA_KINDS}[match[2]] if match else "own result"


def number(name: str) -> str:
    """The number of an id as its paper prints it; empty for our own.

    >>> number("p1.lem_b_1"), number("p1.tab_1"), number("p4.app_c_rdpo")
    ('B.1', '1', 'C')
    """
    match = _ID.fullmatch(name)
    return match[3].replace("_", ".").upper() if match else ""


def spoken(name: str) -> str:
    """An id as people say it.

    >>> spoken("p1.thm_5_2"), spoken("p2.abs_1"), spoken("own.sharper_floor")
    ('P1 Theorem 5.2', 'P2 Abstract 1', 'own.sharper_floor')
    """
    if paper(name) == OWN:
        return name
    return f"{paper(name).upper()} {kind(name).capitalize()} {number(name)}".strip()


def counted(name: str) -> bool:
    """Whether an id is a numbered item, of the kinds that must all be listed.

    >>> counted("p1.thm_4_2"), counted("p2.rem_5_1")
    (True, False)
    """
    match = _ID.fullmatch(name)
    return match is not None and match[2] in KINDS
