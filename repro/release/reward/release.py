"""Learn a reward and release it: nothing can be read before its budget is spent.

The reward is made in memory; then the ledger is debited, durably, with the very bytes; only then
does the file get its name.  What fails after the debit stays spent, and ``resume`` publishes it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput, number_of
from repro.labels.privacy.adjacency import ADJACENCIES, REPLACE
from repro.labels.privacy.exact_normal import BITS, normal, on_grid
from repro.labels.privacy.large_delta import warning_of_delta
from repro.release.drafts import Draft
from repro.release.ledger import (
    ANY_TOTAL,
    AnnotatorCost,
    Debit,
    cost_in_words,
    held_ledger,
    refuse_total,
    spent_delta,
)
from repro.release.manifest import Manifest
from repro.release.privatise import (
    DOUBT,
    RESUME,
    Target,
    refuse_one_of_two,
    told_what_it_cost,
    trouble_with,
)
from repro.release.records import is_path, shown_source
from repro.release.reward.calibration import (
    MOST_PAIRS,
    SUMMED,
    RewardBudget,
    RewardNoise,
    calibrated,
    warning_of_noise,
)
from repro.release.reward.features import (
    FEWEST_FEATURES,
    KEY,
    MAP,
    MOST_FEATURES,
    USUAL_FEATURES,
    PreferenceRows,
    matrix_rows,
    text_rows,
)
from repro.release.reward.minimiser import PerturbedLogistic, minimised
from repro.release.reward.reward import PrivateReward

LEAST_DELTA, MOST_DELTA = Decimal("1e-15"), Decimal("0.1")
LEAST_BOUND, MOST_BOUND, MOST_TOGETHER = 0.01, 20.0, 100
SUCH_AS = {
    "epsilon": "epsilon=1",
    "delta": "delta=1e-6, far below 1/n for n pairs",
    "reward_bound": "reward_bound=5; repro private_reward --help says how to choose it",
}
STEPS_OF_GRID = 2.0**-10
"""Of a deviation; a power of two nearby is the grid."""
OF_WHOLE_PAIRS = (
    "the total covers a whole pair only where its texts were never published, for example by repro "
    "privatize, and where all rewards have one adjacency"
)


@dataclass(frozen=True)
class RewardTerms:
    """What is asked for.

    Attributes:
        epsilon, delta: (ε, δ) of the whole release; of a resumed one None will do.
        reward_bound: B, a public bound of ‖θ‖.
        adjacency: "replace" or "add_remove".
        labels: array or file of ±1, where the pairs are a matrix.
        num_features: d of texts.
        covariance: release Σ xxᵀ, too.
        size: a public number of pairs to tune the ridge for; by default, where one pair is
            replaced, how many there are.
        unit, at_most: field that names the annotator, and pairs of one that are used.
        compose: allow a ledger that holds earlier releases; each counts, whatever it read.  A
            number is the largest ε of all together, and of one annotator where there is a unit.
        resume: publish the reward that the ledger holds and no file has; nothing else is read.
        weak: release a reward that by the public number of pairs is expected to be useless.
    """

    epsilon: Decimal | None = None
    delta: Decimal | None = None
    reward_bound: float | None = None
    adjacency: str = REPLACE
    labels: Any = None
    num_features: int | None = None
    covariance: bool = False
    size: int | None = None
    unit: str = ""
    at_most: int | None = None
    compose: bool | Decimal = False
    resume: bool = False
    weak: bool = False

    def refuse(self) -> None:
        """Before anything is read.

        Raises:
            BadInput: a value is missing or out of range, or two do not go together.
        """
        for name in () if self.resume else ("epsilon", "delta", "reward_bound"):
            if getattr(self, name) is None:
                raise BadInput(name, "(missing)", f"a value is required, such as {SUCH_AS[name]}")
        bound = self.reward_bound
        if bound is not None and not LEAST_BOUND <= bound <= MOST_BOUND:
            allowed = f"a public bound from {LEAST_BOUND:g} to {MOST_BOUND:g}"
            raise BadInput("reward_bound", bound, f"allowed: {allowed}")
        if self.adjacency not in ADJACENCIES:
            raise BadInput("adjacency", self.adjacency[:60], f"allowed: {', '.join(ADJACENCIES)}")
        if self.labels is not None and self.unit:
            raise BadInput(
                "unit", self.unit[:60], "a matrix has no annotators; allowed: pairs of texts"
            )
        refuse_one_of_two(self.unit, self.at_most)
        if (self.at_most or 1) > MOST_TOGETHER:
            raise BadInput("at_most", self.at_most, f"allowed: 1 to {MOST_TOGETHER}")
        d = self.num_features
        if d is not None and self.labels is not None:
            raise BadInput("num_features", d, "a matrix has its own; allowed: pairs of texts")
        if d is not None and not FEWEST_FEATURES <= d <= MOST_FEATURES:
            allowed = f"{FEWEST_FEATURES} to {MOST_FEATURES}"
            raise BadInput("num_features", d, f"allowed: {allowed}")
        if self.size is not None and not 1 <= self.size <= MOST_PAIRS:
            raise BadInput("size", self.size, f"allowed: 1 to {MOST_PAIRS}")


def exact_delta(value: object) -> Decimal:
    """δ as the decimal that was written.

    Raises:
        BadInput: no number from 1e-15 to 0.1.

    >>> exact_delta("1e-6"), exact_delta(1e-6)
    (Decimal('0.000001'), Decimal('0.000001'))
    """
    text = str(value)  # the repr of numpy's numbers names their type
    with suppress(InvalidOperation):
        delta = Decimal(text) if text.isascii() and "_" not in text else Decimal("nan")
        if delta.is_finite() and LEAST_DELTA <= delta <= MOST_DELTA:
            return Decimal(format(delta.normalize(), "f"))
    raise BadInput("delta", text[:40], f"allowed: a number from 1e-15 to {MOST_DELTA}")


def release_reward(
    source: Any,
    out: Path,
    terms: RewardTerms,
    folder: Path,
    tell: Callable[[str], object] = lambda words: None,
) -> PrivateReward:
    """Learn, spend, publish; or publish what was spent.

    Args:
        source: pairs of texts, a file or table; or a matrix, a file or array, with labels.
        out: REWARD.json; must not exist, its folder must.
        terms: what is asked for.
        folder: of the ledger.
        tell: hears of waiting, and of what is about to be spent.

    Raises:
        BadInput: faulty input, an existing file, a ledger with releases without ``compose``.
        OSError: the disk is full, or fails.
    """
    terms.refuse()
    _refuse_out(out, terms.resume)
    with ExitStack() as stack:
        stage = stack.enter_context(told_what_it_cost(Target(out)))
        ledger = stack.enter_context(held_ledger(folder, tell))
        with trouble_with(out):
            draft = stack.enter_context(Draft(out.parent))
        debits = ledger.debits()
        if terms.resume:
            debit = _waiting(debits)
        else:
            _refuse_spent(debits, terms, folder)
            debit = _learnt(ledger.begin(), source, terms, debits, tell)
        content = debit.answers or b""
        reward = PrivateReward.of(content)
        with trouble_with(out):
            draft.file.write(content)
            draft.file.flush()
        if not terms.resume:
            features = number_of(len(reward.theta), "feature")
            tell(f"learnt a reward of {features}; its budget is spent next")
            stage.append(DOUBT)
            ledger.spend(debit)
        stage.append(RESUME)
        draft.place(out)
        ledger.forget_answers(debit.number)
        stage.append("the release is complete")
    return reward


def _refuse_out(out: Path, resumed: bool) -> None:
    if out.suffix != ".json" or not out.stem:
        raise BadInput("OUT", out, "allowed: a name that ends in .json")
    with trouble_with(out), suppress(FileNotFoundError):
        if not resumed:
            os.lstat(out)
            raise BadInput("OUT", out, "exists; choose a new name")
    if not out.parent.is_dir():
        raise BadInput("OUT", out, "its folder does not exist")


def _waiting(debits: list[Debit]) -> Debit:
    """The reward that is spent and not published; no other is released before it is."""
    for debit in debits:
        if debit.delta and debit.answers:
            return debit
    raise BadInput("resume", "true", "no reward of this ledger is spent and not published")


def _refuse_spent(debits: list[Debit], terms: RewardTerms, folder: Path) -> None:
    """By what the ledger holds alone: no pair has been read."""
    assert terms.epsilon is not None
    assert terms.delta is not None
    if any(debit.delta and debit.answers for debit in debits):
        waits = "a reward of this ledger is spent and not published: resume=true publishes it first"
        raise BadInput("resume", "false", waits)
    asked = Debit(0, Manifest(terms.epsilon, unit_size=terms.at_most), None, terms.delta)
    all_debits = [*debits, asked]
    total = sum((debit.manifest.epsilon for debit in all_debits), Decimal(0))
    cost = f"with this reward the total is {cost_in_words(total, spent_delta(all_debits))}"
    if terms.unit:
        of_annotator = AnnotatorCost.of(all_debits)
        cost += f", and one annotator costs at most {of_annotator.in_words}"
        total = max(total, of_annotator.epsilon)
    if debits and not terms.compose:
        held = (
            f"holds {number_of(len(debits), 'earlier release')}, and each counts, whatever it read"
        )
        raise BadInput("ledger", folder, f"{held}; {cost}; {ANY_TOTAL}")
    refuse_total(terms.compose, total, cost)


def _rows(source: Any, terms: RewardTerms) -> PreferenceRows:
    is_matrix = isinstance(source, np.ndarray) or (
        is_path(source) and Path(source).suffix == ".npy"
    )
    if is_matrix or terms.labels is not None:
        rows = matrix_rows(source, terms.labels)
    else:
        d = terms.num_features or USUAL_FEATURES
        rows = text_rows(source, d, terms.unit, terms.at_most or 1)
    if not 2 <= len(rows.differences) <= MOST_PAIRS:
        allowed = f"2 to {MOST_PAIRS} pairs"
        raise BadInput(KEY, shown_source(source), f"allowed: {allowed}")
    return rows


def _learnt(
    number: int, source: Any, terms: RewardTerms, debits: list[Debit],
    tell: Callable[[str], object],
) -> Debit:  # fmt: skip
    """Of a debit all but θ, and the digest of its file, follows from terms and ledger."""
    assert terms.epsilon is not None
    assert terms.delta is not None
    assert terms.reward_bound is not None
    rows = _rows(source, terms)
    earlier = sorted(debits, key=lambda debit: debit.manifest.epsilon)
    budgets = tuple(debit.manifest.epsilon for debit in earlier)
    manifest = Manifest(terms.epsilon, budgets, terms.at_most, earlier_delta=spent_delta(debits))
    pairs = len(rows.differences) if size_is_public(terms) else terms.size
    _tell_of_large_delta(terms, pairs, tell)
    budget = RewardBudget(
        float(terms.epsilon), float(terms.delta), terms.reward_bound, rows.differences.shape[1],
        terms.adjacency, terms.at_most or 1, terms.covariance, terms.size or pairs,
    )  # fmt: skip
    noise = calibrated(budget)
    if words := warning_of_noise(budget, noise):
        _refuse_weak(words, budget.size, shown_source(source), terms.weak)
        tell(words)
    theta, moment = drawn(rows.differences, budget, noise)
    kinds = ["reward" if debit.delta else "labels" for debit in earlier]
    card = _card(budget, noise, rows, terms, manifest, kinds)
    content = PrivateReward(theta, card, MAP if rows.texts else "given", moment).content
    manifest = replace(manifest, sha256=sha256(content).hexdigest())
    return Debit(number, manifest, content, terms.delta)


def _refuse_weak(words: str, size: int | None, shown: str, weak: bool) -> None:
    """By a public number of pairs: where it is protected, a refusal would tell it.

    Raises:
        BadInput: the reward is expected to be useless, and was not asked for all the same.
    """
    if size is not None and not weak:
        allowed = "allowed: more pairs, a larger epsilon, fewer features, or weak=true"
        raise BadInput(KEY, shown, f"{words}; nothing is spent; {allowed}")


def _tell_of_large_delta(
    terms: RewardTerms, pairs: int | None, tell: Callable[[str], object]
) -> None:
    """By the public number of pairs: a warning that follows from another number would tell it."""
    units = math.ceil((pairs or 0) / (terms.at_most or 1))
    if warning := warning_of_delta(terms.delta or Decimal(0), units):
        tell(warning)


def size_is_public(terms: RewardTerms) -> bool:
    """Where one pair takes the place of another their number is the same."""
    return terms.adjacency == REPLACE and not terms.unit


def drawn(
    differences: np.ndarray, given: RewardBudget, noise: RewardNoise
) -> tuple[np.ndarray, np.ndarray | None]:
    """θ, and Σ xxᵀ where it is asked for, with noise of the operating system.

    Args:
        differences: (n, d) of norm at most 2.
        given: what is promised.
        noise: as ``calibrated`` has it.
    """
    d = given.num_features
    loss = PerturbedLogistic(differences, noise.ridge, normal(noise.sigma, d), given.reward_bound)
    theta = on_grid(minimised(loss, noise.tolerance), noise.output, _grid(noise.output))
    if not given.covariance:
        return theta, None
    upper = np.triu_indices(d)
    moment = np.zeros((d, d))
    for at in range(0, len(differences), SUMMED):
        x = differences[at : at + SUMMED].astype(np.float64)
        moment += x.T @ x
    noised = on_grid(moment[upper], noise.covariance, _grid(noise.covariance))
    noisy = np.zeros((d, d))
    noisy[upper] = noised
    return theta, noisy + np.triu(noisy, 1).T


def _grid(deviation: float) -> float:
    return 2.0 ** math.floor(math.log2(deviation * STEPS_OF_GRID))


def _protected(terms: RewardTerms) -> tuple[str, str]:
    """The unit of the guarantee, and what becomes of the unit in a neighbouring dataset."""
    replaced = terms.adjacency == REPLACE
    if terms.unit:
        unit = f"all pairs of one {terms.unit}, at most {terms.at_most}"
        change = "replaced by others" if replaced else "added or removed"
        labels = "" if replaced else ", or labels of theirs are changed"
        return unit, f"{unit}, are {change}, with their texts or features and their labels{labels}"
    unit = "one labelled pair"
    change = "replaced by another" if replaced else "added or removed"
    label = "" if replaced else ", or its label is changed"
    return unit, f"{unit} is {change}, with its texts or features and its label{label}"


def _card(
    given: RewardBudget,
    noise: RewardNoise,
    rows: PreferenceRows,
    terms: RewardTerms,
    manifest: Manifest,
    earlier_kinds: list[str],
) -> dict[str, Any]:
    several = f"k values of {terms.unit}" if terms.unit else "k copies of one pair"
    counted = "; the number of pairs is not public"
    if size_is_public(terms):
        counted = f", the number of pairs ({len(rows.differences)})"
    fixed = "features, hashes and their scales, " if rows.texts else "the map to features, "
    public = f"{fixed}the number of features, reward_bound, all values of this card"
    numbers = {
        "ridge": noise.ridge,
        "gradient_noise_deviation": noise.sigma,
        "solver_tolerance": noise.tolerance,
        "output_noise_deviation": noise.output,
        "output_grid": _grid(noise.output),
        "certified_delta": noise.bound,
    }
    if given.covariance:
        numbers["second_moment_noise_deviation"] = noise.covariance
        numbers["second_moment_grid"] = _grid(noise.covariance)
    released = "theta and second_moment together are" if given.covariance else "theta is"
    unit, neighbour = _protected(terms)
    total_delta = manifest.earlier_delta + (terms.delta or Decimal(0))
    return {
        "guarantee": f"{released} ({manifest.epsilon}, {terms.delta})-differentially private where"
        f" {neighbour}",
        "epsilon": float(manifest.epsilon),
        "delta": given.delta,
        "adjacency": given.adjacency,
        "unit": unit,
        "several": f"{several} are k units, which cost k*epsilon and k*exp((k-1)*epsilon)*delta"
        " together",
        "accounting": "total_epsilon and total_delta add up what one label can have cost in all"
        f" releases of this ledger up to this one, whatever pairs they read; {OF_WHOLE_PAIRS}",
        "earlier_epsilons": [float(budget) for budget in manifest.earlier],
        "earlier_kinds": earlier_kinds,
        "total_epsilon": float(manifest.total),
        "total_delta": float(total_delta),
        "mechanism": "certified objective perturbation of the logistic loss summed over pairs; the"
        " solver's tolerance and the rounding of doubles are paid for by output noise",
        "noise": f"normal, {BITS} bits a coordinate of the operating system's entropy; what is"
        " released is rounded to a grid after noise, as real numbers would be",
        "clipping": rows.clipped,
        "reward_bound": given.reward_bound,
        "num_features": given.num_features,
        "public": public + counted,
        "ridge_tuned_for": given.size or "no number of pairs",
        "numbers": numbers,
    }  # fmt: skip
