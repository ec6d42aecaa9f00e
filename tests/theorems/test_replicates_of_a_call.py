"""Replicates of one call are independent, or their quantity says that they are not.

A call is cut into blocks afterwards, so its intervals are right only if its replicates share
nothing.  Measured here: calls of a block each; what the replicates of a call share makes the
variance between calls larger than the one within them.
"""

import numpy as np
import pytest
from scipy.stats import f as fisher

from repro.core.stream import stream
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import built
from repro.study.settings import session_of

CALLS, REPLICATES, SELDOM, ROUNDING = 8, 12, 1e-7, 1e-12
"""Seldom: how rarely an independent quantity is accused; values closer than rounding are equal."""


def shared_by_call(values):
    """p-value of an F test: variance between calls against that within, all worlds together.

    Args:
        values: (G, K, R) of G worlds, K calls and R replicates; NaN where one failed.
    """
    ratios, between_df, within_df = [], 0, 0
    for world in values:
        calls = [call[np.isfinite(call)] for call in world]
        calls = [call for call in calls if len(call)]
        size = sum(map(len, calls))
        seen = np.concatenate([*calls, []])
        if len(calls) < 2 or np.ptp(seen) <= ROUNDING * np.abs(seen).max():
            continue
        if all(np.ptp(call) == 0 for call in calls):
            return 0.0
        calls = [call / np.abs(seen).max() for call in calls]  # squares stay finite
        mean = np.concatenate(calls).mean()
        between = sum(len(call) * (call.mean() - mean) ** 2 for call in calls) / (len(calls) - 1)
        within = sum(((call - call.mean()) ** 2).sum() for call in calls) / (size - len(calls))
        ratios.append(between / within)
        between_df, within_df = between_df + len(calls) - 1, within_df + size - len(calls)
    return float(fisher.sf(np.mean(ratios), between_df, within_df)) if ratios else 1.0


def calls_of(swept, theorem, calls=CALLS, replicates=REPLICATES):
    """(G, algorithms, K, R), every call on a stream of its own."""
    apart = [swept.blocks_and_draws(theorem, 0, [k], replicates)[0] for k in range(calls)]
    return np.concatenate(apart, axis=2)


def accused(slug):
    """Checks of an experiment whose replicates of a call share something, unsaid."""
    composed = compose_values(slug, {"budget": "smoke", "output_dir": "unused"})
    experiment = built(session_of(composed).plan)
    for swept in experiment.swept:
        if swept.check.quantity.draws and not swept.check.quantity.stream_per_block:
            with experiment.building():
                values = calls_of(swept, slug)
            if min(map(shared_by_call, np.moveaxis(values, 1, 0))) < SELDOM:
                yield swept.name


@pytest.mark.parametrize("slug", [slug for slug in slugs() if not find(slug).extra])
@pytest.mark.slow
def test_what_shares_something_within_a_call_says_so(slug):
    assert list(accused(slug)) == []


def test_one_number_of_a_whole_call_is_accused():
    rng = stream(0, "calls")
    noise = rng.standard_normal((3, CALLS, REPLICATES))
    common = rng.standard_normal((3, CALLS, 1))
    assert shared_by_call(noise) > 0.001
    assert shared_by_call(noise + common) < SELDOM
    assert shared_by_call(np.broadcast_to(common, noise.shape)) == 0
    assert shared_by_call(np.ones_like(noise)) == 1
    gaps = np.where(noise < 0, np.nan, noise)
    assert shared_by_call(gaps) > 0.001 > SELDOM > shared_by_call(gaps + common)
