"""Can labels be recovered from a release beyond what randomized response allows?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from repro.base.notation import keep_prob
from repro.release.attacks import Allowance, attack_all, scene
from repro.release.beside import Beside, look_beside
from repro.release.extra_fields import field_names
from repro.release.manifest import manifest_path, read_manifest
from repro.release.matching import Line, MatchedRelease, match_release
from repro.release.one_place import one_place
from repro.release.scoring import Finding, agreement_bound
from repro.release.strata import split

FREE = 0.5
"""Share of lines with a value of their own that makes a field's values free."""

KEYS = (
    "coins, orders of responses and orders of lines drawn with a key, or with a seed or "
    "generator that is not among those tried: they look like honest ones"
)


@dataclass(frozen=True)
class Audit:
    """The findings on one release.

    Attributes:
        matched: the lines that could be matched.
        epsilon: budget claimed; None where none is stated.
        allowed: what every attack is held against.
        texts: accuracy of the best guess from the texts alone.
        findings: one or more per attack.
        out_of_reach: what no audit of this file could exclude, and why.
    """

    matched: MatchedRelease
    epsilon: float | None
    allowed: Allowance
    texts: float
    findings: tuple[Finding, ...]
    out_of_reach: tuple[str, ...]

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
    matched = match_release(release, original)
    if epsilon is None:
        manifest = read_manifest(manifest_path(release))
        epsilon = None if manifest is None else float(manifest["epsilon"])
    beside = replace(look_beside(release), places=tuple(one_place(release, matched.lines)))
    return _audit(matched, beside, original, epsilon)


def _audit(matched: MatchedRelease, beside: Beside, original: Path, epsilon: float | None) -> Audit:
    single = matched.one_a_comparison
    texts = text_accuracy(single)
    supposed = _supposed_epsilon(single) if epsilon is None else epsilon
    allowed = Allowance(supposed, max(keep_prob(supposed), texts))
    findings = attack_all(scene(matched, beside, original, allowed))
    unknown = tuple(out_of_reach(matched))
    return Audit(matched, epsilon, allowed, texts, tuple(findings), unknown)


def text_accuracy(matched: MatchedRelease) -> float:
    """How often the original texts alone give the label: the longer response, or the code points.

    This is public knowledge, not a leak of the release.
    """
    target = matched.truth * matched.position
    texts = [line.comparison for line in matched.lines]
    longer = np.array([1 if len(one) > len(two) else -1 for _, one, two in texts])
    parts = split(len(texts), len(texts))
    guesses = (longer, np.ones_like(longer))
    best = max(guesses, key=lambda guess: abs((guess * target)[parts.seen].mean()))
    sign = 1 if (best * target)[parts.seen].sum() >= 0 else -1
    return float((sign * best * target > 0)[parts.test].mean())


def out_of_reach(matched: MatchedRelease) -> Iterator[str]:
    """What could hide labels in this file and looks like chance to everyone without the key."""
    for name in field_names(matched.lines):
        if _is_free(matched.lines, name):
            yield (
                f"field {name[:40]!r} holds a value of its own for each line: a hash with an "
                "unknown salt, or an encrypted label, would look the same"
            )
    if matched.unmatched:
        yield f"{len(matched.unmatched)} lines are not of this original: nothing is known of them"
    yield KEYS


def _is_free(lines: Sequence[Line], name: str) -> bool:
    values = {repr(line.values.get(name)) for line in lines}
    return len(values) > FREE * len(lines)


def _supposed_epsilon(matched: MatchedRelease) -> float:
    """Without a claim: the largest budget that the flips in the labels leave possible.

    Labels without a single flip are raw, or their complement: no budget explains them.
    """
    right = matched.kept > 0
    if right.all() or not right.any():
        return 0.0
    keep = min(max(agreement_bound(right), agreement_bound(~right)), 1 - 1e-9)
    return float(np.log(keep / (1 - keep)))
