from __future__ import annotations

import numpy as np
import pytest

from repro.core.judge import judge
from repro.core.privacy_check import Exact, PrivacyCheck, counts_of
from repro.core.results import Series
from repro.core.witness import witness_of
from repro.labels.privacy.black_box import Attack

ATTACK = Attack(1.0, 0.0, False)
RUNS = 1000


def outcome(exact_epsilon, share, other_share, claimed=0.5):
    """Two blocks of four replicates: shares from one input and its neighbour in turn."""
    values = np.tile([share, other_share], (2, 2, 2)).reshape(2, 2, 4)
    check = PrivacyCheck(
        name="audit", axis="reward_bound", grid=(1.0, 2.0), quantity="ε", method="m",
        claimed_epsilon=claimed, runs=RUNS, exact={"m": (Exact(exact_epsilon, 0.0, ATTACK),) * 2},
    )  # fmt: skip
    series = Series(np.array(check.grid), values)
    return judge(check, "m", series, 0.05)


@pytest.mark.parametrize(
    ("exact", "verdict"), [(0.5, "supported"), (0.45, "supported"), (0.6, "contradicted")]
)
def test_the_exact_epsilon_decides(exact, verdict):
    found = outcome(exact, 0.55, 0.45)
    assert found.verdict == verdict
    assert found.numbers["exact_epsilon"] == exact
    assert 0 < found.numbers["audit_lower_bound"] < exact
    assert found.numbers["runs_a_side"] == 4 * RUNS
    assert found.series.means == pytest.approx([exact, exact])


@pytest.mark.parametrize(("check_error", "miss"), [(0.05, 0.001), (1e-5, 1e-5)])
def test_the_attackers_bounds_hold_at_all_points_together(check_error, miss):
    check = PrivacyCheck(
        name="audit", axis="reward_bound", grid=(1.0, 2.0), quantity="ε", method="m",
        runs=RUNS, exact={"m": (Exact(0.5, 0.0, ATTACK), Exact(2.0, 0.25, ATTACK))},
    )  # fmt: skip
    values = np.tile([0.55, 0.45], (2, 2, 2)).reshape(2, 2, 4)
    found = judge(check, "m", Series(np.array(check.grid), values), check_error)
    bound = ATTACK.bound(counts_of(values[0], RUNS), 0.0, 1 - miss / 2)
    assert found.numbers["audit_by_point"] == [bound, bound]
    assert found.numbers["exact_delta"] == 0.25
    assert found.verdict == "contradicted"
    assert witness_of(check, found) == {"at": 2.0, "measured": 2.0, "claimed": 1.0}


def test_an_attacker_who_sees_more_than_is_possible_settles_nothing():
    assert outcome(0.4, 0.7, 0.3).verdict == "inconclusive"


def test_no_finite_epsilon_is_a_contradiction():
    found = outcome(float("inf"), 0.999, 0.001)
    assert found.verdict == "contradicted"
    assert "exact_epsilon" not in found.numbers
    assert found.series.means[0] == pytest.approx(found.numbers["audit_lower_bound"])


def test_counts_come_back_from_shares():
    counts = counts_of(np.array([[0.25, 0.5], [0.75, 0.1]]), 1000)
    assert (counts.hits, counts.trials) == (1000, 2000)
    assert (counts.other_hits, counts.other_trials) == (600, 2000)


@pytest.mark.parametrize(("share", "verdict"), [(0.55, "inconclusive"), (0.95, "contradicted")])
def test_without_an_exact_epsilon_the_attacker_can_only_refute(share, verdict):
    found = outcome(float("nan"), share, 0.45)
    assert found.verdict == verdict
    assert "exact_epsilon" not in found.numbers
