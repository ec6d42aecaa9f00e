"""Try to recover the labels of a release, and compare with what randomized response allows.

    python -m repro.audit_release OUT.jsonl --original IN.jsonl [epsilon=0.5]

Reads the release byte by byte.  Attacks: the label and its noise, seeded and shared coins, order
of responses and lines, doubles and gaps, identifiers, other fields, bytes, altered texts, manifest,
name and times of the file, and a classifier over everything that a line has beside its texts.
Epsilon is read from OUT.manifest.json unless given.  Exit status: 0 consistent with randomized
response, 1 it leaks, 2 bad input, 70 internal error.  No label is shown.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from repro.base.errors import BadInput, one_line
from repro.cli.command import run_command
from repro.cli.outcome import explained

KEYS = {"original": "IN.jsonl", "epsilon": "0.5"}
LEAKS = 1
WIDTH = 79
DETAIL = 44
"""Column at which the words of a finding begin."""


def main(words: Sequence[str] | None = None) -> int:
    """Audit; 0 consistent, 1 leaks, else what ``repro.cli.outcome`` makes of a failure."""
    words = list(sys.argv[1:] if words is None else words)
    if any(word in ("-h", "--help") for word in words):
        print(__doc__)
        return 0
    try:
        return _audit(words)
    except (Exception, KeyboardInterrupt) as problem:  # noqa: BLE001 - no crash reads "it leaks"
        return explained(problem, private=True)


def _audit(words: list[str]) -> int:
    from repro.privacy.exact_response import parse_epsilon
    from repro.release.audit import audit_release
    from repro.release.options import split_options

    original, words = _original(words)
    (release,), options = split_options(words, {"epsilon": "0.5"}, ("OUT",))
    epsilon = float(parse_epsilon(options["epsilon"])) if "epsilon" in options else None
    done = audit_release(Path(release), Path(original), epsilon)
    print("\n".join(_report(done)), flush=True)
    return LEAKS if done.leaks else 0


def _report(done) -> Iterator[str]:
    """What was read, the table of findings, what is out of reach, the verdict."""
    matched = done.matched
    yield from textwrap.wrap(
        f"{len(matched.lines)} released lines matched, {len(matched.unmatched)} unknown, "
        f"{matched.disputed} with both labels in the original, "
        f"{len(matched.missing)} comparisons missing",
        WIDTH,
    )
    claim = f"no epsilon claimed; the labels suggest at most {done.allowed.epsilon:.3g}"
    claim = claim if done.epsilon is None else f"claimed epsilon {done.epsilon:g}"
    yield f"{claim}; guesses allowed to be right: {done.allowed.accuracy:.4f}"
    yield f"(from the texts alone: {done.texts:.4f})"
    yield ""
    yield f"{'attack':<12}{'estimate':>9}{'lower bound':>13}{'limit':>8}  how"
    for one in done.findings:
        yield from _row(one)
    yield ""
    for unknown in done.out_of_reach:
        yield from textwrap.wrap(f"out of reach: {unknown}", WIDTH, subsequent_indent="  ")
    yield "it leaks" if done.leaks else "consistent with randomized response"


def _row(one) -> Iterator[str]:
    """A finding; its words are wrapped in their column."""
    numbers = [f"{x:.4f}" if x == x else "-" for x in (one.value, one.low, one.limit)]
    words = one_line(f"LEAKS: {one.detail}" if one.leaks else one.detail)
    wrapped = textwrap.wrap(words, WIDTH - DETAIL) or [""]
    yield f"{one.attack:<12}{numbers[0]:>9}{numbers[1]:>13}{numbers[2]:>8}  {wrapped[0]}".rstrip()
    yield from (" " * DETAIL + line for line in wrapped[1:])


def _original(words: list[str]) -> tuple[str, list[str]]:
    """The value of ``--original FILE`` or ``original=FILE``, and the other words."""
    rest: list[str] = []
    found: list[str] = []
    remaining = iter(words)
    for word in remaining:
        key, equals, value = word.partition("=")
        if word == "--original":
            found.append(next(remaining, ""))
        elif key.removeprefix("--") == "original" and equals:
            found.append(value)
        else:
            rest.append(word)
    if len(found) != 1 or not found[0]:
        raise BadInput(
            "original", "(missing)" if not found else found[-1], "--original IN.jsonl, once"
        )
    return found[0], rest


if __name__ == "__main__":
    run_command(main, private=True)
