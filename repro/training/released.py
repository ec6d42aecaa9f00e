"""Pairs whose labels have been released by ``python -m repro.privatize``.

That is the way for labels of real people: the coins are the operating system's, the release is made
once, and training reads its labels as they are, at the ε of its manifest.  Simulations, which
privatise anew for every seed, never come here.
"""

from __future__ import annotations

from pathlib import Path

import torch

from repro.base.errors import BadInput
from repro.release.manifest import manifest_path, read_manifest
from repro.release.matching import read_release
from repro.training.pairs import TextPairs

KEY = "release"


def released_pairs(path: Path) -> tuple[TextPairs, float]:
    """The comparisons of a release with their private labels, and the ε that they cost.

    Responses stay in the order of the release, which a fair coin made.

    Raises:
        BadInput: the release or its manifest cannot be read.
    """
    manifest = manifest_path(path)
    try:
        rows = [line.values for line in read_release(path)]
        values = read_manifest(manifest)
    except BadInput as problem:
        raise BadInput(KEY, problem.value, problem.allowed) from None
    if values is None:
        raise BadInput(KEY, manifest, "is missing: no manifest that states epsilon")
    prompts, first, second = (
        tuple(row[name] for row in rows) for name in ("prompt", "response_1", "response_2")
    )
    labels = torch.tensor([float(row["label"]) for row in rows], dtype=torch.float64)
    return TextPairs(prompts, first, second, labels), float(values["epsilon"])
