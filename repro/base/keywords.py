"""``key=value`` words of the small commands, read as YAML reads scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import BaseModel

from repro.base.errors import BadInput, among, at_most_ten


def keyword_values(words: Sequence[str], model: type[BaseModel]) -> dict[str, Any]:
    """Plain values by key, for ``repro.base.schema.validate``.

    Raises:
        BadInput: a word without ``=``, a key given twice or unknown, or a value YAML cannot read.
    """
    known = list(model.model_fields)
    found: dict[str, Any] = {}
    for word in words:
        key, separator, text = word.partition("=")
        if not separator:
            keys = at_most_ten(word, known)
            raise BadInput("argument", word, f"allowed: key=value with key in {keys}")
        if key not in known:
            raise BadInput(key, text, f"unknown key; {among(key, known)}")
        if key in found:
            raise BadInput(key, text, "given twice; allowed: once")
        found[key] = _scalar(key, text)
    return found


_NO_DIGITS = str.maketrans("", "", "0123456789_")


def _scalar(key: str, text: str) -> Any:
    """A YAML scalar; 1e6 and inf are numbers too, 0_5 is none: Python reads 5, and Hydra a word."""
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
