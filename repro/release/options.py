"""Command lines of the form FILES KEY=VALUE …, read strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repro.base.errors import BadInput, nearest


def split_options(
    words: Sequence[str], keys: Mapping[str, str], files: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Files by position and options by key.

    Args:
        words: the command line after the program's name; options may be written with ``--``.
        keys: allowed keys and what each accepts.
        files: names of the files that must be given, in order.

    Raises:
        BadInput: an unknown or repeated key, a missing or extra file.
    """
    places: list[str] = []
    options: dict[str, str] = {}
    for word in words:
        key, equals, value = word.removeprefix("--").partition("=")
        if not equals or "/" in key or "." in key:
            places.append(word)
        elif key not in keys:
            raise BadInput(key, value[:60], f"unknown key; {_allowed(key, keys)}")
        elif key in options:
            raise BadInput(key, value[:60], "given twice")
        else:
            options[key] = value
    if len(places) > len(files):
        raise BadInput(places[len(files)], "", f"unexpected; {_allowed(places[len(files)], keys)}")
    if len(places) < len(files):
        raise BadInput(files[len(places)], "(missing)", "a file name is required")
    return places, options


def true_or_false(options: Mapping[str, str], key: str) -> bool:
    """A switch, false by default."""
    value = options.get(key, "false")
    if value.lower() not in ("true", "false"):
        raise BadInput(key, value[:60], "allowed: true, false")
    return value.lower() == "true"


def whole_number(options: Mapping[str, str], key: str) -> int | None:
    """A count of ASCII digits, from 1; None where it is not given."""
    value = options.get(key)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value)):
        raise BadInput(key, value[:60], "allowed: a whole number from 1")
    return int(value)


def _allowed(key: str, keys: Mapping[str, str]) -> str:
    listed = ", ".join(f"{name}={value}" for name, value in keys.items())
    return f"{nearest(key, keys)}allowed: {listed}"
