"""``repro which_mechanism epsilon=4 delta=1e-6 n_pairs=2000 num_features=16 reward_bound=5``.

Whether so many pairs are enough for repro private_reward, and which reward_bound suits them.
The answer is computed on two simulated worlds and reads no pair, so asking costs no epsilon.

Command repro private_reward runs objective perturbation.  Its ridge follows from these numbers, and
its errors are printed.  A reward of 0 has the error 1, and the true reward has the error 0.
A reward counts as learnt if its error is below 0.4.  If it is learnt on no world the answer is
"none".
Two responses differ by 0.5 in their features, as texts typically do under private_reward.  On the
world "even" they differ in all directions alike.  On the world "thin" each direction has a quarter
of the variance of the one before.  Texts of HH-RLHF lie between the two.

When one pair changes, the probability of any outcome grows at most by the factor e^epsilon, and by
delta more.  Take delta far below 1/n: publishing one random pair as it is satisfies delta = 1/n.
adjacency=replace (default) protects a pair against its replacement by another pair.
adjacency=add_remove protects a pair that is added or removed, with less noise.
With unit=FIELD at_most=M of private_reward the noise is about M times as large: ask with epsilon/M
or a little less.

reward_bound is B, a bound of the norm of theta, chosen from what you know before you see the pairs.
The second table has several B on one truth, in which |theta| is 0.9 times the B that you ask with.
Let p be the share of comparisons that you expect the better of two typical responses to win, at
most.  Then take B = 2*log(p/(1-p)): 3 for p = 82 %, 5 for 92 %.

verbose=true compares objective perturbation with output perturbation and noisy gradient descent.
No command runs these two, so it prints each mechanism in full.  Why DP-SGD is not among them:
docs/explanations/which_mechanism.md.
folder=docs/explanations writes which_mechanism.md, the table of answers, instead of an answer.
From Python: ``repro.which_mechanism(epsilon=1, delta=1e-6, n_pairs=100_000, num_features=16)``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
from pydantic import Field, StrictBool

from repro.base.errors import BadInput
from repro.base.files import write_whole
from repro.base.schema import FiniteEpsilon, Model, Pairs, Positive, Probability, Whole, validate
from repro.base.words import keyword_values, plain, wrapped
from repro.labels.privacy.adjacency import ADD_REMOVE, REPLACE, Adjacency
from repro.labels.privacy.large_delta import warning_of_delta
from repro.p2.losses.loss_map import LEARNT
from repro.p3.private_estimates.comparison import (
    DESCENT,
    EVEN,
    NEARLY,
    OBJECTIVE,
    OUTPUT,
    SCALES,
    MechanismComparison,
    advised,
    compared,
    errors_at_bound,
    errors_by_bound,
    over_least_at_worst,
)
from repro.p3.private_estimates.comparison import THETA_SHARE as SIMULATED
from repro.p3.private_estimates.linearised_errors import THETA_SHARE, TYPICAL, MechanismBudget
from repro.p3.private_estimates.recipes import (
    Recipe,
    descent_recipe,
    objective_recipe,
    output_recipe,
)
from repro.p3.private_estimates.three_estimates import kept_steps
from repro.release.reward.features import FEWEST_FEATURES
from repro.report.mechanism_table import mechanism_page

NUMBERS = 4_000_000
"""Coordinates that are simulated at most: fewer datasets where d is large."""
ROUND_NUMBERS = tuple(digit * 10**zeros for zeros in range(1, 8) for digit in range(1, 10))
"""Of pairs, of which the least that is enough is sought: it does not depend on n_pairs."""
EPSILONS, FEATURES, PAIRS = (0.1, 1.0, 8.0), (4, 16, 64, 256), (10**3, 10**4, 10**5, 10**6)
TABLE_DELTA = 1e-6


class MechanismRequest(Model):
    """Arguments of the command; the first four are given, or the folder is."""

    epsilon: FiniteEpsilon | None = None
    delta: Annotated[Probability, Field(ge=1e-100, le=0.1)] | None = None
    n_pairs: Pairs | None = None
    num_features: Annotated[Whole, Field(ge=1, le=4096)] | None = None
    reward_bound: Annotated[Positive, Field(ge=0.01, le=20)] = 1.0
    adjacency: Adjacency = REPLACE
    replicates: Annotated[Whole, Field(ge=20, le=10**5)] = 200
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0
    verbose: StrictBool = False
    folder: Annotated[str, Field(min_length=1)] | None = None


QUESTION = {"epsilon": "1", "delta": "1e-6", "n_pairs": "1e5", "num_features": "16"}


@dataclass(frozen=True, repr=False)
class MechanismAnswer:
    """The private mechanisms on two worlds, and the one to take.

    Attributes:
        given: ε, δ, the bound LB and what neighbours are.
        n_pairs: number of labelled pairs.
        num_features: d.
        replicates: datasets that were simulated on each world.
        worlds: by world, every mechanism's error and calibration; the error of objective
            perturbation is that of ``repro private_reward``, with its own ridge.
        tuned: by world, the error of objective perturbation on the best ridge for this world.
        by_bound: by B and world, the error of ``repro private_reward`` on the same truth.
        enough_pairs: the least number of one digit and zeros at which ``repro private_reward``
            learns on both worlds, or None where it learns with n_pairs, or with none up to 9e7.
    """

    given: MechanismBudget
    n_pairs: int
    num_features: int
    replicates: int
    worlds: Mapping[str, MechanismComparison]
    tuned: Mapping[str, float]
    by_bound: Mapping[float, Mapping[str, float]]
    enough_pairs: int | None

    def __repr__(self) -> str:
        """What the command prints."""
        return "\n".join(map(wrapped, self.lines()))

    @property
    def best(self) -> str:
        """The mechanism whose error over the least is smallest on its worse world."""
        return advised(self.worlds)

    @property
    def learns(self) -> bool:
        """Whether ``repro private_reward`` learns a reward on some world."""
        return bool(_learnt(self.worlds))

    @property
    def recipes(self) -> dict[str, Recipe]:
        """By mechanism, the digits to use: tuned on the first world and private as they stand."""
        comparison = next(iter(self.worlds.values()))
        return {
            OBJECTIVE: objective_recipe(self.given, self.num_features, comparison.objective),
            OUTPUT: output_recipe(self.given, self.num_features, comparison.output),
            DESCENT: descent_recipe(self.given, self.num_features, comparison.descent),
        }

    def lines(self, verbose: bool = False) -> Iterator[str]:
        """The mechanism to take, what decides, errors by mechanism and by B, what to type next."""
        yield self._advice()
        if warning := warning_of_delta(self.given.dp_delta, self.n_pairs):
            yield warning
        yield WORLDS
        yield from _table(self._errors((OBJECTIVE,)))
        yield BOUNDS.format(length=f"{SIMULATED * self.given.reward_bound:g}")
        yield from _table(self._errors_by_bound())
        if verbose:
            yield from self._details()
        else:
            yield "verbose=true compares two mechanisms that no command runs"
        yield self._next()

    def _details(self) -> Iterator[str]:
        """All mechanisms, the least error, why, each in full, and what the errors are."""
        yield "all mechanisms; no command runs output perturbation and gradient descent:"
        yield from _table(self._errors(tuple(SHOWN)))
        yield f"{_choice(self.worlds)}; by the rule {self.best} is best"
        yield RULE
        tuned = ", ".join(f"{error:.3g}" for error in self.tuned.values())
        yield f"{OBJECTIVE} on the best ridge for each world has the errors {tuned}"
        yield f"why: {WHY[self.best]}"
        yield PRIVATE_REWARD
        if any(world.least < world.without_privacy for world in self.worlds.values()):
            yield SHRUNK
        world, comparison = next(iter(self.worlds.items()))
        yield f"recipes, tuned on {world}; deviations and ridges are rounded up"
        yield from _recipes(self.given, self.num_features, comparison)
        yield (
            "errors: root mean square of reward differences, labels included, over "
            f"{self.replicates} datasets, before rounding; ridges and steps tuned with the world "
            f"known, but for private_reward; |x| = {TYPICAL:g}, |theta*| = {SIMULATED:g} "
            "reward_bound"
        )

    def _advice(self) -> str:
        """What the command that there is learns with these pairs, and how many would do."""
        enough = "" if self.enough_pairs is None else f"; about {self.enough_pairs} pairs would do"
        learnt = _learnt(self.worlds)
        if not learnt:
            return f"none: with so few pairs repro private_reward does not learn the reward{enough}"
        runs = f"{OBJECTIVE}, which repro private_reward runs: it learns the reward"
        if len(learnt) == len(self.worlds):
            return runs
        other = next(name for name in self.worlds if name not in learnt)
        return f"{runs} if features are {learnt[0]}, and not if they are {other}{enough}"

    def _errors(self, mechanisms: Sequence[str]) -> dict[str, list[str]]:
        """Rows of a table of errors, its heading first."""
        worlds = list(self.worlds.values())
        rows = {"error over that of a reward of 0": list(self.worlds)}
        for name in mechanisms:
            rows[SHOWN[name]] = [_share(world.errors[name], world) for world in worlds]
        rows["without privacy, no ridge"] = [_share(w.without_privacy, w) for w in worlds]
        return rows

    def _errors_by_bound(self) -> dict[str, list[str]]:
        """Rows of the table of B, its heading first."""
        rows = {"reward_bound": [f"{bound:g}" for bound in self.by_bound]}
        for name, world in self.worlds.items():
            rows[name] = [_share(errors[name], world) for errors in self.by_bound.values()]
        return rows

    def _next(self) -> str:
        """The command to type, with these numbers."""
        if not self.learns:
            return "next: ask again with more pairs, a larger epsilon or fewer features"
        given, d = self.given, self.num_features
        words = f"epsilon={plain(given.epsilon)} delta={given.dp_delta:g}"
        words += f" reward_bound={given.reward_bound:g}"
        words += f" num_features={d}" if d >= FEWEST_FEATURES else " labels=FILE"
        if given.adjacency != REPLACE:
            words += f" adjacency={given.adjacency} size={self.n_pairs}"
        return f"next: repro private_reward PAIRS OUT.json {words}"


def which_mechanism(
    *,
    epsilon: float,
    delta: float,
    n_pairs: float,
    num_features: int,
    reward_bound: float = 1.0,
    adjacency: Adjacency = REPLACE,
    replicates: int = 200,
    seed: int = 0,
) -> MechanismAnswer:
    """Which way to learn a reward from labelled pairs so that its release is (ε, δ)-private.

    Args:
        epsilon: ε of the release, in [1e-6, 100].
        delta: δ of the release, in [1e-100, 0.1].
        n_pairs: number of labelled pairs.
        num_features: d, from 1 to 4096; features have norm at most 1.
        reward_bound: LB, a bound on the norm of the reward's vector, in [0.01, 20].
        adjacency: "replace": one pair by another; "add_remove": one pair comes or goes.
        replicates: simulated datasets, from 20 to 1e5; fewer are drawn where d is large.
        seed: of the simulation.

    Raises:
        repro.base.errors.BadInput: a value that cannot be used.

    >>> which_mechanism(epsilon=1, delta=1e-6, n_pairs=1e5, num_features=16, replicates=40).best
    'objective perturbation'
    """
    return answer(validate(MechanismRequest, dict(locals())))


def main(arguments: Sequence[str]) -> int:
    """Answer on stdout, or write the table."""
    torch.set_num_threads(1)
    request = validate(MechanismRequest, keyword_values(arguments, MechanismRequest))
    if request.folder is not None:
        _refuse_both(request)
        print(f"file: {_write_table(request, Path(request.folder))}")
        return 0
    print("\n".join(map(wrapped, answer(request).lines(request.verbose))))
    return 0


def answer(request: MechanismRequest) -> MechanismAnswer:
    """Calibrate, simulate and compare.

    Raises:
        BadInput: a number is missing.
    """
    given, n_pairs, d = _question(request)
    replicates = max(20, min(request.replicates, NUMBERS // (50 * d)))
    asked = given, n_pairs, d, replicates, request.seed
    worlds, by_bound = compared(*asked, TYPICAL), errors_by_bound(*asked)
    own = {
        name: replace(world, errors={**world.errors, OBJECTIVE: by_bound[given.reward_bound][name]})
        for name, world in worlds.items()
    }
    tuned = {name: world.errors[OBJECTIVE] for name, world in worlds.items()}
    enough = None if len(_learnt(own)) == len(own) else _enough_pairs(own, given, *asked[2:])
    return MechanismAnswer(*asked[:-1], own, tuned, by_bound, enough)


def _learnt(worlds: Mapping[str, MechanismComparison]) -> list[str]:
    """Worlds on which objective perturbation has less than .4 of the error of a reward of 0."""
    return [
        name for name, world in worlds.items() if world.errors[OBJECTIVE] < LEARNT * world.of_zero
    ]


def _enough_pairs(
    worlds: Mapping[str, MechanismComparison], given: MechanismBudget, d: int, replicates: int,
    seed: int,
) -> int | None:  # fmt: skip
    """The first round number of pairs at which private_reward learns on all worlds."""

    def learns(n_pairs: int) -> bool:
        errors = errors_at_bound(given, n_pairs, d, replicates, seed)
        return all(errors[name] < LEARNT * world.of_zero for name, world in worlds.items())

    first = bisect_left(ROUND_NUMBERS, True, key=learns)
    return ROUND_NUMBERS[first] if first < len(ROUND_NUMBERS) else None


def _question(request: MechanismRequest) -> tuple[MechanismBudget, int, int]:
    for name in QUESTION:
        if getattr(request, name) is None:
            allowed = f"a value is required, such as {name}={QUESTION[name]}"
            raise BadInput(name, "(missing)", f"{allowed}, or folder=FOLDER for the table")
    assert request.epsilon is not None
    assert request.delta is not None
    assert request.n_pairs is not None
    assert request.num_features is not None
    given = MechanismBudget(request.epsilon, request.delta, request.reward_bound, request.adjacency)
    return given, request.n_pairs, request.num_features


def _refuse_both(request: MechanismRequest) -> None:
    for name in QUESTION:
        if (value := getattr(request, name)) is not None:
            raise BadInput(name, value, "allowed: without folder=, which asks for the whole table")


def _choice(comparisons: Mapping[str, MechanismComparison]) -> str:
    """The number of each mechanism that ``advised`` compares."""
    ratios = ", ".join(
        f"{SHOWN[name]} {ratio:.3g}" for name, ratio in over_least_at_worst(comparisons).items()
    )
    return f"error over the least of the three, on the world where it is larger: {ratios}"


def _share(error: float, world: MechanismComparison) -> str:
    """An error over that of a reward of 0."""
    return f"{error / world.of_zero:.2g}"


def _table(rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Rows of cells, right under right."""
    first = max(map(len, rows))
    widths = [max(map(len, column)) for column in zip(*rows.values(), strict=True)]
    for name, cells in rows.items():
        padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield "  ".join((f"  {name:<{first}}", *padded))


SHOWN = {OBJECTIVE: "repro private_reward", OUTPUT: OUTPUT, DESCENT: DESCENT}
"""Rows of the table: objective perturbation with the ridge of the command that runs it."""
WORLDS = (
    f"features differ in all directions alike ({EVEN}), or each direction has a quarter of the "
    f"variance of the one before ({SCALES}); learnt: an error below {LEARNT:g}"
)
BOUNDS = "errors of repro private_reward by reward_bound, where |theta| is {length} in truth:"
RULE = (
    f"rule: the mechanism with the smallest number is best, and {OBJECTIVE} wherever its "
    f"number is at most {NEARLY:g}, as it has no steps to tune. Steps are tuned with the world "
    "known, and the ridge of repro private_reward is not"
)
SHRUNK = (
    "a private error below the one without privacy is no mistake: that estimate has no ridge. A "
    "ridge or few steps shrink the private ones, which helps with so few pairs"
)
WHY = {
    OBJECTIVE: "its noise is added once, to the gradient, so the curvature of the data divides it. "
    "Output perturbation pays for a ridge, because it may not rely on that curvature. Descent "
    "adds noise in every step, and reaches only as far as its steps lead",
    OUTPUT: "so little can be learnt here that all three shrink to 0, and its ridge shrinks best",
    DESCENT: "its noise is as small as for a Gaussian mechanism with exact sensitivity. It has "
    "neither the ridge nor the few percent of noise that objective perturbation pays for its "
    "Jacobian. Its steps and step length are tuned here, and must be tuned",
}


PRIVATE_REWARD = (
    f"repro private_reward always runs {OBJECTIVE}. Its ridge and deviation differ from the "
    f"recipe's: it tunes for |theta*| = {THETA_SHARE:g} reward_bound, not for {SIMULATED:g}, and "
    "pays for its solver and for rounding"
)
"""Where the number of pairs is public; without one it tunes nothing."""
PROTECTED = {
    REPLACE: "Private when one labelled pair is replaced by any other (adjacency=replace). With "
    "these numbers also private when a pair is added or removed, as a missing pair acts like a "
    "pair of equal responses; for that alone adjacency=add_remove has less noise",
    ADD_REMOVE: "Private when one labelled pair is added or removed (adjacency=add_remove). A "
    "replaced pair needs the noise of adjacency=replace. n_pairs, to which the numbers are "
    "tuned, is public",
}
"""What the numbers of an answer are private against."""


def _recipes(given: MechanismBudget, d: int, comparison: MechanismComparison) -> Iterator[str]:
    """Each mechanism in full, its numbers rounded the safe way."""
    bound = f"|theta| <= {given.reward_bound}"
    loss = "the sum over pairs of log(1 + exp(-<theta, x>))"
    yield (
        f"all three: x = phi(preferred) - phi(other), |phi| <= 1 (clip longer ones). "
        f"{PROTECTED[given.adjacency]}. Noise is normal, independent in each coordinate. "
        "Minimisers are exact and numbers real: neither a solver's tolerance nor the rounding of "
        "floating point is paid for"
    )
    recipe = objective_recipe(given, d, comparison.objective)
    yield (
        f"{OBJECTIVE}: release the exact minimiser over {bound} of {loss} + <b, theta> + "
        f"{recipe.ridge:g}/2 |theta|^2, b of deviation {recipe.deviation:g}; private by "
        "docs/explanations/objective_perturbation.md"
    )
    recipe = output_recipe(given, d, comparison.output)
    yield (
        f"{OUTPUT}: take the exact minimiser over {bound} of {loss} + {recipe.ridge:g}/2 "
        f"|theta|^2, release it with noise of deviation {recipe.deviation:g}; the minimiser moves "
        f"by at most D/{recipe.ridge:g}, D = {recipe.distance:g}: a Gaussian mechanism of shift at "
        f"most "
        f"{recipe.shift:g} (docs/explanations/mechanism_comparison.md)"
    )
    recipe = descent_recipe(given, d, comparison.descent)
    steps, step = comparison.descent.steps, 1 / comparison.largest
    yield (
        f"{DESCENT}: begin at theta = 0; {steps} times take away {step:.4g} times (the gradient of "
        f"{loss} + noise of deviation {recipe.deviation:g}), then project on {bound}; release the "
        f"mean of the last {kept_steps(steps)}. The step length must not be chosen from the data. "
        f"A gradient moves by at most D = {recipe.distance:g}: {steps} Gaussian mechanisms "
        f"composed exactly, of shift at most {recipe.shift:g} together"
    )


def _write_table(request: MechanismRequest, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    comparisons_by_place = {
        (epsilon, d, n_pairs): compared(
            MechanismBudget(epsilon, TABLE_DELTA, request.reward_bound, request.adjacency),
            n_pairs, d, request.replicates, request.seed,
        )
        for epsilon in EPSILONS
        for d in FEATURES
        for n_pairs in PAIRS
    }  # fmt: skip
    lines = [
        (*place, _said(comparison), *_cells(comparison))
        for place, comparison in comparisons_by_place.items()
    ]
    places = [
        world
        for comparison in comparisons_by_place.values()
        for world in comparison.values()
        if _learns(comparison)
    ]
    better = sum(
        comparison.over_least(OUTPUT) < comparison.over_least(OBJECTIVE) for comparison in places
    )
    behind = max(
        world.over_least(OBJECTIVE)
        for comparison in comparisons_by_place.values()
        for world in comparison.values()
    )
    page = folder / "which_mechanism.md"
    numbers = (TABLE_DELTA, request.reward_bound, behind, better, len(places))
    write_whole(page, mechanism_page(lines, *numbers, request.adjacency))
    return page


def _learns(comparisons: dict[str, MechanismComparison]) -> bool:
    return all(comparison.learns for comparison in comparisons.values())


def _said(comparisons: dict[str, MechanismComparison]) -> str:
    return advised(comparisons) if _learns(comparisons) else f"({advised(comparisons)})"


def _cells(comparisons: dict[str, MechanismComparison]) -> list[str]:
    """For each world: error without privacy, least private error, and each over the least."""
    cells = []
    for comparison in comparisons.values():
        over = " / ".join(f"{comparison.over_least(name):.2f}" for name in comparison.errors)
        cells.append(f"{comparison.without_privacy:.2g} → {comparison.least:.2g}")
        cells.append(over)
    return cells
