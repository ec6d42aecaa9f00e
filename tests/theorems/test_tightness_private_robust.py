"""Lower bounds behind P2's and P4's claims of tightness, and what happens when it is broken."""

from dataclasses import replace

import pytest

from repro.labels.corruption.huber_reports import HuberReports
from repro.labels.corruption.orders import Order


def test_every_row_is_supported_and_every_control_is_caught(smoke, surprises, contradicted_rows):
    assert surprises(smoke) == []
    assert contradicted_rows == set()


@pytest.mark.parametrize("row", ["privacy_cost_ltc", "attained_ltc"])
def test_an_adversary_at_the_wrong_place_turns_the_verdict(turned, row):
    def always_before(right, reports, truth):
        return right(replace(reports, order=Order.CTL), truth)

    found = turned(row, HuberReports, "mean", always_before, replicates=20)
    assert found == ("supported", "contradicted")


def test_the_debiased_mean_does_not_beat_the_bound_and_is_near_it(smoke, by_name):
    """Without corruption, at every n."""
    found = {name: item.outcome.series.means for name, item in by_name(smoke).items()}
    assert (found["n_pairs"] < found["attained_n_pairs"]).all()
    assert (found["attained_n_pairs"] < 4 * found["n_pairs"]).all()
