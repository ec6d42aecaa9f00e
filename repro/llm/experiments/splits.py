"""Pairs of an experiment, split in their order: trained on, held out, and of the judge.

Sources are those of ``repro.labels.preferences.pair_files``, or the generated financial decisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from repro.base.errors import BadInput
from repro.base.files import expanded
from repro.core.fingerprint import fingerprint
from repro.labels.preferences.financial_pairs import financial_pairs
from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.pair_records import PreferencePair
from repro.llm.experiments.procedures import PIPELINE, DataChoice
from repro.llm.training.extra import quiet_hub
from repro.llm.training.pairs import TextPairs

KEY = f"{PIPELINE}.data.path"


@dataclass(frozen=True)
class Splits:
    """Pairs to train on, pairs to evaluate on, and pairs that the judge alone learns from."""

    train: TextPairs
    held_out: TextPairs
    judge: TextPairs | None


def load_splits(choice: DataChoice) -> Splits:
    """Read or generate the pairs and split them in their order.

    Raises:
        BadInput: a source that cannot be read, a record without a field, or too few pairs.
    """
    pairs = TextPairs.of(_read(choice))
    first, second, third = accumulate(_sizes(choice))
    judge = pairs.part(second, third) if third > second else None
    return Splits(pairs.part(0, first), pairs.part(first, second), judge)


def with_digest(choice: DataChoice) -> DataChoice:
    """The choice with a hash of what a file holds; numbers say it all of generated pairs.

    Raises:
        BadInput: as ``load_splits``.
    """
    if choice.path is None or choice.digest is not None:
        return choice
    return choice.model_copy(update={"digest": fingerprint(_read(choice))})


def _sizes(choice: DataChoice) -> tuple[int, int, int]:
    """Pairs that are trained on, held out, and of the judge."""
    return choice.n_pairs, choice.held_out, 0 if choice.path is None else choice.judge_pairs


def _read(choice: DataChoice) -> list[PreferencePair]:
    """As many pairs as the sizes say."""
    count = sum(_sizes(choice))
    if choice.path is None:
        return financial_pairs(count, choice.seed)
    quiet_hub()
    try:
        pairs = read_pairs(str(expanded(KEY, choice.path)))
    except BadInput as problem:
        raise BadInput(KEY, problem.value, problem.allowed) from None
    if len(pairs) < count:
        allowed = "allowed: n_pairs + held_out + judge_pairs at most that, here"
        reason = f"{choice.path} has {len(pairs)} pairs; {allowed} {count}"
        raise BadInput(f"{PIPELINE}.data.n_pairs", choice.n_pairs, reason)
    return pairs[:count]
