"""Every suspected error of the papers: whether its evidence exists, and all of them on a page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from repro.base.errors import among, nearest
from repro.catalogue.machine_checked import Checked
from repro.catalogue.papers import CHECK, TEST, Slip


def dangling(
    slips: Mapping[str, Slip],
    checks: Mapping[str, Mapping[str, tuple[str, ...]]],
    root: Path | None = None,
    unread: Collection[str] = (),
    stale: Collection[str] = (),
) -> Iterator[str]:
    """One line per piece of evidence that does not exist, or is missing.

    Args:
        slips: by id.
        checks: controls by check by experiment.
        root: the folder that test paths start from; tests are not looked for without it.
        unread: experiments whose checks are not known.
        stale: experiments whose checks are known by a run of earlier code.
    """
    for name, slip in slips.items():
        if slip.grade != "notation" and not slip.evidence:
            yield f"{name}: {slip.said} without evidence"
        for evidence in slip.evidence:
            match = CHECK.fullmatch(evidence)
            if (match["slug"] in unread) if match else root is None:
                continue
            if not _exists(evidence, checks, root or Path()):
                hint = _hint(match, checks) if match else ""
                of_run = " in its last run, of earlier code" if match and match[1] in stale else ""
                yield f"{name}: no such evidence: {evidence}{of_run}{hint and f'; {hint}'}"


def _hint(named: re.Match[str], checks: Mapping[str, Mapping[str, Collection[str]]]) -> str:
    """Which experiment, which of its checks, or which control of the check may be meant."""
    slug, check, control = named["slug"], named["check"], named["control"]
    if slug not in checks:
        return nearest(slug, checks).strip()
    if check not in checks[slug]:
        return among(check, checks[slug])
    controls = checks[slug][check]
    return among(control, controls) if controls else f"{check} has no control"


def _exists(evidence: str, checks, root: Path) -> bool:
    if test := TEST.fullmatch(evidence):
        file = root / test["path"]
        return file.is_file() and f"def {test['name']}(" in file.read_text(encoding="utf-8")
    match = CHECK.fullmatch(evidence)
    if not match or match["check"] not in checks.get(match["slug"], {}):
        return False
    return not match["control"] or match["control"] in checks[match["slug"]][match["check"]]


def page(
    slips: Mapping[str, Slip], papers: Mapping[str, str], proved: Mapping[str, Sequence[Checked]]
) -> str:
    """All slips as Markdown, a table a paper; ``proved`` by id are theorems that Coq checks."""
    parts = [
        "# Suspected errors, and what decided them\n\n"
        "`python -m repro catalogue --slips` writes this page from conf/papers. The grades are:\n\n"
        "- *error*: the printed form is wrong;\n"
        "- *constant*: a factor in the printed form is wrong;\n"
        "- *unstated condition*: the statement holds under a condition that is not stated;\n"
        "- *not claimed*: true of the result, but not claimed by the paper;\n"
        "- *notation*: a misprint with one reading;\n"
        "- *cleared*: the suspicion was wrong.\n\n"
        "*As in the text at hand* means that the suspicion rests on the place of a root, an index, "
        "an exponent, a sign or an accent. A conversion from PDF can move these. "
        "Evidence is a check of an experiment "
        "(`python -m repro theorem=EXPERIMENT only=CHECK`), a control that has the printed form "
        "(after the slash), a test, or a theorem that Coq checks "
        "(`python proofs/verify.py FILE`).\n"
    ]
    for paper, title in papers.items():
        rows = "".join(
            _row(slip, proved.get(name, ()))
            for name, slip in slips.items()
            if name.startswith(f"{paper}.")
        )
        parts.append(
            f"\n## {paper.upper()}: {title}\n\n"
            "| place | suspected | grade | evidence | what holds |\n|---|---|---|---|---|\n" + rows
        )
    return "".join(parts)


def _row(slip: Slip, proved: Sequence[Checked]) -> str:
    names = [*slip.evidence, *(f"{proof.file}: {proof.theorem}" for proof in proved)]
    evidence = "; ".join(f"`{proof}`" for proof in names) or "–"
    cells = (slip.place, slip.suspected, slip.said, evidence, slip.corrected)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
