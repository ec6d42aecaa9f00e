"""What the tests of all theorems share: in test_NAME.py every fixture is about theorem NAME."""

import sys
from pathlib import Path

import numpy as np
import pytest

import repro
from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.cli.composition import compose_values
from repro.core import privacy_claims
from repro.core.worlds import put
from repro.privacy.central_noise import NO_NOISE
from repro.study import plan
from repro.study.config import Overrides
from repro.study.discovery import find
from repro.study.experiment import Setting
from repro.study.settings import session_of
from repro.study.stream import stream

FEW = ("compute.workers=1", "budget.replicates=40", "budget.blocks=5")
KEEPERS = ("repro.", "theorems.")
"""Modules that keep worlds, bounds and mechanisms: stale once the library is patched."""


@pytest.fixture(scope="module")
def slug(request):
    """Name of the theorem: test_NAME.py is about NAME."""
    return request.path.stem.removeprefix("test_")


@pytest.fixture(scope="module")
def smoke(slug):
    """The whole experiment at budget=smoke, once a file."""
    return repro.run(slug, budget="smoke", overrides=["compute.workers=1"])


@pytest.fixture(scope="module")
def small_run(slug):
    """The whole experiment with a few replicates; the attackers' pilots are small too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(privacy_claims, "PILOT", 20_000)
        yield repro.run(slug, budget="smoke", overrides=FEW)
    forget()


def forget():
    """Build worlds, bounds and mechanisms anew from here on."""
    kept = [module for name, module in sys.modules.items() if name.startswith(KEEPERS)]
    for function in [one for module in kept for one in vars(module).values()]:
        if hasattr(function, "cache_clear"):
            function.cache_clear()


@pytest.fixture(scope="module")
def by_name():
    """Run → what was judged, by name of the row."""
    return lambda run: {item.check.name: item for item in run.result.checks}


@pytest.fixture(scope="module")
def surprises():
    """Run → rows that came out otherwise than pinned, and controls that were not caught."""

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
def trials_of(plan_of):
    """The same → the trials, by name of the row."""
    return lambda *words, **values: {t.row.name: t for t in plan_of(*words, **values).trials}


@pytest.fixture
def contradicted_rows(plan_of):
    """Names of the rows that are pinned as contradicted."""
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
def measured(trials_of):
    """Values of every method of a row at one grid value."""

    def at(name, value, replicates, key=None):
        trial = trials_of()[name]
        case = trial.cases[trial.grid.index(value)]
        return trial.row.measure.of(case, stream(0, *(key or (name, value))), replicates)

    return at


@pytest.fixture
def means(measured):
    """Mean of every method of a row at one grid value."""

    def at(name, value, replicates=40):
        return {m: found.mean() for m, found in measured(name, value, replicates).items()}

    return at


@pytest.fixture
def exponents(trials_of, measured):
    """Exponent of each method of a row between the first and the last grid value."""

    def of(name, replicates=40):
        trial = trials_of()[name]
        ends = [trial.grid[0], trial.grid[-1]]
        first, last = (measured(name, value, replicates) for value in ends)
        length = np.log(ends[1] / ends[0])
        return {
            m.name: float(np.log(np.nanmean(last[m.name]) / np.nanmean(first[m.name])) / length)
            for m in trial.methods
        }

    return of


@pytest.fixture
def with_and_without(trials_of):
    """Mean of a row's method at the first grid value, as it is and with a stage replaced."""

    def of(name, stage, instead, method):
        both = (trials_of()[name], trials_of(f"stages.{stage}={instead}")[name])
        return [t.row.measure.of(t.cases[0], stream(0, "stage"), 20)[method].mean() for t in both]

    return of


@pytest.fixture
def of_the_truth(trials_of):
    """Five values of a row's method that is told the truth."""

    def of(name, method):
        trial = trials_of("stages.estimate=the_truth")[name]
        return trial.row.measure.of(trial.cases[0], stream(0, "truth"), 5)[method]

    return of


@pytest.fixture
def mechanism_without_noise(slug):
    """Mechanism and claim of a privacy row whose central noise is taken away."""

    def of(name):
        kind = find(slug)
        config = validate(kind.config_type, compose_values(slug, {})["theorem"])
        setting = Setting(
            Overrides(), {"kind": "linear"}, "cpu", Path("unused"), {"noise": NO_NOISE}
        )
        trial = next(trial for trial in kind(config, setting).trials if trial.row.name == name)
        world = trial.cases[0]
        found = trial.row.method.run(world)
        return found if isinstance(found, tuple) else (found, world.claimed)

    return of


@pytest.fixture
def nothing_is_private(mechanism_without_noise):
    """Assert that a privacy row without its noise is seen to protect nothing."""

    def of(name):
        mechanism, claim = mechanism_without_noise(name)
        assert mechanism.exact_delta(claim.epsilon) == 1
        assert mechanism.exact_epsilon(claim.dp_delta) == np.inf
        rng = np.random.default_rng(0)
        assert mechanism.scores(rng, False, 3).tolist() == [0, 0, 0]
        assert mechanism.scores(rng, True, 3).tolist() == [1, 1, 1]

    return of


@pytest.fixture(scope="session")
def values_at():
    """(experiment, check, numbers, seed) → by algorithm, one replicate on its world with those."""

    def of(experiment, name, numbers, seed=0):
        trial = next(one for one in experiment.trials if one.row.name == name)
        swept, rng = trial.swept, np.random.default_rng(seed)
        with trial.building():
            world = put(swept.sweep.worlds[0], numbers)
            found = swept.check.quantity.values([world], swept.algorithms, [rng], 1, [world])[0]
        names = [one.__name__ for one in swept.algorithms]
        return {one: float(values[0]) for one, values in zip(names, found, strict=True)}

    return of


@pytest.fixture
def verdict_of(slug):
    """Verdict of one row, run alone."""

    def of(row, *words, **values):
        more = ["compute.workers=1", *words]
        run = repro.run(slug, budget="smoke", only=[row], overrides=more, **values)
        return run.result.checks[0].outcome.verdict

    return of


@pytest.fixture
def taken_away(verdict_of):
    """Verdicts of a row as it is, and with stages replaced."""
    return lambda row, **stages: (verdict_of(row), verdict_of(row, stages=stages))


@pytest.fixture
def turned(verdict_of, monkeypatch):
    """Verdicts of a row before and after the library is broken.

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
