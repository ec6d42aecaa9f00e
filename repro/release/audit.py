"""Can labels be recovered from a release beyond what randomized response allows?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from repro.base.notation import keep_prob
from repro.release.attacks import Allowance, attack_all
from repro.release.manifest import manifest_path, read_manifest
from repro.release.opened import Opened, open_release
from repro.release.scoring import Finding, agreement_bound, halves


@dataclass(frozen=True)
class Audit:
    """The findings on one release.

    Attributes:
        opened: the lines that could be matched.
        epsilon: budget claimed; None where none is stated.
        allowed: what every attack is held against.
        texts: accuracy of the best guess from the texts alone.
        findings: one or more per attack.
    """

    opened: Opened
    epsilon: float | None
    allowed: Allowance
    texts: float
    findings: tuple[Finding, ...]

    @property
    def leaks(self) -> bool:
        """Whether any attack certainly exceeds what is allowed."""
        return any(finding.leaks for finding in self.findings)


def audit_release(release: Path, original: Path, epsilon: float | None = None) -> Audit:
    """Attack a release.

    Args:
        release: JSON lines with prompt, response_1, response_2, label.
        original: the file it was made from.
        epsilon: budget claimed; by default the manifest's, and without one the budget that the
            labels' own accuracy suggests.

    Raises:
        BadInput: a file that cannot be used, or too few lines in common.
    """
    opened = open_release(release, original)
    if epsilon is None:
        manifest = read_manifest(manifest_path(release))
        epsilon = None if manifest is None else float(manifest["epsilon"])
    return audit(opened, epsilon)


def audit(opened: Opened, epsilon: float | None) -> Audit:
    """Attack an opened release."""
    single = opened.one_a_comparison()
    texts = text_accuracy(single)
    supposed = _supposed_epsilon(single) if epsilon is None else epsilon
    allowed = Allowance(supposed, max(keep_prob(supposed), texts))
    return Audit(opened, epsilon, allowed, texts, tuple(attack_all(opened, allowed)))


def text_accuracy(opened: Opened) -> float:
    """How often the original texts alone give the label: the longer response, or the code points.

    This is public knowledge, not a leak of the release.
    """
    target = opened.truth * opened.position
    longer = [
        1 if len(line.comparison[1]) > len(line.comparison[2]) else -1 for line in opened.lines
    ]
    fit, test = halves(len(opened.lines))
    best = max(
        (np.array(longer), np.ones(len(longer))), key=lambda g: abs((g * target)[fit].mean())
    )
    sign = 1 if (best * target)[fit].sum() >= 0 else -1
    return float((sign * best * target > 0)[test].mean())


def _supposed_epsilon(opened: Opened) -> float:
    """Without a claim: the largest budget that the flips in the labels leave possible.

    Labels without a single flip are raw, or their complement: no budget explains them.
    """
    right = opened.labels == opened.truth
    if right.all() or not right.any():
        return 0.0
    keep = min(max(agreement_bound(right), agreement_bound(~right)), 1 - 1e-9)
    return float(np.log(keep / (1 - keep)))
