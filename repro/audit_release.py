"""Try to recover the labels of a release, and compare with what randomized response allows.

    python -m repro.audit_release OUT.jsonl --original IN.jsonl [epsilon=0.5]

Attacks: label, order of responses, order of lines, seeded coins, identifiers, duplicates, altered
texts, and order with label together.  Epsilon is read from OUT.manifest.json unless given.  Exit
status: 0 consistent with randomized response, 1 it leaks, 2 bad input.  No label is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from repro.base.errors import BadInput
from repro.cli.command import run_command

KEYS = {"original": "IN.jsonl", "epsilon": "0.5"}
LEAKS, REFUSED, INTERRUPTED = 1, 2, 130


def main(words: Sequence[str] | None = None) -> int:
    """Audit; 0 consistent, 1 leaks, 2 refused with one line."""
    words = list(sys.argv[1:] if words is None else words)
    if any(word in ("-h", "--help") for word in words):
        print(__doc__)
        return 0
    try:
        return _audit(words)
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _audit(words: list[str]) -> int:
    from repro.privacy.exact_response import parse_epsilon
    from repro.release.audit import audit_release
    from repro.release.options import split_options

    original, words = _original(words)
    (release,), options = split_options(words, {"epsilon": "0.5"}, ("OUT",))
    epsilon = float(parse_epsilon(options["epsilon"])) if "epsilon" in options else None
    done = audit_release(Path(release), Path(original), epsilon)
    print("\n".join(_report(done)))
    return LEAKS if done.leaks else 0


def _report(done) -> list[str]:
    """The table of findings."""
    opened = done.opened
    claim = (
        f"claimed epsilon {done.epsilon:g}"
        if done.epsilon
        else (f"no epsilon claimed; the labels suggest at most {done.allowed.epsilon:.3g}")
    )
    lines = [
        f"{len(opened.lines)} released lines matched, {opened.unmatched} unknown, "
        f"{opened.disputed} with both labels in the original, {opened.missing} comparisons missing",
        f"{claim}; guesses allowed to be right: {done.allowed.accuracy:.4f} "
        f"(from the texts alone: {done.texts:.4f})",
        f"{'attack':<12}{'reached':>9}{'at least':>10}{'allowed':>9}  verdict",
    ]
    for one in done.findings:
        value, low = (f"{x:.4f}" if one.guesses else "-" for x in (one.value, one.low))
        allowed = one.allowed if one.measure == "accuracy" else done.allowed.epsilon
        unit = "" if one.measure == "accuracy" else " (epsilon)"
        verdict = "LEAKS" if one.leaks else "allowed"
        lines.append(
            f"{one.attack:<12}{value:>9}{low:>10}{allowed:>9.4f}  {verdict:<8}{one.detail}{unit}"
        )
    lines.append("it leaks" if done.leaks else "consistent with randomized response")
    return lines


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
