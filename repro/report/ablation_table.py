"""The matrix check × ablation: for the terminal and as a page of the documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from repro.core.check import EVIDENCE, Check
from repro.core.results import Finding

HEAD = """# Ablations

Every stage that a check's worlds have is taken away through the same code.  What its verdict
notices is what the check needs.

Written by `python -m repro ablate`, with `markdown=`.
"""


def outcome(finding: Finding) -> str:
    """What happened, in words.

    >>> outcome(Finding("t", "r", "measured", "labels", "fair coins", "supported", "supported"))
    'NOT NOTICED: still supported'
    """
    if finding.undecided:
        return "could not be judged: inconclusive with everything in place"
    if finding.noticed and finding.unmeasured:
        return f"noticed (not measured): {finding.unmeasured}"
    if finding.noticed:
        return finding.after
    reason = f" (blind: {finding.blind})" if finding.blind else ""
    return f"NOT NOTICED: still {finding.after}{reason}"


KINDS: dict[str, Callable[[Finding], bool]] = {
    "noticed": lambda finding: finding.noticed,
    "of these, not measured": lambda finding: finding.noticed and bool(finding.unmeasured),
    "not noticed": lambda finding: not finding.noticed and not finding.undecided,
    "could not be judged": lambda finding: finding.undecided,
}


def _numbers(findings: Iterable[Finding]) -> tuple[int, ...]:
    """How many there are of each of ``KINDS``."""
    several = list(findings)
    return tuple(sum(map(is_one, several)) for is_one in KINDS.values())


def counts(findings: Sequence[Finding]) -> list[tuple[str, tuple[int, ...]]]:
    """By what was taken away, how many there are of each of ``KINDS``."""
    ordered = sorted(findings, key=attrgetter("ablation"))
    return [(name, _numbers(group)) for name, group in groupby(ordered, attrgetter("ablation"))]


def summary(findings: Sequence[Finding]) -> str:
    """How many were noticed, how many of these without a measurement, how many not judged."""
    noticed, unmeasured, _, undecided = _numbers(findings)
    without = f", {unmeasured} of them not measured" if unmeasured else ""
    apart = f"; {undecided} could not be judged" if undecided else ""
    return f"{noticed} of {len(findings)} ablations noticed{without}{apart}"


NOTHING = (
    "nothing to take away: the worlds of these checks have no labels, no channel,\n"
    "no adversary and no estimate, so that no ablation can be tried"
)


def printed(findings: Sequence[Finding], experiments: Iterable[str] = ()) -> str:
    """Lines of at most 80 columns where names allow: a check, then what happened to it.

    Args:
        findings: of all checks that have a stage.
        experiments: all, those that have no such check too.
    """
    if not findings:
        return NOTHING
    having = {finding.theorem for finding in findings}
    without = [f"{name}: nothing to take away" for name in experiments if name not in having]
    return "\n".join([*_lines(findings), *without, summary(findings)])


def _lines(findings: Sequence[Finding]) -> Iterable[str]:
    for (theorem, check), group in _by_check(findings):
        several = list(group)
        yield f"{theorem} {check} ({several[0].evidence}): {several[0].before}"
        for finding in several:
            yield f"  {finding.ablation}: {outcome(finding)}"


def page(findings: Sequence[Finding], checks: Iterable[Check]) -> str:
    """Markdown: counts, checks by evidence, what was not noticed, then the whole matrix.

    Args:
        findings: of all checks that have a stage.
        checks: all, those whose worlds have none too.
    """
    missed = [finding for finding in findings if not finding.noticed]
    lines = [
        HEAD,
        f"{summary(findings)}.",
        "",
        f"| taken away | {' | '.join(KINDS)} |",
        "|---" * (1 + len(KINDS)) + "|",
    ]
    lines += [f"| {name} | {' | '.join(map(str, row))} |" for name, row in counts(findings)]
    lines += [
        "",
        "## Checks by evidence",
        "",
        *_by_evidence(findings, checks),
        "",
        "## Not noticed",
        "",
    ]
    lines += [_bullet(finding) for finding in missed] or ["Nothing."]
    lines += ["", "## Every check", "", "| experiment | check | evidence | verdict | without |"]
    lines += ["|---|---|---|---|---|", *map(_line, _by_check(findings))]
    return "\n".join(lines) + "\n"


def _by_evidence(findings: Iterable[Finding], checks: Iterable[Check]) -> list[str]:
    needing = Counter(
        evidence
        for evidence, _, _ in {(f.evidence, f.theorem, f.check) for f in findings if f.noticed}
    )
    total = Counter(check.quantity.evidence for check in checks)
    kinds = [evidence_kind for evidence_kind in EVIDENCE if total[evidence_kind]]
    return [
        "| a check knows by | needs something | needs nothing |",
        "|---|---|---|",
        *(f"| {kind} | {needing[kind]} | {total[kind] - needing[kind]} |" for kind in kinds),
    ]


def _bullet(finding: Finding) -> str:
    return f"- `{finding.theorem}` `{finding.check}`: {finding.ablation}: {outcome(finding)}"


def _line(key_and_findings: tuple[tuple[str, str], Iterable[Finding]]) -> str:
    (theorem, check), group = key_and_findings
    several = list(group)
    outcomes = "; ".join(f"{finding.ablation}: {outcome(finding)}" for finding in several)
    return f"| `{theorem}` | `{check}` | {several[0].evidence} | {several[0].before} | {outcomes} |"


def _by_check(findings: Sequence[Finding]):
    ordered = sorted(findings, key=lambda finding: (finding.theorem, finding.check))
    return groupby(ordered, key=lambda finding: (finding.theorem, finding.check))
