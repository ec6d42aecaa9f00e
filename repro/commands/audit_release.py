"""Does a release give away more about its labels than its ε allows?

    repro audit_release OUT.jsonl original=IN [epsilon=0.5] [ledger=FOLDER]
        [unit=FIELD at_most=K] [others=A.jsonl,B.jsonl] [rewrite=NEW.jsonl]
    repro audit_release REWARD.json [ledger=FOLDER]

The command rebuilds every byte that is not a label from the texts, and compares.  Then it tests
whether the labels have less noise than ε asks for, and whether flips depend on anything.  ledger=
also asks whether the ledger knows this release.  unit= and at_most= repeat what was given to
privatize.  others= are releases of the same comparisons, whose flips must not agree.  rewrite=
writes a foreign release in canonical form, with its labels as they are.  Exit status: 0 canonical
and consistent with randomized response, 1 it leaks, 2 bad input, 4 not canonical or not known to
the ledger, 70 a bug.
The report is computed from the raw labels, so it is not private: do not publish it.
From Python: ``repro.audit(release, original)``.

For a reward of repro private_reward the command recomputes delta from the noise on the card.  It
reads no pair, so its report may be published.  One reward cannot show whether this noise was drawn.
The mechanism was attacked beforehand for single pairs, under both adjacencies:
docs/howto/private_reward.md, "Check a reward".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.errors import BadInput, number_of, one_line

if TYPE_CHECKING:
    from repro.release.audit import ReleaseAudit
    from repro.release.reward.audit import RewardAudit

KEYS = {
    "original": "IN.jsonl",
    "epsilon": "0.5",
    "ledger": "FOLDER",
    "unit": "FIELD",
    "at_most": "20",
    "others": "A.jsonl,B.jsonl",
    "rewrite": "NEW.jsonl",
}
UNKNOWN = (
    "the ledger does not know this release: it was made with another ledger, or this ledger is an "
    "older copy that was put back"
)
NOT_PRIVATE = (
    "not private: the numbers above are computed from the raw labels; a person who knows all "
    "labels but one can learn it from them; do not publish them"
)


def main(words: Sequence[str]) -> int:
    """Audit; the status of ``release.audit``, or that of a failure."""
    from repro.base.files import expanded
    from repro.base.words import split_words, whole_number, wrapped
    from repro.labels.privacy.exact_response import parse_epsilon
    from repro.release.audit import Question, audit_release, rewritten
    from repro.release.privatise import Target, refuse_target
    from repro.release.reward.reward import is_reward

    (release,), options = split_words(words, KEYS, ("OUT",))
    if is_reward(Path(release)):
        return _of_reward(Path(release), options)
    if not options.get("original"):
        if not Path(release).is_file():
            raise BadInput("release", release, "cannot be read: no such file")
        required = "a file is required: the one that was released, such as original=IN.jsonl"
        raise BadInput("original", "(missing)", required)
    question = Question(
        options["original"],
        parse_epsilon(options["epsilon"]) if "epsilon" in options else None,
        None,
        expanded("ledger", options["ledger"]) if "ledger" in options else None,
        options.get("unit", ""),
        whole_number(options, "at_most"),
        [path for path in options.get("others", "").split(",") if path],
    )
    new = options.get("rewrite")
    if new is not None:
        refuse_target(Target.named(new))
    done = audit_release(Path(release), question)
    for said in _report(done):
        print(wrapped(one_line(said)))
    if new is not None:
        rewritten(release, done.epsilon, Path(new))
        print(one_line(f"rewritten canonically: {new}"))
    sys.stdout.flush()
    return done.status


def _of_reward(path: Path, options: dict[str, str]) -> int:
    from repro.base.files import expanded
    from repro.base.words import wrapped
    from repro.release.reward.audit import audit_reward

    for key, value in options.items():
        if key != "ledger":
            raise BadInput(
                key, value, "this is a reward; allowed: ledger= alone, and the rest for labels"
            )
    ledger = expanded("ledger", options["ledger"]) if "ledger" in options else None
    done = audit_reward(path, ledger)
    for said in _report_of_reward(done):
        print(wrapped(one_line(said)))
    sys.stdout.flush()
    return done.status


def _report_of_reward(done: RewardAudit) -> Iterator[str]:
    from repro.base.words import plain

    card = done.card
    yield str(card["guarantee"])
    yield (
        f"delta at epsilon {card['epsilon']:g}: at most {done.delta:.4g} by the noise on the card, "
        f"recomputed; {plain(card['delta'])} is promised"
    )
    for free in done.free:
        yield f"not canonical: {free}"
    if done.in_ledger is not None:
        yield "the ledger knows this release" if done.in_ledger else UNKNOWN
    yield (
        "out of reach of any audit: whether this noise was drawn, and whether given features were "
        "fitted to the pairs"
    )
    yield (
        "the mechanism was attacked beforehand for single pairs, under both adjacencies: "
        'docs/howto/private_reward.md, "Check a reward"'
    )
    yield "public: no pair was read here, so this report may be published"
    yield {
        0: "consistent with its card",
        1: "the noise on the card is too little for what the card promises",
        4: "not the bytes of a release of this ledger, or of any; the noise on the card is enough",
    }[done.status]


def _report(done: ReleaseAudit) -> Iterator[str]:
    from repro.labels.privacy.exact_response import ExactResponse
    from repro.release.audit import OUT_OF_REACH

    compared = number_of(done.lines, "comparison")
    flips = float(ExactResponse.at(done.epsilon).flip_prob)
    tests = number_of(len(done.findings), "test")
    yield f"{compared} at epsilon {done.epsilon} (flip probability {flips:.4g}), {tests} of labels"
    for free in done.free:
        yield f"not canonical: {free}"
    for leak in done.leaks:
        yield f"leaks: {leak}"
    for beside in done.outside:
        yield f"not vouched for: {beside}"
    if done.in_ledger is not None:
        yield "the ledger knows this release" if done.in_ledger else UNKNOWN
    if not done.lines:
        yield "no label could be tested: the original knows none of the released comparisons"
    elif done.nearest and not done.leaks:
        nearest = done.nearest
        yield (
            f'smallest p-value: {nearest.p:.2g}, of the test "{nearest.what}"; a leak has a '
            f"p-value below {nearest.limit:.2g}"
        )
    yield (
        f"power: at {compared} and epsilon {done.epsilon}, raw labels are missed more often than "
        f"seen if they are in fewer than {100 * done.unseen:.3g} % of the lines, in a pattern "
        "that no test looks for"
    )
    yield f"out of reach of any audit: {OUT_OF_REACH}"
    yield NOT_PRIVATE
    labels = "the labels show no leak" if done.lines else "the labels were not tested"
    doubt = "not canonical: what is named above can carry a message about labels"
    if done.canonical:
        doubt = "canonical, but not of this ledger"
    elif any(": repeat with " in free for free in done.free):
        doubt = (
            "the question was incomplete: repeat it with the keys that are named above; until then "
            "what is named there may carry a message about labels"
        )
    yield {
        0: "canonical, and consistent with randomized response",
        1: "the release leaks",
        4: f"{doubt}; {labels}",
    }[done.status]
