"""The exponents of c(ε) at every α: the law of docs/explanations/separation_at_any_size.md."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from repro.core.needs import Need, needs_of
from repro.p4.corruption_floors.closed_forms import (
    rare_dpo,
    rare_estimation,
    rare_greedy,
    rare_pessimism,
)
from repro.p4.corruption_floors.one_cell import (
    Certain,
    Strong,
    dpo_at,
    estimation_at,
    greedy_at,
    pessimism_at,
)
from repro.p4.corruption_floors.rare_pairs import (
    MARGIN_SHARES,
    WEIGHT,
    rare_dpo_at,
    rare_estimation_at,
    rare_greedy_at,
    rare_pessimism_at,
)
from repro.p4.corruption_floors.two_orders import (
    by_huber,
    by_strong,
    closed_ratio,
    dpo_closed,
    estimation_closed,
    greedy_closed,
    of_rare,
    pessimism_closed,
)
from repro.p4.minimax.modulus import saturation
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of
from theorems.ctl_ltc_separation import THEOREM


def exponent_at(truth: float, error: float) -> float:
    """d ln F/d ln Z of the floor F(Z) = logit(σ(h) + Z/m) − h, at h = ``truth`` and F = ``error``.

    It is the mean of σ′ over [h, h+F] over σ′(h+F), in closed form
    sinh(F)/F + tanh(h/2)·(cosh F − 1)/F = 1 + ½·tanh(h/2)·F + F²/6 + …
    """
    half = math.sinh(error / 2) ** 2 * 2
    return math.sinh(error) / error + math.tanh(truth / 2) * half / error


PAGE = Path(__file__).parents[3] / "docs/explanations/separation_at_any_size.md"
COSTS = np.array([1.04, 1.7, 3, 6, 12, 40])
SHARES = (1e-10, 1e-7, 1e-6, 1e-4, 1e-3, 3e-3, 1e-2)
BOUND, END = 2.0, math.sqrt(2.0)
MARGINS = (MARGIN_SHARES * BOUND).tolist()


def strong(share):
    return Strong(share, 0.9)


TWELVE = {
    "ratio": lambda a, z: estimation_at(strong(a), z, 0.3, 4.0),
    "ratio_huber": lambda a, z: estimation_at(Certain(a), z, 0.0, 4.0),
    "ratio_rlhf": lambda a, z: greedy_at(strong(a), z, 3.9),
    "ratio_rlhf_huber": lambda a, z: greedy_at(Certain(a), z, 3.9),
    "ratio_pessimism": lambda a, z: pessimism_at(strong(a), z, (1e-5, 1.0)),
    "ratio_pessimism_huber": lambda a, z: pessimism_at(Certain(a), z, (1e-6, 1e-2)),
    "ratio_dpo": lambda a, z: dpo_at(Strong(a, 0.25), z, 0.88, 1.76, 0.5),
    "ratio_dpo_huber": lambda a, z: dpo_at(Certain(a), z, 0.02, 4.0, 0.5),
    "root_estimation": lambda a, z: rare_estimation(z * a, BOUND, 0.5),
    "root_greedy": lambda a, z: rare_greedy(z * a, BOUND, 0.5),
    "root_pessimism": lambda a, z: rare_pessimism(z * a, BOUND, 0.5, MARGINS),
    "root_dpo": lambda a, z: rare_dpo(z * a, END, WEIGHT * END, 0.02, (a / 2, min(0.5, 2e4 * a))),
}


def cell(floor, share):
    """Least-squares slope in c over ε from 4 down, and the largest c that is left."""
    found = np.array([floor(share, cost) for cost in COSTS])
    there = np.isfinite(found)
    if there.sum() < 3:
        return "–"
    slope = np.polyfit(np.log(COSTS[there]), np.log(found[there]), 1)[0]
    text = f"{abs(slope):.3f}".replace("0.", ".", 1) if slope < 0.9995 else f"{slope:.3f}"
    return text if there.all() else f"{text} (c ≤ {COSTS[there].max():g})"


CLOSED = {
    "exact_estimation": by_strong(estimation_closed),
    "exact_estimation_huber": by_huber(estimation_closed),
    "exact_greedy": by_strong(greedy_closed),
    "exact_greedy_huber": by_huber(greedy_closed),
    "exact_pessimism": by_strong(pessimism_closed),
    "exact_pessimism_huber": by_huber(pessimism_closed),
    "exact_dpo": by_strong(dpo_closed),
    "exact_dpo_huber": by_huber(dpo_closed),
    "exact_root_estimation": of_rare(rare_estimation_at),
    "exact_root_greedy": of_rare(rare_greedy_at),
    "exact_root_pessimism": of_rare(rare_pessimism_at),
    "exact_root_dpo": of_rare(rare_dpo_at),
}


def test_the_combinations_without_a_closed_form_are_those_the_page_names():
    values = {**compose_values("ctl_ltc_separation", {}), "output_dir": "unused"}
    swept = built(session_of(values).plan).swept
    exact = [one for one in swept if one.name.startswith("exact_")]
    worlds = [(one.name, world) for one in exact for world in one.sweep.worlds]
    passed_over = {
        (name, world.corruption): sum(
            math.isnan(closed_ratio(world, CLOSED[name], epsilon)) for epsilon in world.epsilons
        )
        for name, world in worlds
    }
    assert sum(len(world.epsilons) for _, world in worlds) == 308
    assert {key: count for key, count in passed_over.items() if count} == {
        ("exact_pessimism", 3e-3): 1,
        ("exact_pessimism", 1e-2): 3,
        ("exact_pessimism_huber", 1e-2): 1,
        ("exact_root_estimation", 1e-2): 1,
        ("exact_root_greedy", 1e-2): 2,
        ("exact_root_pessimism", 1e-3): 1,
        ("exact_root_pessimism", 1e-2): 4,
    }
    assert "at 295 of the 308 combinations" in PAGE.read_text("utf-8")


def table():
    rows = ((name, *(cell(floor, share) for share in SHARES)) for name, floor in TWELVE.items())
    return ["| " + " | ".join(row) + " |" for row in rows]


def test_the_table_of_the_page_is_what_the_closed_forms_give():
    written = [line for line in PAGE.read_text().splitlines() if re.match(r"\| (ratio|root)", line)]
    assert written == table()


def test_the_twelve_are_the_slope_rows_and_each_notices_what_is_taken_away():
    rows = {check.name: check for check in THEOREM.checks}
    needed = {Need.LABELS, Need.PRIVACY, Need.ADVERSARY, Need.ORDER}
    for name in TWELVE:
        assert needed <= set(needs_of("ctl_ltc_separation", name))
        assert rows[name].claim.tolerance == 0.02
        twin = name.replace("ratio_", "exact_").replace("root_", "exact_root_")
        assert twin.replace("rlhf", "greedy").replace("ratio", "exact_estimation") in {
            *rows, "exact_huber",
        }  # fmt: skip


h, error = sp.symbols("h F", positive=True)


def test_the_law_is_an_identity():
    sigma = 1 / (1 + sp.exp(-h))
    end = sigma.subs(h, h + error)
    mean = (end - sigma) / (error * sp.diff(sigma, h).subs(h, h + error))
    law = sp.sinh(error) / error + sp.tanh(h / 2) * (sp.cosh(error) - 1) / error
    assert sp.simplify((mean - law).rewrite(sp.exp)) == 0
    series = 1 + sp.tanh(h / 2) * error / 2 + error**2 / 6
    assert sp.simplify(sp.series(law, error, 0, 3).removeO() - series) == 0


def test_the_law_is_between_its_bounds_and_grows_on_ten_thousand_random_cases():
    rng = np.random.default_rng(0)
    for truth, moved in zip(rng.uniform(0, 8, 10_000), rng.uniform(1e-3, 6, 10_000), strict=True):
        found, end = exponent_at(truth, moved), math.tanh((truth + moved) / 2) * moved
        assert 1 + math.tanh(truth / 2) * moved / 2 <= found * (1 + 1e-12)
        assert found <= math.expm1(end) / end * (1 + 1e-12)
        assert found < exponent_at(truth, 1.01 * moved)


@pytest.mark.parametrize("share", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("truth", [0.0, 0.3, 2.0])
def test_the_fitted_exponent_is_a_mean_of_local_ones(truth, share):
    errors = [estimation_at(strong(share), cost, truth, 30.0) for cost in COSTS]
    slope = np.polyfit(np.log(COSTS), np.log(errors), 1)[0]
    assert exponent_at(truth, errors[0]) <= slope <= exponent_at(truth, errors[-1])


def test_where_two_hundredths_are_certain():
    """The α of the page: E(h, F(40·α)) = 1.02."""
    for truth, share in ((0.3, 1.019e-3), (0.0, 1.92e-3)):
        last = estimation_at(strong(share), 40.0, truth, 30.0)
        assert exponent_at(truth, last) == pytest.approx(1.02, abs=1e-4)


def test_dpo_without_coverage_bends_like_x_over_sinh_x():
    floors = [rare_dpo(z, END, WEIGHT * END, 0.02, (1e-9, 1e-3)) for z in (1e-6, 1.001e-6)]
    slope = math.log(floors[1] / floors[0]) / math.log(1.001)
    step = math.sqrt(1e-6 * saturation(END)) / 0.02
    assert slope == pytest.approx(step / math.sinh(step) / 2, abs=2e-3)


if __name__ == "__main__":
    print("\n".join(table()))
