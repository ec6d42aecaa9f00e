"""How verdicts, claims and measured numbers read, in the terminal and on figures alike."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from repro.base import notation
from repro.base.errors import at_most_ten, number_of, one_line
from repro.core.check import CONTROLS
from repro.core.results import MAX_FAILED_SHARE
from repro.core.verdicts import IN_ROUNDING, off_its_pin
from repro.report.run_files import (
    CheckEntry,
    ControlEntry,
    InForce,
    Numbers,
    OutcomeEntry,
    VerdictContent,
    WitnessEntry,
)

BOUNDS = {"at_most": "at most ", "at_least": "at least "}


@dataclass(frozen=True)
class Contradiction:
    """A contradicted check, the place where it fails, and the check with the form that holds.

    Attributes:
        name: of the check.
        witness: in words; empty where a run has none.
        corrected: the check of the form that holds, with its numbers or the command that runs it;
            may be empty.
        command: that runs it, where this run has not.
        heading: what the corrected form is called.
    """

    name: str
    witness: str
    corrected: str
    command: str = ""
    heading: str = "what holds"


def corrected_heading(holds: CheckEntry | None) -> str:
    """What the corrected form of a contradicted check is called: it holds unless a run did not say.

    >>> undecided = CheckEntry(name="a", verdict="inconclusive")
    >>> corrected_heading(None), corrected_heading(undecided)
    ('what holds', 'corrected form')
    """
    return "what holds" if holds is None or holds.verdict == "supported" else "corrected form"


def beside(run: VerdictContent, given: Mapping[str, object]) -> list[Contradiction]:
    """Every contradicted check of a run that has a witness or a corrected form.

    Nothing where an assumption fails: no verdict of a check counts then.

    Args:
        run: that has finished.
        given: numbers that were given for it: a command of another experiment does not take them,
            and says so.
    """
    if failed_assumptions(run):
        return []
    numbers = [f"{name}={value}" for name, value in given.items() if name != "only"]
    apart = f", at its own numbers, not at {' '.join(numbers)}" if numbers else ""
    contradictions = (
        _beside(run.theorem, check, holds, apart) for check, holds in run.contradicted()
    )
    return [
        contradiction
        for contradiction in contradictions
        if contradiction.witness or contradiction.corrected
    ]


def _beside(theorem: str, check: CheckEntry, holds: CheckEntry | None, apart: str) -> Contradiction:
    witness = witness_words(check, check.witness) if check.witness else ""
    if holds is not None:
        corrected_words = f"{brief_words(holds)}, claimed {claim_words(holds)}"
        words = f"{verdict_words(holds.verdict)} {holds.name}: {corrected_words}; {holds.claim}"
        if notes := note_words(holds, holds.measured_in_all):
            words += f"; {notes}" if holds.verdict != "supported" else ""
        return Contradiction(check.name, witness, words, heading=corrected_heading(holds))
    if not check.corrected:
        return Contradiction(check.name, witness, "")
    elsewhere, _, name = check.corrected.rpartition(": ")
    experiment = elsewhere or theorem
    command = shlex.join(["python", "-m", "repro", f"theorem={experiment}", f"only={name}"])
    return Contradiction(check.name, witness, f"{name} of {experiment}{apart}", command)


def witness_words(check: CheckEntry, entry: WitnessEntry) -> str:
    """The swept value and the numbers there.

    >>> check = CheckEntry(name="a", verdict="contradicted", axis="n_pairs", direction="at_most")
    >>> witness_words(check, WitnessEntry(at=8.0, measured=1.21, claimed=1.0))
    'at n = 8 it is 1.21, claimed at most 1'
    >>> named = check.model_copy(update={"quantity": "exact ε(δ) / stated ε"})
    >>> witness_words(named, WitnessEntry(at=8.0, measured=1.21, claimed=1.0))
    'at n = 8 exact ε(δ) / stated ε is 1.21, claimed at most 1'
    >>> growth = {"from": 1e3, "at": 1e5, "measured_from": 0.2, "measured": 0.2, "factor": 1.0}
    >>> witness_words(check, WitnessEntry(**growth, claimed=0.0126))
    'from n = 1000 to 1e+05 it goes from 0.2 to 0.2, by a factor 1; claimed at most 0.0126'
    >>> ratio = check.model_copy(update={"quantity": "gap / bound", "claimed": 0.0})
    >>> witness_words(ratio, WitnessEntry(**growth, claimed=0.0126)).rpartition("; ")[2]
    '1 is not exceeded yet: the growth is judged'
    >>> loose = check.model_copy(update={"tolerance": 0.05})
    >>> witness_words(loose, WitnessEntry(**growth, claimed=0.0126)).partition("; ")[2]
    'allowed, with tolerance: at most 0.0126'
    """
    axis = notation.SYMBOLS.get(check.axis, check.axis)
    axis = axis[1:-1] if axis.startswith("(") else axis
    at = "?" if entry.at is None else f"{entry.at:.4g}"
    side = "at_most" if check.kind in ("inequality", "privacy") else check.direction
    bound = BOUNDS.get(side, "")
    name = check.quantity.partition(" [")[0] or "it"
    digits = _digits(entry.measured, entry.claimed)
    claimed = f"claimed {bound}{_number(entry.claimed, digits)}"
    if entry.start is not None:
        ends = f"from {axis} = {entry.start:.4g} to {at}"
        numbers = f"from {_number(entry.measured_from)} to {_number(entry.measured)}"
        growth = f"by a factor {_growth_words(check, entry)}{_below_one(check, entry)}"
        return f"{ends} {name} goes {numbers}, {growth}"
    where = f"at {axis} = {at}"
    if entry.cases is not None:
        where += f" in {entry.failures} of {entry.cases} cases"
        measured = f": {_number(entry.measured, digits)}"
    else:
        measured = f" {name} is {_number(entry.measured, digits)}"
    drawn = "" if entry.block is None else f" (block {entry.block}, replicate {entry.replicate})"
    return f"{where}{measured}, {claimed}{drawn}"


def _growth_words(check: CheckEntry, entry: WitnessEntry) -> str:
    """A factor and the limit that it breaks, in which the check's tolerance is counted."""
    if check.direction == "two_sided":
        above = (entry.factor or 0) > (entry.claimed or 0)
        bound = BOUNDS["at_most" if above else "at_least"]
    else:
        bound = BOUNDS.get(check.direction, "")
    allowed = "allowed, with tolerance:" if check.tolerance else "claimed"
    digits = _digits(entry.factor, entry.claimed)
    return f"{_number(entry.factor, digits)}; {allowed} {bound}{_number(entry.claimed, digits)}"


def _below_one(check: CheckEntry, entry: WitnessEntry) -> str:
    """Of a quotient that must not grow, that no value of the sweep shows more than its growth."""
    quotient = check.claimed == 0 and check.direction == "at_most" and " / " in check.quantity
    below = entry.measured is not None and entry.measured <= 1
    words = "; 1 is not exceeded yet: the growth is judged"
    return words if quotient and below else ""


def _digits(measured: float | None, claimed: float | None) -> int:
    """So many that the two do not look alike."""
    return next(
        (digits for digits in range(4, 17)
         if _number(measured, digits) != _number(claimed, digits)), 4,
    )  # fmt: skip


def _number(value: float | None, digits: int = 4) -> str:
    return "not a number" if value is None else f"{value:.{digits}g}"


SYMBOLS = {"supported": "✓", "contradicted": "✗", "inconclusive": "?", "assumption_failed": "!"}
"""One sign a verdict, so that no reader needs colour."""

EVEN = 0.1
"""An interval whose middle is so few half-widths from the number is written by its half-width."""

SHORT, SEEN = 1e5, 1e-4
"""From here on numbers have four figures, and a smaller share of them does not show in these."""


NO_CONTROL = "no control was run: a wrong implementation could pass"


def verdict_words(verdict: str) -> str:
    """Symbol and word of a verdict.

    >>> verdict_words("assumption_failed")
    '! assumption failed'
    """
    return f"{SYMBOLS.get(verdict, '?')} {plain_words(verdict)}"


def brief_verdict(run: VerdictContent) -> str:
    """Of a run; where it contradicts some of its statements, how many they are."""
    apart = run.contradicted_apart()
    share = f": {len(apart['contradicted'])} of {len(run.statements)} statements" if apart else ""
    return verdict_words(run.verdict) + share


def verdict_line(run: VerdictContent) -> str:
    """The last line of a run: by statement, where it contradicts some of them."""
    from repro.catalogue.entries import spoken

    by_statement = [
        f"{verdict_words(verdict)}: {', '.join(map(spoken, statements))}"
        for verdict, statements in run.contradicted_apart().items()
    ]
    said = "; ".join(by_statement) or verdict_words(run.verdict)
    return f"{run.theorem}: {said} ({expected_words(run)})"


def caught_words(verdict: str) -> str:
    """Whether a control, wrong on purpose, came out contradicted as it must.

    >>> caught_words("inconclusive")
    'NOT rejected ✗ (inconclusive)'
    """
    if verdict == "contradicted":
        return "rejected ✓"
    return f"NOT rejected ✗ ({plain_words(verdict)})"


def unmeasured_words(control: ControlEntry) -> str:
    """Why a control has no verdict, where its values are no numbers; empty for another one.

    >>> bad = ControlEntry(name="a", verdict="inconclusive", failed_replicates=3, value=None)
    >>> unmeasured_words(bad), unmeasured_words(bad.model_copy(update={"value": 1.0}))
    ('not measured, 3 replicates are not a number', '3 replicates are not a number')
    """
    if not control.failed_replicates:
        return ""
    measured = "" if control.headline is not None else "not measured, "
    return f"{measured}{number_of(control.failed_replicates, 'replicate')} are not a number"


def expected_words(run: VerdictContent) -> str:
    """How the verdict compares with the pinned one; first, of how many checks it is if not all."""
    part = f"{words} run; " if (words := part_words(run.rows)) else ""
    if run.as_expected:
        return f"{part}as expected"
    if run.verdict == run.expected:
        return f"{part}as expected, but a check is NOT as expected"
    return f"{part}NOT as expected; expected: {plain_words(run.expected)}"


NOTHING_COUNTS = "no verdict of a check counts"
"""Of a run where an assumption fails."""


def other_settings(run: VerdictContent, given: Iterable[str]) -> str:
    """Where verdicts are not the recorded ones, that the settings are not, either; else empty.

    Args:
        run: the verdicts.
        given: keys that were set.
    """
    words = ", ".join(key for key in given if key != "only")
    if run.as_expected or not words:
        return ""
    below = ", ".join(check.name for check in run.checks if _below_claim(check))
    not_exceeded = f". Less growth than claimed ({below}) does not contradict an upper bound"
    return (
        f"the expected verdicts were recorded without {words}. What is claimed for other settings "
        f"can miss here: that alone refutes no statement{not_exceeded if below else ''}"
    )


def _below_claim(check: CheckEntry) -> bool:
    """Whether a slope misses a two-sided claim by less growth than claimed.

    >>> slope = {"name": "a", "verdict": "contradicted", "kind": "slope", "direction": "two_sided"}
    >>> less = CheckEntry(**slope, slope=0.6, ci95=(0.57, 0.63), claimed=1.0)
    >>> _below_claim(less), _below_claim(less.model_copy(update={"claimed": 0.2}))
    (True, False)
    """
    two_sided_slope = check.kind == "slope" and check.direction == "two_sided"
    measured, claimed = check.headline, check.claimed
    missed = two_sided_slope and check.verdict == "contradicted"
    return missed and measured is not None and claimed is not None and measured < claimed


def failed_assumptions(run: VerdictContent) -> list[str]:
    """Each condition that does not hold, with its numbers."""
    return [
        f"assumption {assumption.name} fails: {assumption.detail}"
        for assumption in run.assumptions
        if not assumption.holds
    ]


def plain_words(verdict: str) -> str:
    """A verdict as words.

    >>> plain_words("assumption_failed")
    'assumption failed'
    """
    return verdict.replace("_", " ")


def part_words(run_and_defined: Sequence[int]) -> str:
    """How many checks of how many; nothing where all were run.

    >>> part_words([1, 22]), part_words([22, 22])
    ('1 of 22 checks', '')
    """
    run_checks, defined = run_and_defined
    return f"{run_checks} of {defined} checks" if run_checks < defined else ""


def replicates_words(run: VerdictContent) -> str:
    """How many replicates a budget has, and how many of them measure what is wrong on purpose."""
    fewer = bool(run.controls) and (run.replicates or 0) > CONTROLS
    return f"{run.replicates} replicates" + (f" ({CONTROLS} of controls)" if fewer else "")


def in_force_words(given: InForce) -> str:
    """The numbers of a measurement besides its grid: ε, n and T, and how labels were scaled.

    >>> in_force_words(InForce(epsilon=0.5, n_pairs=1e9))
    'ε = 0.5, n = 1e+09'
    """
    numbers_in_force = (("ε", given.epsilon), ("n", given.n_pairs), ("T", given.horizon))
    words = [f"{sign} = {value:.4g}" for sign, value in numbers_in_force if value is not None]
    scale = given.labels_scaled_by or 1.0
    return ", ".join(words + ([f"labels × {scale:.3g}"] if scale != 1 else []))


def place_words(check: CheckEntry) -> str:
    """Where a check was measured: the ends of the grid, and the numbers in force besides.

    >>> place_words(CheckEntry(name="a", verdict="supported", axis="n_pairs", grid=[1e4, 1e5, 1e6]))
    'n_pairs 1e+04 to 1e+06'
    """
    ends = dict.fromkeys(f"{end:.4g}" for end in (check.grid or [])[:: len(check.grid) - 1 or 1])
    swept = f"{check.axis} {' to '.join(ends)}" if check.axis and ends else ""
    return ", ".join(part for part in (swept, in_force_words(check.settings)) if part)


def name_lines(name: str, width: int) -> list[str]:
    """A name in lines of up to ``width`` columns, broken after underscores and nowhere else.

    >>> name_lines("corrected_rankings_three_dimensions", 25)
    ['corrected_rankings_three_', 'dimensions']
    """
    lines = [""]
    for part in re.findall("[^_]*_|[^_]+", name):
        if lines[-1] and len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def in_markdown(text: object) -> str:
    """Text on one line of Markdown, a cell of a table too; tags and bars stay signs.

    >>> in_markdown("<b>a|b")
    '&lt;b>a\\\\|b'
    """
    return one_line(str(text)).replace("<", "&lt;").replace("|", "\\|")


def in_backticks(text: object) -> str:
    """The same as code.

    >>> in_backticks("a`b")
    "`a'b`"
    """
    return f"`{one_line(str(text)).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def claim_words(numbers: Numbers) -> str:
    """What is claimed, with its margin."""
    claimed, margin = numbers.claimed, numbers.tolerance
    if numbers.kind == "privacy":
        return _privacy_claim(numbers.claimed_epsilon, numbers.dp_delta)
    if numbers.kind == "inequality":
        return "ratio ≤ 1" if numbers.allowed is None else f"frequency ≤ {numbers.allowed:g}"
    sides = {"at_most": (" ≤", "+"), "at_least": (" ≥", "-")}
    sign, side = sides.get(numbers.direction, ("", "±"))
    beyond = f" {side} {margin or 0:g}" if margin or numbers.direction == "two_sided" else ""
    return "-" if claimed is None else f"{numbers.kind}{sign} {claimed:.4g}{beyond}"


def _privacy_claim(epsilon: float | None, delta: float | None) -> str:
    """ε, and δ where it is not zero."""
    return f"ε ≤ {epsilon or math.inf:g}" + (f", δ = {delta:g}" if delta else "")


def measured_words(numbers: Numbers) -> str:
    """The measured number and its 95 % interval, to two digits of its half-width at most.

    >>> measured_words(Numbers(slope=-1.002, ci95=(-1.0062, -0.9979)))
    '-1.0020 [-1.0062, -0.9979]'
    >>> measured_words(Numbers(max_ratio=0.97, cases=10000))
    'max ratio 0.97 (10000 cases)'
    """
    value, ends = numbers.headline, numbers.ci95
    if value is None:
        return f"not measured: {numbers.reason}" if numbers.reason else "not measured"
    if numbers.exact_epsilon is not None or numbers.audit_lower_bound is not None:
        return _privacy_measured(numbers)
    if numbers.max_ratio is not None and numbers.value is None:
        cases = numbers.cases
        return f"max ratio {value:.4g}" + (f" ({cases_words(cases)})" if cases else "")
    if ends is None:
        return f"{value:.4g}"
    form = _form((ends[1] - ends[0]) / 2, max(abs(value), abs(ends[0]), abs(ends[1])))
    return f"{_beside_slack(numbers, form)} [{ends[0]:{form}}, {ends[1]:{form}}]"


def _beside_slack(numbers: Numbers, form: str) -> str:
    """The measured number, with the three figures of its slack where that is a factor.

    >>> _beside_slack(Numbers(value=0.000625, allowed=0.05, slack=80.0), "z.3f")
    '0.000625'
    """
    value, slack = numbers.headline or 0.0, numbers.slack
    if slack is None or numbers.kind == "slope":
        return f"{value:{form}}"
    return min(f"{value:{form}}", f"{value:.3g}", key=lambda words: abs(float(words) - value))


def short_exponents(text: str) -> str:
    """Powers of ten without signs and zeros that say nothing.

    >>> short_exponents("2.461e+08 [1e-05, 3]")
    '2.461e8 [1e-5, 3]'
    """
    return re.sub(r"(?<=\d)e([+-])0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", text)


def cases_words(number: float) -> str:
    """How many cases, in words.

    >>> cases_words(1), cases_words(600)
    ('1 case', '600 cases')
    """
    return f"{number:.0f} case" + ("" if number == 1 else "s")


def brief_words(numbers: Numbers) -> str:
    """The same in 17 columns, where it can be: a half-width in the place of an even interval.

    >>> brief_words(Numbers(slope=-1.002, ci95=(-1.0061, -0.9979)))
    '-1.0020 ± 0.0041'
    >>> brief_words(Numbers(value=0.0, ci95=(0.0, 0.012)))
    '0 [0, 0.012]'
    >>> brief_words(Numbers(value=1.00064, ci95=(1.00064, 1.00064)))
    '1.0006'
    >>> brief_words(Numbers(value=3.052e7, ci95=(3.0519e7, 3.0521e7)))
    '3.052e+07'
    """
    value, ends = numbers.headline, numbers.ci95
    if value is None or ends is None or numbers.exact_epsilon is not None:
        largest_of_all = numbers.max_ratio is not None and value is not None
        return f"{value:.4g}" if largest_of_all else measured_words(numbers)
    half, largest = (ends[1] - ends[0]) / 2, max(abs(value), abs(ends[0]), abs(ends[1]))
    if abs(value - (ends[0] + ends[1]) / 2) <= EVEN * half:
        form = _form(half, largest)
        seen = float(f"{half:{form}}") > 0 and (largest < SHORT or half >= SEEN * largest)
        around = f" ± {half:{form}}" if seen else ""
        return f"{_beside_slack(numbers, form)}{around}"
    form = _form(10 * half, largest)  # one digit of it
    low, high = (f"{end:{form}}" if end else "0" for end in ends)
    return f"{_beside_slack(numbers, form) if value else 0} [{low}, {high}]"


def note_words(outcome: OutcomeEntry, replicates: int) -> str:
    """What a reader must know besides the number: failures, and a bend that decides.

    Args:
        outcome: of a check or control.
        replicates: along the whole sweep.
    """
    failed, bend, end = outcome.failed_replicates, outcome.curvature_ci95, outcome.end_slope
    notes = [f"{failed} of {replicates} replicates failed"] if failed else []
    if isinstance(outcome, CheckEntry) and outcome.not_a_number_at:
        notes.append(nan_words(outcome.axis, outcome.not_a_number_at))
    exact = isinstance(outcome, CheckEntry) and outcome.quantity.endswith(IN_ROUNDING)
    words = "equal to rounding" if exact else slack_words(outcome)
    words += ", within tolerance" if outcome.verdict == "supported" and _beyond(outcome) else ""
    notes += [words] if words and ("recorded" in words or outcome.verdict == "supported") else []
    if isinstance(outcome, CheckEntry) and (words := _distance_words(outcome)):
        notes.append(words)
    if outcome.off_curve is not None and outcome.off_curve > 1:
        notes.append(f"curve off its pin, {outcome.off_curve:.3g} times what is allowed")
    if outcome.verdict == "inconclusive" and isinstance(outcome, CheckEntry):
        notes += _deciding_words(outcome)
    if outcome.verdict == "inconclusive" and bend and end is not None and bend[0] * bend[1] > 0:
        notes.append(f"curved: slope {end:.3g} at the far end")
    return "; ".join(notes)


def nan_words(axis: str, values: Sequence[float | None]) -> str:
    """Where more replicates failed than a verdict allows.

    >>> nan_words("n_pairs", [1e6])
    'not a number at n = 1e+06 in more than 1 % of the replicates'
    """
    share = f"more than {MAX_FAILED_SHARE * 100:g} % of the replicates"
    return f"not a number at {places_words(axis, values)} in {share}"


NARROW = 2.0
"""Below this factor from the least to the largest value of a grid a slope asks for a wider grid."""


def narrow_words(kind: str, axis: str, grid: Sequence[float | None]) -> str:
    """Why a slope is not decided by replicates; empty for another check or a wide grid.

    >>> narrow_words("slope", "n_pairs", [1e4, 1.1e4, 1.2e4])
    'its grid spans a factor 1.2; use a wider grid'
    >>> narrow_words("slope", "n_pairs", [1e4, 1e5])
    ''
    """
    values = [value for value in grid if value]
    if kind != "slope" or axis in notation.LINEAR_AXES or len(values) < 2:
        return ""
    span = max(values) / min(values)
    return f"its grid spans a factor {span:.3g}; use a wider grid" if span < NARROW else ""


def places_words(axis: str, values: Sequence[float | None]) -> str:
    """Some values of an axis.

    >>> places_words("n_pairs", [1000.0, 1e6])
    'n = 1000, 1e+06'
    """
    shown = [f"{value:.4g}" for value in values if value is not None]
    return f"{notation.SYMBOLS.get(axis, axis)} = {at_most_ten('', shown)}"


def _deciding_words(check: CheckEntry) -> list[str]:
    """The grid point of a bound whose interval reaches furthest beyond what is allowed.

    >>> bound = {"name": "a", "verdict": "inconclusive", "kind": "ratio", "direction": "at_most"}
    >>> numbers = {"claimed": 1.0, "tolerance": 0.05, "axis": "n_pairs", "grid": [10.0, 100.0]}
    >>> ends = [(0.9, 0.95), (0.9, 1.2)]
    >>> _deciding_words(CheckEntry(**bound, **numbers, by_point_ci95=ends))
    ['undecided at n = 100: [0.9, 1.2]']
    >>> _deciding_words(CheckEntry(**bound, **numbers, by_point_ci95=[(0.9, 0.95), (0.9, 1.04)]))
    ['undecided at n = 100: [0.9, 1.04]; the interval that decides is wider']
    """
    if check.claimed is None or check.direction == "two_sided":
        return []
    sign = 1 if check.direction == "at_most" else -1
    allowed = sign * check.claimed + (check.tolerance or 0.0)
    points = zip(check.grid, check.by_point_ci95, strict=False)
    beyond = [(sign * ends[sign > 0], at, ends) for at, ends in points if at is not None and ends]
    furthest, at, (low, high) = max(beyond, default=(-math.inf, 0.0, (0.0, 0.0)))
    if not beyond or (furthest <= allowed and check.not_a_number_at):
        return []
    wider = "" if furthest > allowed else "; the interval that decides is wider"
    return [f"undecided at {places_words(check.axis, [at])}: [{low:.4g}, {high:.4g}]{wider}"]


def _beyond(numbers: Numbers) -> bool:
    """Whether a slack says that the claim itself is not kept.

    >>> [_beyond(Numbers(kind="slope", slack=x)) for x in (-0.01, 0.5)], _beyond(Numbers(slack=0.5))
    ([True, False], True)
    """
    return numbers.slack is not None and numbers.slack < (0 if numbers.kind == "slope" else 1)


UNDRAWN = ("exact", "proved", "computed")
"""Evidence of an equality that holds to rounding, where it holds."""


def _distance_words(check: CheckEntry) -> str:
    """How far an equality is from its claim where nothing is drawn: the margin alone says little.

    >>> exact = {"name": "a", "verdict": "supported", "kind": "ratio", "evidence": "exact"}
    >>> _distance_words(CheckEntry(**exact, value=1.0 + 2e-12, claimed=1.0, tolerance=0.05))
    'off by 2.0e-12'
    """
    equality = check.kind == "ratio" and check.direction == "two_sided"
    value, claimed = check.headline, check.claimed
    if not equality or check.evidence not in UNDRAWN or value is None or claimed is None:
        return ""
    return f"off by {abs(value - claimed):.1e}"


def slack_words(numbers: Numbers) -> str:
    """How much sharper a one-sided claim could be, and its pin where it has left that.

    >>> slack_words(Numbers(slack=14.16)), slack_words(Numbers(slack=14.16, slack_pinned=3.0))
    ('slack 14.2', 'slack 14.2, recorded 3')
    >>> slack_words(Numbers(kind="slope", slack=0.00429))
    'slack 0.004'
    """
    if numbers.slack is None:
        return ""
    left = off_its_pin(numbers.model_dump(include={"slack", "slack_pinned"}, exclude_none=True))
    slack = round(numbers.slack, 3) + 0.0 if numbers.kind == "slope" else numbers.slack
    return f"slack {slack:.3g}" + (f", recorded {numbers.slack_pinned:.3g}" if left else "")


def found_words(measured: str, notes: str) -> str:
    """A number, and below it what else there is to know."""
    return measured + (f"\n{notes}" if notes else "")


def pinned_words(check: CheckEntry, failed: bool) -> str:
    """The verdict, and below it the pinned one where that is another.

    Args:
        check: of a run.
        failed: whether an assumption of the run fails, so that no verdict of a check counts.
    """
    said = verdict_words(check.verdict)
    said = f"{SYMBOLS['assumption_failed']} {plain_words(check.verdict)}" if failed else said
    differs = check.verdict != check.expected
    return said + (f"\nexpected: {plain_words(check.expected)}" if differs else "")


def _privacy_measured(numbers: Numbers) -> str:
    """The exact ε and what the black-box audit found."""
    exact, audit = numbers.exact_epsilon, numbers.audit_lower_bound
    parts = [] if exact is None else [f"ε = {exact:.4g}"]
    return ", ".join(parts + ([] if audit is None else [f"audit ≥ {audit:.4g}"]))


def _form(half_width: float, largest: float) -> str:
    """Format that shows two digits of ``half_width``: at most 4 decimals, no minus zero.

    Five figures where it is zero.

    >>> f"{46897.2096:{_form(0, 46897.2096)}}", f"{1.00064:{_form(0, 1.00064)}}"
    ('46897', '1.0006')
    """
    if largest >= SHORT:
        return ".4g"
    if half_width <= 0:
        return f"z.{min(4, max(0, 4 - math.floor(math.log10(max(largest, 1)))))}f"
    return f"z.{min(4, max(0, 1 - math.floor(math.log10(half_width))))}f"
