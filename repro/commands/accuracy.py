"""How often does a model rank held-out pairs as their labels do?

    repro accuracy REWARD.json PAIRS [labels=FILE]
    repro accuracy FOLDER PAIRS [reference=PATH] [max_prompt_tokens=256]
        [max_response_tokens=256] [batch_size=16] [device=auto]

REWARD.json is a release of repro private_reward, FOLDER a model of repro finetune.  PAIRS has
prompt, chosen and rejected, in any format that repro privatize reads, or is a matrix with labels=
where the reward has features of its own.  Nothing may have been trained on PAIRS, which is not
checked.  The command prints the share of pairs in which the chosen response ranks first, a tie
counting one half.  The next lines have a rule without data, "the longer reply", and a coin.  The
intervals are over pairs, at 95 % each.  They say nothing of another release or another training.
A reward model ranks by its score.  A policy ranks by its log-probability less the base model's.
The model's card names the base model, and reference= names another.

The accuracy is computed from the labels of PAIRS without noise, so it is not private.  PAIRS must
be public, or the number counts as a release of them at epsilon = inf.
Exit status: 0 done, 2 bad input.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from repro.base.errors import BadInput, number_of, one_line
from repro.base.schema import Model, Whole, validate
from repro.base.words import scalar, split_words

NOT_PRIVATE = (
    "not private: computed from the labels of these pairs without noise.\nHeld-out pairs must be "
    "public, or the number counts as a release of them at\nepsilon = inf."
)
KEY, Z = "PAIRS", 1.96
"""The word of the pairs; the normal quantile of 95 %."""
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[Whole, Field(ge=1, le=10**6)]


class AccuracyRequest(Model):
    """Arguments of the command."""

    model: Text
    pairs: Text
    labels: Text | None = None
    reference: Text | None = None
    max_prompt_tokens: Count = 256
    max_response_tokens: Count = 256
    batch_size: Count = 16
    device: Literal["cpu", "cuda", "auto"] = "auto"


@dataclass(frozen=True)
class RankedPairs:
    """What a model, and a rule without data, rank first of n pairs.

    Attributes:
        right: (n,) 1 where the chosen response ranks first, ½ at a tie, else 0.
        longer: likewise for the longer response; None where the pairs are vectors.
    """

    right: np.ndarray
    longer: np.ndarray | None


def main(words: Sequence[str]) -> int:
    """Print the accuracy and what it is to be compared with."""
    keys = [key for key in AccuracyRequest.model_fields if key not in ("model", "pairs")]
    (model, pairs), texts = split_words(words, keys, ("MODEL", KEY))
    options = {key: scalar(key, text) for key, text in texts.items()}
    request = validate(AccuracyRequest, {"model": model, "pairs": pairs, **options})
    for line in report(Path(model).name, ranking(request)):
        print(line)
    print(NOT_PRIVATE, file=sys.stderr)
    return 0


def ranking(request: AccuracyRequest) -> RankedPairs:
    """Rank the pairs.

    Raises:
        BadInput: a model or pairs that cannot be read, or a key that this model has no use for.
    """
    is_folder = Path(request.model).is_dir()
    unused = ("labels",) if is_folder else ("reference",)
    for name in unused:
        if (value := getattr(request, name)) is not None:
            kind = "REWARD.json of repro private_reward" if is_folder else "a folder of a model"
            raise BadInput(name, value, f"this model has no use for it; allowed: with {kind}")
    return _by_model(request) if is_folder else _by_reward(request)


def report(name: str, ranked: RankedPairs) -> list[str]:
    """Lines of the answer: accuracies with intervals, then what the difference says."""
    name = one_line(name)
    count, rivals = len(ranked.right), [(name, ranked.right)]
    if ranked.longer is not None:
        rivals.append(("the longer reply", ranked.longer))
    width = max(len(rival) for rival, _ in rivals)
    pairs = number_of(count, "pair")
    lines = [f"share of {pairs} whose chosen response ranks first, and 95 % intervals"]
    for rival, right in rivals:
        low, high = share_interval(right)
        lines.append(f"{rival:<{width}}  {right.mean():.4f}  [{low:.4f}, {high:.4f}]")
    lines.append(f"{'a coin':<{width}}  0.5")
    if ranked.longer is not None:
        gap = ranked.right - ranked.longer
        low, high = gap_interval(gap)
        what = "better" if low > 0 else "worse" if high < 0 else "no difference can be seen"
        shown = f"{gap.mean():+.4f}  [{low:+.4f}, {high:+.4f}]"
        lines.append(f"less the longer reply: {shown}: {what}")
    return lines


def share_interval(right: np.ndarray) -> tuple[float, float]:
    """95 % for the mean of (n,) numbers in [0, 1], with two pairs of each kind added.

    That is Agresti and Coull's interval: its level is near 95 % for few pairs, too.
    """
    count = len(right) + 4
    share = (float(right.sum()) + 2) / count
    half = Z * math.sqrt(share * (1 - share) / count)
    return max(0.0, share - half), min(1.0, share + half)


def gap_interval(gap: np.ndarray) -> tuple[float, float]:
    """95 % for the mean of (n,) paired differences in [−1, 1], with one of +1 and one of −1 added.

    That is Bonett and Price's interval (2012).
    """
    count = len(gap) + 2
    mean = float(gap.sum()) / count
    half = Z * math.sqrt(((float(np.square(gap).sum()) + 2) / count - mean**2) / count)
    return max(-1.0, mean - half), min(1.0, mean + half)


def _ranks_first(margins: np.ndarray) -> np.ndarray:
    return (1 + np.sign(margins)) / 2


def _by_reward(request: AccuracyRequest) -> RankedPairs:
    from repro.release.records import read_records
    from repro.release.reward.features import MAP, matrix_rows, text_differences
    from repro.release.reward.reward import PrivateReward

    try:
        reward = PrivateReward.load(request.model)
    except BadInput as problem:
        allowed = "REWARD.json of repro private_reward, or a folder of repro finetune"
        raise BadInput("MODEL", request.model, f"{problem.allowed}; allowed: {allowed}") from None
    size = len(reward.theta)
    if reward.feature_map != MAP:
        differences = matrix_rows(request.pairs, request.labels).differences
        if differences.shape[1] != size:
            features = number_of(differences.shape[1], "feature")
            allowed = f"has {features}; allowed: {size}, as the reward has"
            raise BadInput(KEY, request.pairs, allowed)
        return RankedPairs(_ranks_first(differences @ reward.theta), None)
    if request.labels is not None:
        raise BadInput(
            "labels", request.labels, "this reward reads texts; allowed: with a reward of a matrix"
        )
    records = list(read_records(request.pairs, KEY))
    margins = text_differences(records, size) @ reward.theta
    return RankedPairs(_ranks_first(margins), _longer(records))


def _by_model(request: AccuracyRequest) -> RankedPairs:
    from repro.base.device import resolve_device
    from repro.labels.preferences.pair_records import PreferencePair
    from repro.llm.training.extra import require_extra
    from repro.release.records import read_records

    require_extra()
    records = list(read_records(request.pairs, KEY))
    from repro.llm.training.margins import reward_margins
    from repro.llm.training.pairs import TextPairs
    from repro.llm.training.settings import Limits

    pairs = TextPairs.of([PreferencePair(*record) for record in records])
    limits = Limits(**request.model_dump(include=set(Limits.model_fields)))
    margins = reward_margins(
        request.model, request.reference, pairs, limits, request.batch_size,
        resolve_device(request.device),
    )  # fmt: skip
    return RankedPairs(_ranks_first((margins.double() * pairs.labels).numpy()), _longer(records))


def _longer(records: list[tuple[str, str, str]]) -> np.ndarray:
    return _ranks_first(np.array([len(chosen) - len(other) for _, chosen, other in records]))
