"""Theorem 4.2 end to end, and what happens when its implementation is broken."""

import math
import re

import pytest

import repro
from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_law import the_truth
from repro.p1.pessimism import datasets
from repro.p1.pessimism.datasets import LinearDatasets
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of
from tests.theorems.conftest import forget
from theorems import offline_gap

FEW = ["budget.replicates=200", "compute.workers=1"]


@pytest.mark.parametrize(
    ("check", "slope"),
    [("n_pairs_no_bonus", -1), ("privacy_cost", 2), ("num_states", 1), ("coverage", 1),
     ("num_states_with_bonus", 2), ("reward_bound_eps_one", 2), ("reward_bound_eps_inf", 1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.06)


def test_the_bonus_row_is_pessimistic_and_still_of_rate_one(smoke, by_name):
    numbers = by_name(smoke)["n_pairs"].outcome.numbers
    assert -1.03 < numbers["slope"] < -0.95


@pytest.mark.parametrize(
    ("check", "stages"),
    [("n_pairs_beyond_bonus", {"estimate": the_truth}), ("constant_with_bonus", {"pessimism": 0.0}),
     ("constant_with_bonus", {"pessimism": -1.0}), ("num_states_with_bonus", {"pessimism": 0.0}),
     ("bonus_used", {"estimate": the_truth}), ("pessimism", {"pessimism": -1.0})],
)  # fmt: skip
def test_what_was_once_deaf_notices(taken_away, check, stages):
    before, after = taken_away(check, **stages)
    assert before == "supported" != after


def broken(only):
    """A quick run of some checks with the library patched; what it keeps is forgotten."""
    forget()
    try:
        return repro.run("offline_gap", budget="smoke", only=only, overrides=FEW)
    finally:
        forget()


def test_a_missing_debias_turns_the_verdict(monkeypatch):
    """Drop the debiasing inside the library itself, not in a control."""
    right = LinearDatasets.fit
    monkeypatch.setattr(LinearDatasets, "fit", lambda self, epsilon: right(self, math.inf))
    done = broken(["n_pairs", "privacy_cost", "constant"])
    verdicts = {item.outcome.verdict for item in done.result.checks}
    assert verdicts == {"contradicted"}
    assert not done.result.as_expected


def test_flipped_labels_turn_the_verdict(monkeypatch, by_name):
    right = datasets.draw_label_counts

    def flipped(*args):
        counts = right(*args)
        return LabelCounts(counts.pairs, counts.pairs - counts.wins)

    monkeypatch.setattr(datasets, "draw_label_counts", flipped)
    done = broken(["n_pairs_no_bonus"])
    assert by_name(done)["n_pairs_no_bonus"].outcome.verdict == "contradicted"


def test_no_bonus_at_all_is_seen_by_its_own_rows(monkeypatch, by_name):
    monkeypatch.setattr(LinearDatasets, "bonus", lambda self: 0 * self.world.reference)
    done = by_name(broken(["bonus_covers", "pessimism"]))
    assert done["bonus_covers"].outcome.verdict == "contradicted"
    assert done["pessimism"].outcome.verdict == "contradicted"


def test_real_feature_geometry_has_the_same_slopes(by_name):
    done = repro.run("offline_gap", instance="preference_text", budget="smoke")
    found = {name: item.outcome.verdict for name, item in by_name(done).items()}
    assert set(found.values()) == {"supported"}
    assert all(item.caught for item in done.result.checks)


def test_without_privacy(by_name):
    done = repro.run("offline_gap", budget="smoke", epsilon=float("inf"), only=["n_pairs_no_bonus"])
    assert by_name(done)["n_pairs_no_bonus"].outcome.verdict == "supported"


def test_a_batch_of_sizes_equals_one_size_at_a_time():
    import numpy as np

    from repro.core.stream import stream

    values = {**compose_values("offline_gap", {}), "output_dir": "unused"}
    experiment = built(session_of(values).plan)
    for swept in (one for one in experiment.swept if one.sweep.axis == "n_pairs"):
        grid, worlds = swept.sweep.grid, swept.measured
        rngs = [stream(5, swept.name, value) for value in grid]
        given = worlds, swept.algorithms, rngs, 7, swept.sweep.worlds
        together = swept.check.quantity.values(*given)
        for point, value in enumerate(grid):
            alone = swept.at(point, stream(5, swept.name, value), 7)
            assert [*alone] == [algorithm.__name__ for algorithm in swept.algorithms]
            found = np.array([*alone.values()])
            np.testing.assert_allclose(together[point], found, rtol=1e-6, atol=1e-16)


@pytest.mark.parametrize(
    ("overrides", "checks", "verdict"),
    [
        (["reward_class=box"], {"n_pairs_no_bonus": "supported", "constant": "supported"}, None),
        (["reward_class=finite", "theorem.worlds.instance.scale=1"], {"bonus_covers": "supported"},
         None),
        (["reward_class=finite"], {"bonus_covers": "contradicted", "constant": "contradicted"},
         "a neighbourhood of the truth in the selected class"),
        (["reward_class=box", "reward_class.half_width=0.3"], {"constant": "contradicted"},
         "the truth in the selected class"),
    ],
)  # fmt: skip
def test_a_selected_class(overrides, checks, verdict, by_name):
    """A box with room around the truth has the ball's limits, a finite or small one has not."""
    done = repro.run("offline_gap", budget="smoke", only=[*checks], overrides=[*FEW, *overrides])
    assert {name: one.outcome.verdict for name, one in by_name(done).items()} == checks
    failing = [one.name.partition(" ")[2] for one in done.result.assumptions if not one.holds]
    assert verdict in (failing or [None])
    assert (done.result.verdict == "assumption_failed") is (verdict is not None)


@pytest.mark.parametrize("check", ["n_pairs", "n_pairs_no_bonus", "n_pairs_beyond_bonus"])
@pytest.mark.parametrize("first", [1000, 3000])
def test_a_grid_from_the_named_number_of_labels_on_has_enough(check, first):
    [words] = too_few_labels(check, first)
    named = re.search(r"(\S+) labels are enough", words)
    assert named is not None
    assert too_few_labels(check, float(named[1])) == []
    assert too_few_labels(check, 0.8 * float(named[1])) != []


def too_few_labels(check, first):
    """What the assumption about n says of a check whose grid begins at ``first``."""
    grid = f"theorem.sweeps.{check}.grid=[{first},1e12,1e13]"
    values = {**compose_values("offline_gap", {}, [grid]), "output_dir": "unused"}
    experiment = built(session_of(values).plan)
    [swept] = (one for one in experiment.swept if one.name == check)
    return [
        detail
        for name, holds, detail in offline_gap.assumes(swept)
        if name.endswith("rate to show") and not holds
    ]
