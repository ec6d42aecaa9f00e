"""The words of a command: files first, then KEY=VALUE.

``--key=value`` and ``--key value`` are read as ``key=value``, and ``--switch`` as ``switch=true``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import yaml
from pydantic import BaseModel

from repro.base.errors import BadInput, among, at_most_ten, nearest

WIDTH = 80
"""Columns of an answer."""


def split_words(
    words: Sequence[str],
    keys: Collection[str],
    files: Sequence[str] = (),
    switches: Collection[str] = (),
    least: int | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Files by position and texts by key.

    Args:
        words: the command line after the command's name.
        keys: all keys that the command has.
        files: names of the files that may be given, in order.
        switches: keys that may be written without a value.
        least: how many of the files must be given; by default all.

    Raises:
        BadInput: an unknown or repeated key, a key without a value, a missing or extra file.

    >>> split_words(["a.jsonl", "--json", "--unit", "user"], ["unit", "json"], ["IN"], ["json"])
    (['a.jsonl'], {'json': 'true', 'unit': 'user'})
    """
    paths: list[str] = []
    texts: dict[str, str] = {}
    following = iter(words)
    for word in following:
        key, separator, text = word.removeprefix("--").partition("=")
        if word.startswith("--") and not separator:
            separator, text = "=", "true" if key in switches else next(following, "")
        # a path may contain "=", a key contains neither of these
        if not separator or (files and ("/" in key or "." in key)):
            paths.append(word)
        elif key not in keys:
            raise BadInput(key, text[:60], f"unknown key; {_allowed(key, keys)}")
        elif key in texts:
            raise BadInput(key, text[:60], "given twice; allowed: once")
        else:
            texts[key] = text
    if len(paths) > len(files):
        unexpected = paths[len(files)]
        if not files:
            names = at_most_ten(unexpected, list(keys))
            raise BadInput("argument", unexpected, f"allowed: key=value with key in {names}")
        raise BadInput(unexpected, "", f"unexpected; {_allowed(unexpected, keys)}")
    if len(paths) < (len(files) if least is None else least):
        raise BadInput(files[len(paths)], "(missing)", "a file name is required")
    return paths, texts


def keyword_values(words: Sequence[str], model: type[BaseModel]) -> dict[str, Any]:
    """Plain values by key, for ``repro.base.schema.validate``; read as YAML reads scalars.

    Raises:
        BadInput: a word that is no KEY=VALUE, a key given twice or unknown, or a value that YAML
            cannot read.
    """
    _, texts = split_words(words, list(model.model_fields))
    return {key: scalar(key, text) for key, text in texts.items()}


def wrapped(line: str) -> str:
    """A line of an answer in 80 columns; a command to type can be copied as it stands.

    >>> print(wrapped(f"next: repro plan {' '.join(['epsilon=0.123456789'] * 4)}"))
    next: repro plan epsilon=0.123456789 epsilon=0.123456789 epsilon=0.123456789 \\
      epsilon=0.123456789
    """
    is_command = line.startswith(("next: repro ", "then: repro "))
    end = " \\" if is_command else ""
    lines = textwrap.wrap(
        line,
        WIDTH - len(end),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{end}\n".join(lines)


def plain(number: float) -> str:
    """A number as commands take it, without an exponent.

    >>> plain(4.0), plain(1e-6)
    ('4', '0.000001')
    """
    return np.format_float_positional(number, trim="-")


def true_or_false(texts: Mapping[str, str], key: str) -> bool:
    """A switch, false by default."""
    text = texts.get(key, "false")
    if text.lower() not in ("true", "false"):
        raise BadInput(key, text[:60], "allowed: true, false")
    return text.lower() == "true"


def whole_number(texts: Mapping[str, str], key: str) -> int | None:
    """A count of ASCII digits, from 1; None where it is not given."""
    text = texts.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise BadInput(key, text[:60], "allowed: a whole number from 1")
    return int(text)


_NO_DIGITS = str.maketrans("", "", "0123456789_")


def scalar(key: str, text: str) -> Any:
    """A YAML scalar; 1e6 and inf are numbers too.

    0_5 stays a text: Python reads 5 there, and Hydra a word.
    """
    if "_" in text and text.translate(_NO_DIGITS).strip(".eE+-") == "":
        return text
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise BadInput(key, text, "allowed: a number, a word or [a, list]") from None


def _allowed(key: str, keys: Collection[str]) -> str:
    """The keys there are, with an example of each where there is one."""
    if not keys:
        return "this command has no keys"
    if isinstance(keys, Mapping):
        examples = ", ".join(f"{name}={example}" for name, example in keys.items())
        return f"{nearest(key, keys)}allowed: {examples}"
    return among(key, list(keys))
