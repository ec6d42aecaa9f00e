"""Preference pairs from the Hugging Face hub, by the optional library ``datasets``."""

from __future__ import annotations

import importlib
import logging
import re
from collections import Counter
from collections.abc import Iterator

from repro.base.errors import BadInput
from repro.base.places import install_hint
from repro.labels.preferences.conversation import NotUnderstood
from repro.labels.preferences.layouts import three_texts
from repro.labels.preferences.pair_records import (
    KEY,
    PreferencePair,
    checked_pair,
    content_fault,
    shape_fault,
)

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(:[\w\[\]:%+-]+)?", re.ASCII)
log = logging.getLogger(__name__)


def hub_pairs(hub_id: str) -> Iterator[PreferencePair]:
    """Pairs of a hub dataset; rows that compare nothing are skipped, as no user can mend them.

    So are rows that say more than three texts can.
    """
    skipped, faults = 0, Counter[str]()
    for number, row in enumerate(_hub_rows(hub_id), 1):
        try:
            record = three_texts(row)
        except NotUnderstood as fault:
            faults[str(fault)] += 1
            continue
        if not shape_fault(record) and content_fault(record):
            skipped += 1
        else:
            yield checked_pair(hub_id, f"row {number}", record)
    if skipped:
        log.warning("%s: skipped %d rows with empty or equal texts", hub_id, skipped)
    for fault, count in faults.most_common():
        log.warning("%s: skipped %d rows: %s", hub_id, count, fault)


def _hub_rows(hub_id: str) -> Iterator[object]:
    name, _, split = hub_id.partition(":")
    try:
        load_dataset = importlib.import_module("datasets").load_dataset
    except (ImportError, AttributeError):
        hint = f"not on disk; to read it from the hub: {install_hint('hub')}"
        raise BadInput(KEY, hub_id, hint) from None
    try:
        yield from load_dataset(name, split=split or "train")
    except Exception as error:  # noqa: BLE001 - the library raises many unrelated kinds
        hint = "check name, split and network; if it is gated, log in with `hf auth login`"
        kind = type(error).__name__
        raise BadInput(KEY, hub_id, f"not on disk, and the hub fails ({kind}): {hint}") from None
