"""Needs are measured, not declared: what each check was seen to notice, kept as a snapshot.

``python -m repro ablate theorem=NAME`` takes every stage of every world away and writes what it
finds with ``--write``; ``conf/needs/NAME.json`` keeps it.
"""

from __future__ import annotations

import json
from enum import StrEnum
from functools import cache
from pathlib import Path

from repro.base.places import conf_dir, place_of


class Need(StrEnum):
    """What a check depends on, and notices when it is taken away (contract: ``needs``)."""

    LABELS = "labels"
    TRUTH_HIDDEN = "truth_hidden"
    PRIVACY = "privacy"
    NOISE = "noise"
    ADVERSARY = "adversary"
    ORDER = "order"
    OPTIMISM = "optimism"
    PESSIMISM = "pessimism"
    COVERAGE = "coverage"
    DEBIASING = "debiasing"
    ALGORITHM = "algorithm"


MUST = {"labels": Need.LABELS, "estimate": Need.TRUTH_HIDDEN, "algorithm": Need.ALGORITHM}
"""What a check about an algorithm notices; ``Check.blind`` has its reasons by these names."""


def needs_file(theorem: str) -> Path:
    """Where the snapshot of a theorem is kept: beside its config group."""
    try:
        folder = place_of(theorem).config(theorem).parent.parent
    except Exception:  # noqa: BLE001 - a theorem of another folder has its snapshot there
        folder = conf_dir()
    return folder / "needs" / f"{theorem}.json"


@cache
def _kept(path: Path) -> dict[str, list[str]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def needs_of(theorem: str, check: str) -> tuple[Need, ...]:
    """What a check was seen to notice; nothing where there is no snapshot."""
    return tuple(Need(word) for word in _kept(needs_file(theorem)).get(check, ()))
