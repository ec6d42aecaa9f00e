"""Pairs whose labels have been released by ``python -m repro.privatize``.

That is the way for labels of real people: the coins are the operating system's, the release is made
once, and training reads its labels as they are, at the ε of its manifest.  Simulations, which
privatise anew for every seed, never come here.
"""

from __future__ import annotations

from pathlib import Path

import torch

from repro.base.errors import BadInput
from repro.release.manifest import manifest_path, parsed_manifest, read_manifest
from repro.release.released import read_release
from repro.training.pairs import TextPairs

KEY = "release"


def released_pairs(path: Path) -> tuple[TextPairs, float]:
    """The comparisons of a release with their private labels, and the ε that they cost.

    Responses stay in the order of the release, which does not depend on labels.

    Raises:
        BadInput: the release or its manifest cannot be read.
    """
    manifest = manifest_path(path)
    rows = list(read_release(path, KEY))
    content = read_manifest(manifest)
    if not content:
        raise BadInput(KEY, manifest, "is missing: no manifest that states epsilon")
    stated = parsed_manifest(content)
    if stated is None:
        raise BadInput(KEY, manifest, "is not the manifest of a release")
    prompts, first, second, labels, _ = zip(*rows, strict=True)
    signs = 2.0 * torch.tensor(labels, dtype=torch.float64) - 1.0
    return TextPairs(prompts, first, second, signs), float(stated.epsilon)
