"""A reward from preference pairs, released with (epsilon, delta) privacy.

    repro private_reward PAIRS OUT.json epsilon=1 delta=1e-6
        reward_bound=B [adjacency=replace|add_remove] [labels=FILE]
        [num_features=16] [covariance=true] [size=N] [unit=FIELD at_most=M]
        [compose=true|TOTAL] [weak=true] [ledger=FOLDER]
    repro private_reward PAIRS OUT.json resume=true [ledger=FOLDER]

PAIRS has prompt, chosen and rejected, in any format that repro privatize
reads.  Or PAIRS is a matrix, .npy or .csv: (n, d) differences of features,
response 1 less response 2, or (n, 2, d) features of both.  labels=FILE then
has n numbers, +1 where response 1 is preferred and -1 where response 2 is.
A pair's texts or features are protected with its label.  Features longer than
1 are clipped.

epsilon and delta: when one pair changes, the probability of any outcome grows
at most by the factor e^epsilon, and by delta more.  Take delta far below 1/n
for n pairs: publishing one random pair as it is satisfies delta = 1/n.

B is a public bound of the reward's vector theta, from 0.01 to 20, chosen
without the pairs.  Two responses then differ by 2*B at most.  A small B makes
rewards flat: with 0.5 no response is said to win more than 73 %.  Start with 5.
This command says whether n pairs are enough, and compares several B.  It reads
no pair:
    repro which_mechanism epsilon=1 delta=1e-6 n_pairs=2000 num_features=16
        reward_bound=5
After a release the norm of theta is printed beside B.
If a public number of pairs is expected to leave a reward hardly better than 0,
the command refuses before it spends, and weak=true releases it all the same.
Where the number is not public, a line says how many pairs this noise takes.

adjacency=replace: one pair is replaced by another, and the number of pairs is
public.  A pair is one line.  k copies of a pair cost k*epsilon and
k*exp((k-1)*epsilon)*delta.
adjacency=add_remove: one pair is added or removed, or its label is changed, and
the number of pairs is not public.  size=N, a public guess of it, tunes the
ridge.
unit=annotator at_most=M protects all pairs of one annotator together, and uses
M of them at most.  covariance=true also releases the second moment of the
differences, under the same budget.

OUT.json holds the reward and a card: guarantee, adjacency, unit, clipping, what
is public, noise.  But for theta and the second moment every byte of the file
follows from the command and the ledger's history.
The budget is spent in the ledger of label releases before the file can be read.
The ledger recognises no pair and no matrix, so all its releases count, whatever
pairs they read.  compose=true allows another, and the card states the sum.
compose=6 allows sums of epsilon up to 6, with unit= of one annotator, too.
The sum is of one label.  It covers a whole pair where its texts were never
published and all rewards have one adjacency.
If a release fails after its budget was spent, resume=true publishes the reward
and reads no pair.  Noise comes from the operating system, and a seed is refused.
repro audit_release OUT.json recomputes delta from the card.  There is no
epsilon=inf: docs/howto/private_reward.md has the same fit without privacy.
Exit status: 0 done, 2 bad input, with nothing written or spent.
From Python:
repro.private_reward(pairs, epsilon=1, delta=1e-6, reward_bound=1).score(...).
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.base.errors import BadInput, one_line
from repro.commands.privatize import ENTROPY, ledger_folder, ready, switch, tell_at_the_end, whole

if TYPE_CHECKING:
    from repro.release.reward.release import RewardTerms
    from repro.release.reward.reward import PrivateReward

KEYS = {
    "epsilon": "1",
    "delta": "1e-6",
    "reward_bound": "1",
    "adjacency": "replace|add_remove",
    "labels": "FILE",
    "num_features": "16",
    "covariance": "true",
    "size": "20000",
    "unit": "FIELD",
    "at_most": "5",
    "compose": "true|6",
    "resume": "true",
    "weak": "true",
    "ledger": "FOLDER",
}
_NUMBER = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,9})?(?:e-?[0-9]{1,2})?", re.ASCII)


def private_reward(
    pairs: Any,
    epsilon: Decimal | float | str | None = None,
    delta: Decimal | float | str | None = None,
    reward_bound: float | None = None,
    *,
    labels: Any = None,
    adjacency: str = "replace",
    output: str | Path | None = None,
    num_features: int | None = None,
    covariance: bool = False,
    size: int | None = None,
    unit: str = "",
    at_most: int | None = None,
    compose: bool | Decimal | float | str = False,
    resume: bool = False,
    weak: bool = False,
    ledger: str | Path | None = None,
) -> PrivateReward:
    """Learn a reward from preference pairs under (ε, δ)-differential privacy, as the command does.

    Args:
        pairs: records or a table with prompt, chosen and rejected, or a file of them; or a matrix
            of (n, d) differences φ(response 1) − φ(response 2), or (n, 2, d) of both, an array or
            a .npy or .csv file, with ``labels``.
        epsilon: ε of the whole release, in [1e-6, 40] with at most six decimals.
        delta: δ of the whole release, in [1e-15, 0.1].
        reward_bound: B, a public bound of ‖θ‖, in [0.01, 20].
        labels: +1 where response 1 is preferred, −1 where response 2 is; n numbers or a file.
        adjacency: "replace": one pair by another; "add_remove": one pair comes or goes, and their
            number is not public.
        output: OUT.json to write, too; by default nothing but the ledger is written.
        num_features: d of texts, 16 unless given.
        covariance: release Σ xxᵀ with noise under the same budget, x = φ(preferred) − φ(other).
        size: a public number of pairs to tune the ridge for; where one pair is replaced by
            default their number.
        unit: the field that names the annotator, where all pairs of one are protected
            together.
        at_most: pairs of one value of ``unit`` that are used.
        compose: allow a ledger that holds earlier releases, at the sum of all their budgets:
            each counts, whatever pairs it read.  A number is the largest ε of all together, and
            of one annotator where there is a unit.
        resume: publish what a call that failed has spent; ``pairs`` is not read.
        weak: release a reward that by a public number of pairs is expected to be useless.
        ledger: folder of the ledger, which label releases write, too.

    Raises:
        repro.base.errors.BadInput: what cannot be used.

    >>> private_reward("pairs.jsonl", 1, 1e-6, 1)  # doctest: +SKIP
    PrivateReward(16 features, epsilon=1.0, delta=1e-06, replace)
    """
    from repro.release.ledger import accepted_total
    from repro.release.manifest import exact_epsilon
    from repro.release.reward.release import RewardTerms, exact_delta, release_reward

    terms = RewardTerms(
        None if epsilon is None else exact_epsilon(epsilon),
        None if delta is None else exact_delta(delta),
        None if reward_bound is None else _bound(str(reward_bound)),
        adjacency, labels, whole("num_features", num_features), switch("covariance", covariance),
        whole("size", size), unit, whole("at_most", at_most), accepted_total(compose),
        switch("resume", resume), switch("weak", weak),
    )  # fmt: skip
    folder = ledger_folder(None if ledger is None else os.fspath(ledger))
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "reward.json" if output is None else Path(output)
        return release_reward(pairs, out, terms, folder)


def main(words: Sequence[str]) -> int:
    """Learn and release."""
    tell_at_the_end(_release(words))
    return 0


def _release(words: Sequence[str]) -> str:
    from repro.base.words import split_words
    from repro.release.reward.release import release_reward

    for word in words:
        if word.removeprefix("--").startswith("seed="):
            raise BadInput("seed", word.partition("=")[2][:60], ENTROPY)
    (source, out), options = split_words(words, KEYS, ("PAIRS", "OUT"))
    terms, folder = _terms(options), ledger_folder(options.get("ledger"))
    return _said(release_reward(source, Path(out), terms, folder, ready), out)


def _terms(options: dict[str, str]) -> RewardTerms:
    from repro.base.words import true_or_false, whole_number
    from repro.labels.privacy.exact_response import parse_epsilon
    from repro.release.ledger import accepted_total
    from repro.release.reward.release import RewardTerms, exact_delta

    return RewardTerms(
        parse_epsilon(options["epsilon"]) if "epsilon" in options else None,
        exact_delta(options["delta"]) if "delta" in options else None,
        _bound(options["reward_bound"]) if "reward_bound" in options else None,
        options.get("adjacency", "replace"),
        options.get("labels"),
        whole_number(options, "num_features"),
        true_or_false(options, "covariance"),
        whole_number(options, "size"),
        options.get("unit", ""),
        whole_number(options, "at_most"),
        accepted_total(options.get("compose", False)),
        true_or_false(options, "resume"),
        true_or_false(options, "weak"),
    )


def _bound(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise BadInput("reward_bound", text[:40], "allowed: a public bound from 0.01 to 20")
    return float(text)


def _said(reward: PrivateReward, out: str) -> str:
    from repro.base.words import wrapped
    from repro.release.ledger import cost_in_words
    from repro.release.reward.release import OF_WHOLE_PAIRS

    card = reward.card
    earlier = ""
    if card["earlier_epsilons"]:
        total = (Decimal(f"{card[key]:.12g}") for key in ("total_epsilon", "total_delta"))
        earlier = f"; one label has cost {cost_in_words(*total)} in all; {OF_WHOLE_PAIRS}"
    said = f"released {out}: {card['guarantee']}{earlier}"
    norm = f"norm of theta {math.hypot(*reward.theta):.3g}, reward_bound {card['reward_bound']:g}"
    why = (
        "a norm near reward_bound means much noise, or a reward_bound that is too small; a norm "
        "near 0 means that the ridge outweighs the pairs, and that rewards are flat"
    )
    judge = "repro accuracy judges it on public pairs that were held out"
    following = f"next: repro accuracy {out} HELD_OUT"
    return "\n".join(wrapped(one_line(part)) for part in (said, norm, why, judge, following))
