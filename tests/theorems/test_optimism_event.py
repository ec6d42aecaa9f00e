"""The event on which P1's bonus is optimistic, and what happens when it is broken."""

import numpy as np

from repro.p1.pokl import runs


def test_only_the_cap_of_one_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == {"cap_one"}


def test_off_the_event_the_bonus_bounds_nothing(swept_of):
    """With labels that know nothing the event fails, and the row has nothing to support it."""
    words = ("stages.optimism=none", "only=[regret_by_bonus]")
    at = swept_of(*words, budget="smoke")["regret_by_bonus"].at(0, np.random.default_rng(0), 3)
    assert np.isnan(at["linear_class"]).all()
    assert (at["shrunken_bonus"] > 1).all()


def test_a_missing_debias_turns_the_verdict(turned):
    def wrong(right, epsilon):
        return 1.0

    found = turned("reward_error", runs, "label_signal", wrong)
    assert found == ("supported", "contradicted")
