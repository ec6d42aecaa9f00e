"""Label-private release of a preference file.

    repro privatize IN OUT.jsonl epsilon=0.5 [compose=true|TOTAL]
        [unit=FIELD at_most=K] [near_copies=true] [resume=true] [ledger=FOLDER]
    repro privatize IN OUT.parquet epsilon=0.5 layout=trl ...
    repro privatize [IN] spent=true [ledger=FOLDER]

IN has the columns prompt, chosen and rejected: JSON lines (also .gz), CSV, Parquet, or a folder
saved by datasets.  Texts may be chat lists or dialogues as in hh-rlhf.  Other layouts, and how to
convert a file of your own: docs/howto/own_preference_data.md.

OUT.jsonl has prompt, response_1, response_2 and label, one line a comparison.  The label is +1
where the randomised report prefers response_1, else -1.  The texts determine every other byte.
OUT.manifest.json states the guarantee.  OUT.parquet or OUT.jsonl.gz is written beside OUT.jsonl,
with layout=trl as prompt, chosen, rejected.

epsilon is the budget of one label.  Lines with the same texts are one comparison, and one label
of them is answered.  unit=annotator at_most=K protects all labels of one annotator,
the value of that field, whatever its case and blanks.  K labels of each are released at most,
and cost K*epsilon together.

A ledger remembers what was spent.  spent=true prints the sum and lists the releases.  IN spent=true
says which comparisons of IN were released before, and what one label of IN has cost.  It spends
nothing.  An input is refused if it shares labels with an earlier release, or if the ledger holds a
reward.  The refusal names the sum.  compose=true allows any sum.  compose=6 allows sums up to 6, of
one label and with unit= of one annotator.  Without unit=, k labels of one person cost k*epsilon
together.
Records that differ in case or punctuation only are refused by their numbers: two answers to one
label can be averaged.  near_copies=true releases both.  If a release fails after its labels were
spent, resume=true publishes it.

Coins come from the operating system, and a seed is refused.
From Python: ``repro.privatize(records, epsilon=0.5)``.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.base.errors import BadInput, number_of, one_line

if TYPE_CHECKING:
    from repro.release.audit import ReleaseAudit
    from repro.release.ledger import Debit
    from repro.release.privatise import Release, Target, Terms

KEYS = {
    "epsilon": "0.5",
    "compose": "true|6",
    "resume": "true",
    "unit": "FIELD",
    "at_most": "20",
    "near_copies": "true",
    "layout": "trl",
    "ledger": "FOLDER",
    "spent": "true",
}
ENTROPY = (
    "real labels are randomised by the operating system's entropy alone; "
    "a known seed would undo the noise"
)

FREE = "what is computed from {} costs nothing more: repro finetune trains on it, for example"


@dataclass(frozen=True, repr=False)
class Released:
    """A release in memory.

    Attributes:
        records: prompt, response_1, response_2 and label, or prompt, chosen and rejected; a table
            of the kind that was given, a list of dicts for a file.
        manifest: what is promised, as in OUT.manifest.json.
    """

    records: Any
    manifest: dict[str, Any]

    def __repr__(self) -> str:
        """No text of it."""
        return f"Released({self.manifest['lines']} lines, epsilon={self.manifest['epsilon']})"


def privatize(
    records: Any,
    epsilon: Decimal | float | str | None = None,
    *,
    output: str | Path | None = None,
    layout: str = "pairs",
    unit: str = "",
    at_most: int | None = None,
    compose: bool | Decimal | float | str = False,
    resume: bool = False,
    near_copies: bool = False,
    ledger: str | Path | None = None,
) -> Released:
    """Release preference labels under label differential privacy, as the command does.

    Args:
        records: a list of dicts, a table of pandas, pyarrow or ``datasets``, or a file's name.
        epsilon: budget of each label, in [1e-6, 40] with at most six decimals.
        output: OUT.jsonl, OUT.jsonl.gz or OUT.parquet to write, too; by default nothing but the
            ledger is written.
        layout: "pairs", or "trl": prompt, chosen and rejected by the released label.
        unit: the field that names the annotator, where all labels of one are to be protected.
        at_most: comparisons of one annotator that are released.
        compose: allow labels that have been released before, at the sum of their budgets; a
            reward of the ledger counts for all labels.  A number is the largest ε that one label
            may cost in all, and one annotator where there is a unit.
        resume: publish what a call that failed has spent.
        near_copies: allow comparisons that differ in case and punctuation only, an answer each.
        ledger: its folder.

    Raises:
        repro.base.errors.BadInput: what cannot be used.

    >>> rows = [{"prompt": "p", "chosen": "a", "rejected": "b"}]
    >>> privatize(rows, epsilon=1).records  # doctest: +SKIP
    [{'prompt': 'p', 'response_1': 'b', 'response_2': 'a', 'label': -1}]
    """
    from repro.release.exports import in_layout, refuse_layout
    from repro.release.ledger import accepted_total
    from repro.release.manifest import exact_epsilon, manifest_path
    from repro.release.privatise import Target, Terms, privatise
    from repro.release.tables import table_like

    refuse_layout(layout)
    budget = None if epsilon is None else exact_epsilon(epsilon)
    switches = accepted_total(compose), switch("resume", resume)
    near = switch("near_copies", near_copies)
    terms = Terms(budget, *switches, unit, whole("at_most", at_most), near)
    folder = ledger_folder(None if ledger is None else os.fspath(ledger))
    published: list[Released] = []
    with tempfile.TemporaryDirectory() as scratch:
        named = (
            Target.named(os.fspath(output), layout if _exports(output) else "pairs")
            if output
            else None
        )
        target = named or Target(Path(scratch) / "out.jsonl")

        def read_back() -> None:
            manifest = json.loads(manifest_path(target.release).read_bytes())
            with open(target.release, "rb") as file:
                rows = [in_layout(json.loads(line), layout) for line in file]
            published.append(Released(table_like(records, rows), manifest))

        privatise(records, target, terms, folder, read_back=read_back)
    return published[0]


def audit(
    release: Any,
    original: Any,
    *,
    manifest: dict[str, Any] | None = None,
    epsilon: Decimal | float | str | None = None,
    ledger: str | Path | None = None,
    unit: str = "",
    at_most: int | None = None,
    others: Sequence[Any] = (),
) -> ReleaseAudit:
    """Audit a release, as ``repro audit_release`` does.

    Args:
        release: what ``privatize`` returns in the layout "pairs", a table, or a file's name.
        original: what was released.
        manifest: of a table.
        epsilon: what is claimed; by default what the manifest states.
        ledger: folder of the ledger that should know the release.
        unit, at_most: as they were given to ``privatize``.
        others: other releases of the same comparisons.

    Raises:
        repro.base.errors.BadInput: what cannot be used.
    """
    from repro.release.audit import Question, audit_release
    from repro.release.manifest import exact_epsilon

    if isinstance(release, Released):
        release, manifest = release.records, release.manifest
    claimed = None if epsilon is None else exact_epsilon(epsilon)
    folder = None if ledger is None else Path(ledger)
    count = whole("at_most", at_most)
    tables = [other.records if isinstance(other, Released) else other for other in others]
    question = Question(original, claimed, manifest, folder, unit, count, tables)
    return audit_release(release, question)


def main(words: Sequence[str]) -> int:
    """Privatise, or say what was spent."""
    if any(word.removeprefix("--").partition("=")[0] == "spent" for word in words):
        from repro.base.words import wrapped

        print("\n".join(map(wrapped, _spent(words))))
    else:
        tell_at_the_end(_release(words))
    return 0


def _spent(words: Sequence[str]) -> Iterator[str]:
    """What the releases of a ledger have cost, all of them or an input's; never of a label."""
    from repro.base.words import split_words, true_or_false
    from repro.release.ledger import cost_in_words, debits_of, holds_ledger

    paths, options = split_words(words, ("spent", "ledger"), ("IN",), ("spent",), least=0)
    if not true_or_false(options, "spent"):
        raise BadInput("spent", options["spent"], "allowed: true")
    folder = ledger_folder(options.get("ledger"))
    if "ledger" in options and not holds_ledger(folder):
        raise BadInput("ledger", folder, "holds no ledger")
    if paths:
        yield from map(one_line, _spent_on(paths[0], folder))
        return
    if not holds_ledger(folder):
        yield one_line(f"nothing is spent yet (ledger={folder})")
        return
    debits = debits_of(folder, ready)
    rewards = sum(bool(debit.delta) for debit in debits)
    # of a label's releases the last one states the total of all, or more
    total = max((debit.manifest.total for debit in debits), default=Decimal(0))
    deltas = (debit.manifest.earlier_delta + debit.delta for debit in debits)
    delta = max(deltas, default=Decimal(0))
    yield one_line(
        f"{number_of(len(debits) - rewards, 'release')} of labels and "
        f"{number_of(rewards, 'reward')}: one label has cost {cost_in_words(total, delta)} at most "
        f"(ledger={folder})"
    )
    yield from _spent_by_annotators(debits)
    yield from map(_listed, debits)


def _spent_on(source: str, folder: Path) -> Iterator[str]:
    """Which comparisons of an input were released before, and what one label of it has cost."""
    from repro.release.earlier import released_before
    from repro.release.ledger import cost_in_words, spent_delta

    overlap, debits = released_before(source, folder, ready)
    one = overlap.released == 1
    which = ""
    if overlap.released:
        remedy = "leave it out" if one else "leave them out"
        which = f"{overlap.apart}: {overlap.records}; {remedy}, so that no label is released again"
    yield f"{overlap.in_words} of {source} {'was' if one else 'were'} released before{which}"
    rewards = [debit for debit in debits if debit.delta]
    counted = f"{number_of(len(debits) - len(rewards), 'release')} of labels"
    if rewards:
        counted += f" and {number_of(len(rewards), 'reward')}, which counts for every input"
    total = sum((debit.manifest.epsilon for debit in debits), Decimal(0))
    yield (
        f"one label of {source} has cost {cost_in_words(total, spent_delta(debits))} at most, in "
        f"{counted} (ledger={folder}); this question costs nothing"
    )


def _listed(debit: Debit) -> str:
    """One release: what it is, what it cost, what it protects, and where to find it again."""
    from repro.release.ledger import cost_in_words

    manifest = debit.manifest
    kind, item = ("reward", "pair") if debit.delta else ("labels", "label")
    unit = f"one {item}"
    if manifest.unit_size:
        each = "each of " if kind == "labels" else ""
        unit = f"{each}at most {number_of(manifest.unit_size, item)} of one annotator"
    cost = cost_in_words(manifest.epsilon, debit.delta)
    return f"{debit.number}. {kind}: {cost} for {unit}, sha256 {manifest.sha256[:12]}"


def _spent_by_annotators(debits: Sequence[Debit]) -> Iterator[str]:
    """The cost of one annotator in the releases that protect annotators, if any does."""
    from repro.release.ledger import AnnotatorCost

    cost = AnnotatorCost.of(debits)
    if not cost.releases:
        return
    yield f"one annotator has cost at most {cost.in_words}"
    if others := len(debits) - cost.releases:
        yield (
            f"in {number_of(others, 'release')} without unit= an annotator's cost grows with the "
            "annotator's pairs, which the ledger does not count"
        )
    if cost.releases > 1:
        yield (
            "the ledger keeps no names: the sum of one annotator is that of a person who is in all "
            "these releases"
        )


def _release(words: Sequence[str]) -> str:
    from repro.base.words import split_words, true_or_false, whole_number
    from repro.labels.privacy.exact_response import parse_epsilon
    from repro.release.ledger import accepted_total
    from repro.release.privatise import Target, Terms, privatise

    for word in words:
        if word.removeprefix("--").startswith("seed="):
            raise BadInput("seed", word.partition("=")[2][:60], ENTROPY)
    (source, out), options = split_words(words, KEYS, ("IN", "OUT"))
    terms = Terms(
        parse_epsilon(options["epsilon"]) if "epsilon" in options else None,
        accepted_total(options.get("compose", False)),
        true_or_false(options, "resume"),
        options.get("unit", ""),
        whole_number(options, "at_most"),
        true_or_false(options, "near_copies"),
    )
    target = Target.named(out, options.get("layout", "pairs"))
    folder = ledger_folder(options.get("ledger"))
    done = privatise(source, target, terms, folder, ready)
    return _said(done, source, target, terms, options.get("ledger", ""))


def _said(done: Release, source: str, target: Target, terms: Terms, ledger: str = "") -> str:
    from repro.base.words import wrapped
    from repro.release.ledger import default_folder

    manifest = done.manifest
    if manifest.earlier or manifest.earlier_delta:  # which the ledger alone knows
        ledger = ledger or str(default_folder())
    spent = f"total epsilon {manifest.total}"
    if not manifest.earlier:
        spent = "no earlier release of these labels is known"
    if manifest.earlier_delta:
        spent += f" and total delta {manifest.earlier_delta:f}"
    unit = ""
    if manifest.unit_size:
        together = f"{(manifest.unit_size * manifest.epsilon).normalize():f}"
        unit = (
            f"; {terms.unit}: at most {number_of(manifest.unit_size, 'comparison')} each, "
            f"epsilon {together} together"
        )
    names = ", ".join(path.name for path in target.names)
    lines = [
        f"released {number_of(manifest.lines, 'comparison')} at epsilon {manifest.epsilon}, "
        f"{spent}{unit}: {names}"
    ]
    if not manifest.unit_size:
        lines.append(
            f"epsilon {manifest.epsilon} protects one label; k labels of one person are protected "
            "at k times as much together, and unit=FIELD at_most=K bounds k"
        )
    if len(done.debits) > 1:
        lines += _spent_by_annotators(done.debits)
    lines.append(FREE.format(target.release.name))
    given = f" unit={terms.unit} at_most={terms.at_most}" if terms.unit else ""
    given += f" ledger={shlex.quote(ledger)}" if ledger else ""
    files = f"{shlex.quote(str(target.release))} original={shlex.quote(source)}"
    following = one_line(f"next: repro audit_release {files}{given}")  # to be copied: unbroken
    return "\n".join([*(wrapped(one_line(part)) for part in lines), following])


def ready(words: str) -> None:
    """Said before anything is spent: who cannot be told of a release does not pay for it."""
    from repro.base.words import wrapped

    print(wrapped(one_line(words)), flush=True)


def tell_at_the_end(released: str) -> None:
    """Say that it is released: on standard error, where standard output fails meanwhile.

    Raises:
        OSError: standard output is full or broken.
    """
    try:
        print(released, flush=True)
    except OSError:
        print(released, file=sys.stderr, flush=True)
        raise


def _exports(output: str | Path | None) -> bool:
    from repro.release.exports import ENDINGS

    return output is not None and os.fspath(output).endswith(ENDINGS)


def whole(key: str, value: object) -> int | None:
    """A count from Python, from 1; None where it is not given.

    Raises:
        BadInput: something else.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise BadInput(key, str(value)[:60], "allowed: a whole number from 1")
    return int(value)


def switch(key: str, value: object) -> bool:
    """A switch from Python: the text "false" would count as true.

    Raises:
        BadInput: something else than True and False.
    """
    if not isinstance(value, bool):
        raise BadInput(key, str(value)[:60], "allowed: True, False")
    return value


def ledger_folder(given: str | None) -> Path:
    """The folder that is named, or the default one."""
    from repro.base.files import expanded
    from repro.release.ledger import default_folder

    return default_folder() if given is None else expanded("ledger", given)
