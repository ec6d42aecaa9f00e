"""Recipes of which_mechanism, from the printed digits alone: none is above δ.

δ is recomputed at 60 digits from closed forms, and D by brute force over records.
"""

import re

import mpmath
import numpy as np
import pytest
from scipy.special import expit

from repro.commands import which_mechanism as mechanism_choice
from repro.commands.process.command import status_of
from repro.labels.privacy.adjacency import ADD_REMOVE, ADJACENCIES, REPLACE
from repro.p3.curator.axis_world import even_world, multi_scale_world
from repro.p3.private_estimates.comparison import STEPS, MechanismComparison
from repro.p3.private_estimates.linearised_errors import (
    TYPICAL,
    MechanismBudget,
    spectrum,
    tuned_objective,
    tuned_output,
)
from repro.p3.private_estimates.noisy_descent import noisy_descent
from repro.p3.private_estimates.three_estimates import LENGTH

NUMBER = r"(\d[\d.]*(?:e[+-]\d+)?)"
PATTERNS = (
    rf"^objective .*? {NUMBER}/2 \|theta\|\^2, b of deviation {NUMBER};",
    rf"^output .*? {NUMBER}/2 \|theta\|\^2, release it with noise of deviation {NUMBER};"
    rf".* at most D/{NUMBER}, D = {NUMBER}: .* shift at most {NUMBER} ",
    rf"^gradient .*?; {NUMBER} times .* deviation {NUMBER}\).* D = {NUMBER}:"
    rf".* shift at most {NUMBER} together",
)


def asked(rng):
    """ε, δ, B, adjacency, d and n over all that the command takes, d ≤ 64."""
    epsilon, delta = 10 ** rng.uniform(-6, 2), 10 ** rng.uniform(-100, -1)
    bound, d = 10 ** rng.uniform(-2, np.log10(20)), int(2 ** rng.uniform(0, 6))
    n_pairs, adjacency = int(10 ** rng.uniform(1, 7)), ADJACENCIES[rng.integers(2)]
    return MechanismBudget(epsilon, delta, bound, adjacency), d, n_pairs


def printed(given, d, n_pairs, steps, world):
    """The command's three lines for mechanisms tuned on a world, as numbers."""
    found = spectrum(world(d, LENGTH, 0.9 * given.reward_bound), n_pairs)
    one = MechanismComparison(
        {}, 0.0, 0.0, tuned_objective(given, found), tuned_output(given, found),
        noisy_descent(given.epsilon, given.dp_delta, given.records(d), steps), n_pairs / d,
    )  # fmt: skip
    _, *lines = mechanism_choice._recipes(given, d, one)
    return numbers(lines)


def numbers(lines):
    found = []
    for pattern, line in zip(PATTERNS, lines, strict=True):
        match = re.search(pattern, line)
        assert match is not None, line
        found.append([mpmath.mpf(one) for one in match.groups()])
    return found


def normal_delta(shift, epsilon):
    """δ(ε) of a Gaussian shift."""
    first, second = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift
    return mpmath.ncdf(first) - mpmath.exp(epsilon) * mpmath.ncdf(second)


def distance(given, d):
    """Largest distance of gradients sigmoid(⟨y, θ⟩)·y of two records, |y| ≤ 2, |θ| ≤ bound.

    Of one record and none where one is added or removed.
    """
    found, bound = 0.0, given.reward_bound
    angle = np.array([0.0, np.pi]) if d == 1 else np.linspace(0, np.pi, 241)
    length = np.linspace(0, 2, 241)
    for radius in np.linspace(0, bound, 25):
        reach = (length * expit(length * radius * np.cos(angle)[:, None])).max(1)
        one, other = reach[:, None], reach * (given.adjacency == REPLACE)
        squares = one**2 + other**2 - 2 * one * other * np.cos(angle[:, None] + angle)
        found = max(found, float(np.sqrt(squares.max())))
    return found


def half_angle(ratio):
    """Half angle of the circle of a radius inside a rhombus of side 1, from its corner."""
    found = 0.0
    for opening in np.linspace(0, np.pi, 4001)[:-1]:
        one = np.exp(1j * opening / 2)
        rest = np.roots([1, 2 * np.cos(opening), 1 - ratio**2]).real.max()
        if 0 <= rest <= 1:
            found = max(found, abs(np.angle(one + rest * one.conjugate())))
    return found


def objective_delta(ridge, deviation, given, d):
    """Parts 1 and 2 of docs/explanations/objective_perturbation.md for pairs.

    A record that is added has its gradient on one segment: printed_privacy.md.
    """
    far = mpmath.mpf(distance(given, d))
    single = 2 / (1 + mpmath.exp(-2 * mpmath.mpf(given.reward_bound)))
    left, shift = mpmath.mpf(given.epsilon) - mpmath.log1p(1 / ridge), far / deviation
    if given.adjacency == ADD_REMOVE:
        return normal_delta(single / deviation, left)
    assert left >= shift**2 / 2
    if d == 1:
        return 2 * normal_delta(shift, left)
    free = shift * mpmath.sqrt(2 * mpmath.pi) * mpmath.exp(left)
    free *= mpmath.ncdf(-left / shift - shift / 2)
    points = normal_delta(shift, left) + 2 * normal_delta(single / deviation, left)
    return min(free, points + mpmath.mpf(half_angle(float(far / single))) / mpmath.pi * free)


def shares(given, d, recipes):
    """δ of the three printed recipes over what was asked."""
    epsilon, delta = mpmath.mpf(given.epsilon), mpmath.mpf(given.dp_delta)
    objective, output, descent = recipes
    ridge, deviation = objective
    yield objective_delta(ridge, deviation, given, d) / delta
    ridge, deviation, again, far, shift = output
    assert ridge == again
    assert far >= distance(given, d)
    assert far / (ridge * deviation) <= shift
    yield normal_delta(shift, epsilon) / delta
    steps, deviation, far, shift = descent
    assert far >= distance(given, d)
    assert mpmath.sqrt(steps) * far / deviation <= shift
    yield normal_delta(shift, epsilon) / delta


def test_no_printed_recipe_is_above_delta(thorough):
    rng = np.random.default_rng(0)
    found = []
    with mpmath.workdps(60):
        for _ in range(100 if thorough else 8):
            given, d, n_pairs = asked(rng)
            steps, world = rng.choice(STEPS), (even_world, multi_scale_world)[rng.integers(2)]
            recipes = printed(given, d, n_pairs, int(steps), world)
            found.append([float(share) for share in shares(given, d, recipes)])
    found = np.array(found)
    assert found.max() <= 1
    # A tenth of a percent of noise: the rest of δ that the rounding leaves unused is small.
    assert (found[:, 1:] > 0.5).all()
    assert found[:, 0].max() > 0.5


CONDITIONS = {
    REPLACE: ("replaced by any other (adjacency=replace)", "added or removed"),
    ADD_REMOVE: ("added or removed (adjacency=add_remove). A replaced pair needs",),
}


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("d", [1, 4])
def test_the_recipe_of_an_answer_is_complete(capsys, d, adjacency):
    words = ["epsilon=1.471", "delta=1e-6", "n_pairs=1e5", f"num_features={d}", "reward_bound=.5"]
    words += [f"adjacency={adjacency}", "replicates=20", "verbose=true"]
    assert status_of(mechanism_choice.main, words) == 0
    said = re.sub(r"\n  ", " ", capsys.readouterr().out).splitlines()
    given = MechanismBudget(1.471, 1e-6, 0.5, adjacency)
    lines = [line for line in said if re.match(r"(objective|output|gradient) [a-z]+: ", line)]
    with mpmath.workdps(60):
        found = [float(share) for share in shares(given, d, numbers(lines))]
    assert max(found) <= 1
    assert min(found) > 0.5
    (conditions,) = [line for line in said if line.startswith("all three: ")]
    for word in ("|phi| <= 1", *CONDITIONS[adjacency], "Minimisers are exact"):
        assert word in conditions
    assert all("|theta| <= 0.5" in line for line in lines)
    step = 4 * d / (1e5 * TYPICAL**2)
    assert f"times take away {step:.4g} times" in lines[2]
