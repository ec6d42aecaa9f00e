"""The event on which P1's bonus is optimistic, and what happens when it is broken."""

import numpy as np

from repro.families.online_kl.algorithms_linear import LinearLearner


def test_only_the_cap_of_one_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == {"cap_one"}


def test_off_the_event_the_bonus_bounds_nothing(trials_of):
    """With labels that know nothing the event fails, and the row has nothing to support it."""
    trials = trials_of("stages.bonus=none", "only=[regret_by_bonus]", budget="smoke")
    trial = trials["regret_by_bonus"]
    (at,) = trial.row.measure.at(trial.cases[:1], [np.random.default_rng(0)], 3)
    assert np.isnan(at["linear_class"]).all()
    assert (at["shrunken_bonus"] > 1).all()


def test_a_shrunken_uncertainty_turns_the_verdict(turned):
    def wrong(right, self, policy):
        return 0.02 * right(self, policy)

    found = turned(
        "optimism_linear", LinearLearner, "uncertainty", wrong, replicates=400, blocks=20
    )
    assert found == ("supported", "contradicted")
