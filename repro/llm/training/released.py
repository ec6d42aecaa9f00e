"""Pairs whose labels have been released by ``repro privatize``.

That is the way for labels of real people: the coins are the operating system's, the release is made
once, and training reads its labels as they are, at the ε of its manifest.  Simulations, which
privatise anew for every seed, never come here.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import torch

from repro.base.errors import BadInput
from repro.llm.training.pairs import TextPairs
from repro.release.manifest import Manifest, manifest_path, parsed_manifest, read_manifest
from repro.release.records import read_records
from repro.release.released import Answer, read_release

KEY = "release"
RAW = "this is a raw file: release it first (repro privatize IN OUT.jsonl epsilon=1)"


def released_pairs(path: Path) -> tuple[TextPairs, float]:
    """The comparisons of a release with their private labels, and the ε that they cost.

    Responses stand in the order of the release, which does not depend on labels.

    Args:
        path: OUT.jsonl; or an export of it, such as OUT.parquet, in either layout, beside its
            manifest.  The layout of TRL, prompt with chosen and rejected by the released label,
            is that of raw files, too: it is taken where it is, line by line, the release that the
            manifest has the digest of.

    Raises:
        BadInput: the release or its manifest cannot be read, or the file holds raw labels.
    """
    manifest = manifest_path(path)
    content = read_manifest(manifest)
    stated = parsed_manifest(content) if content else None
    try:
        rows = list(read_release(path, KEY))
    except BadInput as problem:
        rows = []
        with suppress(BadInput):
            rows = list(read_release(path, KEY, trl=True))
        if stated is None or _digest(rows) != stated.sha256:
            raise (BadInput(KEY, path, RAW) if _has_chosen(path) else problem) from None
    if not content:
        raise BadInput(KEY, manifest, "is missing: no manifest that states epsilon")
    if stated is None:
        raise BadInput(KEY, manifest, "is not the manifest of a release")
    prompts, first, second, labels, _ = zip(*rows, strict=True)
    signs = 2.0 * torch.tensor(labels, dtype=torch.float64) - 1.0
    return TextPairs(prompts, first, second, signs), float(stated.epsilon)


def manifest_of(path: Path) -> Manifest:
    """What the manifest of a release states.

    Args:
        path: as ``released_pairs`` has read it.
    """
    stated = parsed_manifest(read_manifest(manifest_path(path)))
    assert stated is not None
    return stated


def _has_chosen(path: Path) -> bool:
    """Whether it begins with a comparison that says what was chosen, in any layout."""
    try:
        next(read_records(path, KEY))
    except BadInput:
        return False
    return True


def _digest(rows: list[Answer]) -> str:
    """SHA-256 of the release that the lines stand for."""
    digest = sha256()
    for answer in rows:
        digest.update(answer.content)
    return digest.hexdigest()
