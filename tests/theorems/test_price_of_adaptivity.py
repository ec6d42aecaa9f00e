"""The price of adaptivity end to end: what grows, what does not, and by which exponents."""

import pytest

from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of


@pytest.mark.parametrize(
    ("check", "slope"),
    [("free_ctl", 0.5), ("free_ltc", 0.5), ("log_free_ctl", 0.5), ("free_corruption_ltc", 2),
     ("known_ctl", -0.25), ("known_ltc", -0.25), ("capped_ctl", -0.25), ("capped_ltc", -0.25),
     ("capped_corruption_ctl", 1),
     ("order_unknown", 1), ("printed_ltc", 0.5), ("range", 0.5)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.02)


def test_the_best_alpha_free_tuning_loses_the_sixth_root_of_n(smoke, by_name):
    assert by_name(smoke)["price"].outcome.numbers["slope"] == pytest.approx(1 / 6, abs=0.02)


def test_lemmas_are_attained_and_theorems_have_little_slack(smoke, by_name):
    found = {name: check.outcome.numbers["max_ratio"] for name, check in by_name(smoke).items()
             if "max_ratio" in check.outcome.numbers}  # fmt: skip
    assert min(found["inverse_slope"], found["least_squares"]) > 0.98
    assert min(found["meta"], found["cap"]) > 0.2
    assert min(found["imitated"], found["imitated_log"]) > 0.5


def test_the_gap_is_divided_by_the_whole_printed_bound(smoke, by_name):
    """e^(2R)·V/R is 2e² here; the catalogue quotes these numbers."""
    means = by_name(smoke)["printed_ctl"].outcome.series.means
    assert means[[0, -1]] == pytest.approx([0.1234, 4.07], rel=1e-3)


@pytest.mark.parametrize(
    "word",
    ["theorem.worlds.ctl.corruption=0.2", "theorem.sweeps.printed_ctl.grid=[1e5,1e6,1e7]"],
    ids=["at its ceiling", "too few labels"],
)
def test_outside_the_regime_of_theorem_2_an_assumption_fails(word):
    words = ["only=printed_ctl", "tracking=none", word]
    session = session_of(compose_values("price_of_adaptivity", {}, words))
    assert not all(one.holds for one in built(session.plan).assumptions())


def test_labels_too_few_for_a_range_of_shares_are_refused(refused):
    refused(r"n_pairs=50: allowed: at least 3.79e\+10", "n_pairs=50")
