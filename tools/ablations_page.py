"""The page of what each check was seen to need, from the snapshots of ``conf/needs``.

Nothing is run: ``python -m repro ablate theorem=NAME --write`` measures, this page shows it.

    python -m tools.ablations_page            # writes docs/ablations.md
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from repro.base.files import write_whole
from repro.core.ablations import ABOUT_AN_ALGORITHM, MUST
from repro.core.check import EVIDENCE, Check
from repro.core.needs import Need, needs_file
from repro.report.wording import in_markdown
from repro.study.discovery import find, slugs

PAGE = Path(__file__).parents[1] / "docs" / "ablations.md"
HEAD = """# Ablations

Every stage that the worlds of a check have is taken away through the same code: labels are drawn
by fair coins, the estimate is replaced by the truth or by its opposite, the randomizer, the noise,
the adversary, the debiasing or the bonus are gone, the two orders are exchanged.  What the verdict
notices is what the check needs.  What cannot be measured without a stage notices it, too.  A check
about an algorithm notices `labels`, `truth_hidden` and `algorithm`, or says why not.

Made by `python -m tools.ablations_page` from `conf/needs`, which
`python -m repro ablate theorem=NAME --write` measures at smoke; without `--write` the same command
prints each verdict with and without the stage, or why nothing could be measured without it.
"""


@dataclass(frozen=True)
class CheckNeeds:
    """A check, and what its snapshot says that it notices."""

    theorem: str
    check: Check
    needs: tuple[Need, ...]

    @property
    def evidence(self) -> str:
        """How its quantity is known."""
        return self.check.quantity.evidence

    @property
    def reasons(self) -> list[str]:
        """Why it need not notice what a check about an algorithm must; each reason once."""
        if self.evidence not in ABOUT_AN_ALGORITHM:
            return []
        missed = [name for name, need in MUST.items() if need not in self.needs]
        return list(dict.fromkeys(self.check.blind.get(name, "no reason") for name in missed))


def checks_of(theorem: str) -> list[CheckNeeds]:
    """Every check of an experiment.

    Raises:
        KeyError: a check that the snapshot does not have.
    """
    kept = json.loads(needs_file(theorem).read_text(encoding="utf-8"))
    return [
        CheckNeeds(theorem, check, tuple(Need(one) for one in kept[check.name]))
        for check in find(theorem).checks
    ]


def page(found: Iterable[CheckNeeds]) -> str:
    """Markdown: by need, by evidence, then every check."""
    found = list(found)
    by_need = Counter(need for item in found for need in item.needs)
    about = [item for item in found if item.evidence in ABOUT_AN_ALGORITHM]
    lines = [
        HEAD,
        f"{len(found)} checks; {len(about)} are about an algorithm, of which "
        f"{sum(not item.reasons for item in about)} notice all three.",
        "",
        "| taken away or exchanged | checks that notice |",
        "|---|---|",
        *(f"| `{need}` | {by_need[need]} |" for need in Need if by_need[need]),
        "",
        "| a check knows by | notices something | notices nothing |",
        "|---|---|---|",
        *_by_evidence(found),
    ]
    for theorem in dict.fromkeys(item.theorem for item in found):
        lines += ["", f"## {theorem}", "", "| check | evidence | notices | need not notice |"]
        lines += ["|---|---|---|---|"]
        lines += [_line(item) for item in found if item.theorem == theorem]
    return "\n".join(lines) + "\n"


def _by_evidence(found: list[CheckNeeds]) -> Iterable[str]:
    for kind in EVIDENCE:
        needs = [bool(item.needs) for item in found if item.evidence == kind]
        if needs:
            yield f"| {kind} | {sum(needs)} | {len(needs) - sum(needs)} |"


def _line(item: CheckNeeds) -> str:
    needs = ", ".join(f"`{need}`" for need in item.needs)
    reasons = in_markdown("; ".join(item.reasons))
    return f"| `{item.check.name}` | {item.evidence} | {needs} | {reasons} |"


def main() -> None:
    """Write the page."""
    write_whole(PAGE, page(check for theorem in slugs() for check in checks_of(theorem)))


if __name__ == "__main__":
    main()
