"""P2's square XPO, and what happens when its implementation is broken."""

from repro.labels.corruption.label_mean import NOBODY
from repro.labels.corruption.orders import Order
from repro.p2.xpo import worst_reward
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of


def test_the_printed_sign_and_small_rewards_are_pinned_as_contradicted(contradicted_rows):
    small = {"small_rewards_printed", "small_rewards_growth"}
    assert contradicted_rows == {"printed_sign", *small}


def test_bad_numbers_are_one_line(refused):
    refused("ladder", "theorem.sweeps.horizon.ladder.high=2")


def test_corruption_first_turns_the_verdict(turned):
    def wrong(right, *setting):
        return right(*setting[:-1], Order.CTL)

    found = turned("floor_cost_ltc", worst_reward, "released_mean", wrong)
    assert found == ("supported", "contradicted")


def test_a_sweep_of_alpha_may_lose_its_adversary():
    values = compose_values("square_xpo", {"budget": "smoke", "only": ["corruption_ctl"]})
    values = {**values, "output_dir": "unused", "stages": {"adversary": NOBODY}}
    (swept,) = built(session_of(values).plan).swept
    assert {world.adversary for world in swept.measured} == {NOBODY}
