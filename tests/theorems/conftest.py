"""What the tests of all theorems share: in test_NAME.py every fixture is about theorem NAME."""

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import repro
from repro.base.errors import BadInput
from repro.core.stream import stream
from repro.core.worlds import put
from repro.study import plan
from repro.study.composition import compose_values
from repro.study.settings import session_of
from tools.short_numbers import short_run

KEEPERS = ("repro.", "theorems.")
"""Modules that keep worlds, bounds and mechanisms: stale once the library is patched."""


WHOLE = {"whole", "smoke", "turned", "taken_away", "verdict_of"}
"""Fixtures that run experiments at smoke, or rows before and after the library is broken."""


@pytest.hookimpl(tryfirst=True)  # before those marked slow are left out
def pytest_collection_modifyitems(items):
    """What needs them is slow; every experiment has its short run."""
    for item in items:
        if item.path.parent.name == "theorems" and WHOLE & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def slug(request):
    """Name of the theorem: test_NAME.py is about NAME."""
    return request.path.stem.removeprefix("test_")


@pytest.fixture(scope="session")
def whole(kept_blocks):
    """Name → that experiment at budget=smoke, run once for all tests that look at it."""
    values = {"budget": "smoke", "overrides": ["compute.workers=1"], "output_dir": kept_blocks}
    return cache(lambda slug: repro.run(slug, **values))


@pytest.fixture(scope="session")
def short(kept_blocks):
    """Name → that experiment with few replicates, run once for all tests that look at it."""
    return cache(lambda slug: short_run(slug, kept_blocks))


@pytest.fixture(scope="module")
def smoke(slug, whole):
    """The whole experiment at budget=smoke."""
    return whole(slug)


def forget():
    """Build worlds, bounds and mechanisms anew from here on."""
    kept = [module for name, module in sys.modules.items() if name.startswith(KEEPERS)]
    for function in [one for module in kept for one in vars(module).values()]:
        if hasattr(function, "cache_clear"):
            function.cache_clear()


@pytest.fixture(scope="module")
def by_name():
    """Run → what was judged, by name of the check."""
    return lambda run: {item.check.name: item for item in run.result.checks}


@pytest.fixture(scope="module")
def surprises():
    """Run → checks that came out otherwise than pinned, and controls that were not caught."""

    def of(run):
        assert run.result.as_expected
        rows = [c for c in run.result.checks if c.outcome.verdict != c.check.expected]
        missed = [c for c in run.result.checks if not c.caught]
        passed = [o for c in run.result.checks for o in c.controls if o.verdict != "contradicted"]
        return [c.check.name for c in rows + missed] + [control.method for control in passed]

    return of


@pytest.fixture
def plan_of(slug, tmp_path):
    """Words and values of the command line → the built plan; nothing is measured."""

    def of(*words, **values):
        composed = compose_values(slug, values, words)
        return plan.built(session_of({**composed, "output_dir": str(tmp_path)}).plan)

    return of


@pytest.fixture
def swept_of(plan_of):
    """The same → the checks on their worlds, by name."""
    return lambda *words, **values: {one.name: one for one in plan_of(*words, **values).swept}


@pytest.fixture
def contradicted_rows(plan_of):
    """Names of the checks that are pinned as contradicted."""
    return {check.name for check in plan_of().checks if check.expected == "contradicted"}


@pytest.fixture
def refused(plan_of, tmp_path):
    """Assert that a setting is refused in one line, before anything is written."""

    def with_message(message, *words, **values):
        with pytest.raises(BadInput, match=message):
            plan_of(*words, **values)
        assert not list(tmp_path.iterdir())

    return with_message


@pytest.fixture
def measured(swept_of):
    """Values of every algorithm of a check at one grid value."""

    def at(name, value, replicates, key=None):
        swept = swept_of()[name]
        rng = stream(0, *(key or (name, value)))
        return swept.at(swept.sweep.grid.index(value), rng, replicates)

    return at


@pytest.fixture(scope="session")
def values_at():
    """(experiment, check, numbers, seed) → by algorithm, one replicate on its world with those."""

    def of(experiment, name, numbers, seed=0):
        swept = next(one for one in experiment.swept if one.name == name)
        with experiment.building():
            there = replace(swept, sweep=swept.sweep.each(lambda world: put(world, numbers)))
            found = there.at(0, np.random.default_rng(seed), 1)
        return {one: float(values[0]) for one, values in found.items()}

    return of


@pytest.fixture
def means(measured):
    """Mean of every algorithm of a check at one grid value."""

    def at(name, value, replicates=40):
        return {m: found.mean() for m, found in measured(name, value, replicates).items()}

    return at


@pytest.fixture
def exponents(swept_of, measured):
    """Exponent of each algorithm of a check between the first and the last grid value."""

    def of(name, replicates=40):
        grid = swept_of()[name].sweep.grid
        ends = [grid[0], grid[-1]]
        first, last = (measured(name, value, replicates) for value in ends)
        length = np.log(ends[1] / ends[0])
        return {
            one: float(np.log(np.nanmean(last[one]) / np.nanmean(first[one])) / length)
            for one in first
        }

    return of


@pytest.fixture
def with_and_without(swept_of):
    """Mean of an algorithm at a check's first grid value, as it is and with a stage replaced."""

    def of(name, stage, instead, algorithm):
        both = (swept_of()[name], swept_of(f"stages.{stage}={instead}")[name])
        return [one.at(0, stream(0, "stage"), 20)[algorithm].mean() for one in both]

    return of


@pytest.fixture
def of_the_truth(swept_of):
    """Five values of a check's algorithm that is told the truth."""

    def of(name, algorithm):
        swept = swept_of("stages.estimate=the_truth")[name]
        return swept.at(0, stream(0, "truth"), 5)[algorithm]

    return of


@pytest.fixture
def mechanism_without_noise(swept_of):
    """Mechanism and claim of a privacy check whose central noise is taken away."""

    def of(name):
        swept = swept_of("stages.noise=no_noise")[name]
        world = swept.measured[0]
        found = swept.check.right(world)
        return found if isinstance(found, tuple) else (found, world.claimed)

    return of


@pytest.fixture
def nothing_is_private(mechanism_without_noise):
    """Assert that a privacy check without its noise is seen to protect nothing."""

    def of(name):
        mechanism, claim = mechanism_without_noise(name)
        assert mechanism.exact_delta(claim.epsilon) == 1
        assert mechanism.exact_epsilon(claim.dp_delta) == np.inf
        rng = np.random.default_rng(0)
        assert mechanism.scores(rng, False, 3).tolist() == [0, 0, 0]
        assert mechanism.scores(rng, True, 3).tolist() == [1, 1, 1]

    return of


@pytest.fixture
def verdict_of(slug):
    """Verdict of one check, run alone."""

    def of(row, *words, **values):
        more = ["compute.workers=1", *words]
        run = repro.run(slug, budget="smoke", only=[row], overrides=more, **values)
        return run.result.checks[0].outcome.verdict

    return of


@pytest.fixture
def taken_away(verdict_of, kept_blocks):
    """Verdicts of a check as it is, and with stages replaced."""

    def of(row, **stages):
        return verdict_of(row, output_dir=kept_blocks), verdict_of(row, stages=stages)

    return of


@pytest.fixture
def turned(verdict_of, monkeypatch):
    """Verdicts of a check before and after the library is broken.

    ``wrong`` stands for the attribute ``name`` of ``owner`` from then on; it is called with what
    stood there, then with the arguments.
    """

    def by(row, owner, name, wrong, *more, replicates=40, blocks=5):
        few = [f"budget.replicates={replicates}", f"budget.blocks={blocks}"]
        right, words = getattr(owner, name), [*few, *more]
        before = verdict_of(row, *words)
        broken = lambda *args, **more: wrong(right, *args, **more)  # noqa: E731
        if isinstance(right, property):
            broken = property(lambda self: wrong(right.fget, self))
        monkeypatch.setattr(owner, name, broken)
        forget()
        return before, verdict_of(row, *words)

    yield by
    monkeypatch.undo()
    forget()
