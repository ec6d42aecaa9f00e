"""Addresses of trackers: a password in one reaches no file and no line.

Hydra writes the words of a multirun to a file, quotes them in errors and prints them with
``--cfg``.  So the address of a word is put into an environment variable before Hydra sees it,
and the word names that variable instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from repro.base.errors import BadInput

KEY = "tracking.uri"
VARIABLE = "REPRO_TRACKING_URI"
SHOWING = ("--cfg", "-c", "--info", "-i", "--resolve")
HIDDEN = "***"
SHORTEST = 4
"""Characters of a part of an address that is hidden wherever it stands; of less, words would go."""


def hide_secrets(words: Sequence[str]) -> list[str]:
    """The words of a command line, with a reference in place of an address with a password.

    Raises:
        BadInput: a password is in another place, where it could not be kept from files.
    """
    shows = any(word.split("=")[0] in SHOWING for word in words)
    return [_hidden(word, shows) for word in words]


def _hidden(word: str, shows: bool) -> str:
    key, _, value = word.partition("=")
    if not has_secret(value or word):
        return word
    if key.lstrip("+") != KEY:
        raise BadInput(key if value else "argument", "", f"allowed: a password in {KEY} only")
    address = _unquoted(value)
    os.environ[VARIABLE] = shown(address) if shows else address
    return f"{key}=${{oc.env:{VARIABLE}}}"


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


def has_secret(text: str) -> bool:
    """Whether a text may hold an address with credentials: a user, or a query.

    >>> has_secret("http://user:p@ss@host"), has_secret("http://host?password=x")
    (True, True)
    >>> has_secret("http://127.0.0.1:5000"), has_secret("sqlite:////a/b.db?timeout=5")
    (False, False)
    """
    scheme, separator, rest = text.partition("://")
    local = re.search(r"sqlite(\+\w+)?$", scheme)
    return bool(separator) and not local and any(mark in rest for mark in "@?#;")


def shown(address: str) -> str:
    """An address as a line may show it: of one with credentials only the kind.

    Where its password ends cannot be told when it holds ``@``, ``/`` or ``?`` itself.

    >>> shown("http://user:p@ss@host/x"), shown("http://host:5000")
    ('http://***', 'http://host:5000')
    """
    return f"{address.partition('://')[0]}://{HIDDEN}" if has_secret(address) else address


def without_secrets(text: str) -> str:
    """A text without this process's address and its parts, in any encoding of addresses."""
    for secret in sorted(_secrets(os.environ.get(VARIABLE, "")), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _secrets(address: str) -> Iterator[str]:
    if not has_secret(address):
        return
    rest = address.partition("://")[2]
    user = rest.rpartition("@")[0]
    values = re.findall(r"[=#]([^&;#]*)", rest)
    for part in {rest, user, user.partition(":")[2], *values}:
        for form in (part, unquote(part), unquote_plus(part), quote(part, ""), quote_plus(part)):
            if len(form) >= SHORTEST:
                yield form


def refuse_address(address: str | None) -> None:
    """Refuse a store that would be gone with the process.

    Raises:
        BadInput: SQLite in memory, or without a file.
    """
    scheme, _, path = (address or "").partition("://")
    in_memory = not path.strip("/") or ":memory:" in path or "mode=memory" in path
    if scheme.split("+")[0] == "sqlite" and in_memory:
        raise BadInput(KEY, address, "would be gone when the run ends; allowed: sqlite:///FILE")
