"""P4's and P1's tables on a tiny model, for two seeds of a few steps."""

import numpy as np
import pytest

from repro.core.stream import stream
from repro.llm.experiments.contrasts import P4_CONTRASTS, Contrast
from tools import draw_p1_figure_1 as p1
from tools import draw_p1_losses as losses
from tools import p4_tables as p4

pytestmark = pytest.mark.filterwarnings("ignore")
WORLD = (
    "data.n_pairs=64", "data.held_out=16", "model.tiny.width=16", "procedure.sft.epochs=1",
    "procedure.sampling.prompts=8", "procedure.sampling.max_new_tokens=6",
)  # fmt: skip
SMALL = tuple(f"theorem.worlds.release.{one}" for one in WORLD)


@pytest.fixture(autouse=True)
def extra():
    pytest.importorskip("trl", reason="the extra llm is not installed")


@pytest.mark.slow
def test_a_seed_of_p4_has_two_arms_a_contrast_and_the_longest():
    with p4.world_of("llm_rdpo", *SMALL) as world:
        rates = np.array([[*p4.arms(world, stream(0, k))] for k in range(2)])
    assert rates.shape == (2, 2 * len(P4_CONTRASTS) + 1)
    assert ((rates >= 0) & (rates <= 100) | np.isnan(rates)).all()


def test_p4_s_optimizer_is_its_tables_4_and_trl_s_defaults():
    steps = p4.OPTIMIZERS["P4's: AdamW, 1e-6"]
    words = (f"theorem.worlds.release.procedure.preference.{one}" for one in steps)
    with p4.world_of("llm_rdpo", *SMALL, *words) as world:
        own = world.procedure.preference
    assert (own.optimizer, own.schedule, own.batch_size) == ("adamw", "linear", 8)
    assert (own.learning_rate, own.epochs, own.max_grad_norm) == (1e-6, 1, 1.0)
    assert world.procedure.kl_weight == 0.1


def test_the_table_has_the_printed_row_first_and_its_test():
    rates = np.arange(18.0).reshape(2, 9)
    rates[1, 0] = np.nan
    lines = p4.table({"ours": np.vstack([rates, rates[:1]])})
    assert len(lines) == 2 + 2 * len(P4_CONTRASTS) + 1
    assert "| printed | 59.0 ± 4.7 | 55.4 ± 1.1 | 0.16 | 16 |" in lines[2]
    assert lines[-1].endswith("1 runs diverged")
    assert "over 1,000,000" in p4.line("x", Contrast("y", 50.0, 1.0, 50.0, 1.0), 5)


@pytest.mark.slow
def test_p1_s_curves_and_rows():
    more = [
        "theorem.worlds.release.procedure.samples=3",
        "theorem.sweeps.pessimism.grid=[16,32,64]",
    ]
    with p4.world_of("llm_ppkl", *SMALL, *more) as world:
        found = [p1.one_seed(world, stream(0, k)) for k in range(2)]
    curves, beside = (np.array(part) for part in zip(*found, strict=True))
    assert curves.shape == (2, 3, 4, 3)
    assert beside.shape == (2, 2, 2)
    lines = p1.table(curves, beside)
    assert all(str(p1.PRINTED[k]) in row for k, row in zip(p1.PRINTED, lines[2:7], strict=True))
    assert ["p = " in row for row in lines[7:]] == [True] * 3
    left, right = p1.draw(curves, [8, 16, 32, 64]).axes
    assert [len(panel.lines) for panel in (left, right)] == [4, 3]
    assert all(len(panel.collections) == len(p1.EPSILONS) for panel in (left, right))


@pytest.mark.slow
def test_p1_s_losses_are_curves_by_iteration():
    more = [
        f"theorem.worlds.release.procedure.rollouts.{one}"
        for one in ("iterations=4", "responses=8", "minibatch=4")
    ]
    grid = "theorem.sweeps.pessimism.grid=[16,32,64]"
    with p4.world_of("llm_ppkl", *SMALL, *more, grid) as world:
        found = [losses.one_seed(world, stream(0, k)) for k in range(2)]
    curves, rates = (np.array(part) for part in zip(*found, strict=True))
    assert curves.shape == (2, 3, 3, 4)
    assert rates.shape == (2, 3)
    told = losses.lines(curves, rates)
    assert [line.split(":")[0] for line in told[:3]] == [
        f"PPKL by RLOO, ε = {epsilon:g}" for epsilon in losses.EPSILONS
    ]
    assert told[-1].startswith("it falls from ε = .1 to 2 by")
    panels = losses.draw(curves).axes
    assert [len(panel.lines) for panel in panels] == [3, 3, 3]
    assert [panel.get_ylabel() for panel in panels] == list(losses.PANELS)
    error = np.exp(np.log(curves[:, 0, 2]).mean(0))  # a squared error has no band below 0
    assert panels[-1].lines[0].get_ydata() == pytest.approx(error)
