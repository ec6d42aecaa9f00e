"""P4's Tables 1 and 2 on a tiny model, for a few steps, and what happens when it is broken."""

import json

import numpy as np
import pytest
import torch

from repro.core.worlds import put
from repro.labels.corruption.orders import Order
from repro.llm.training import objectives
from repro.study import plan
from repro.study.composition import compose_values
from repro.study.settings import session_of

WORLD = (
    "data.n_pairs=96", "data.held_out=16", "model.tiny.width=16", "procedure.sft.epochs=1",
    "procedure.sampling.prompts=8", "small_steps=0.004", "procedure.sampling.max_new_tokens=6",
)  # fmt: skip
SMALL = (
    *(f"theorem.worlds.release.{one}" for one in WORLD),
    "budget=smoke",
    "budget.replicates=20",
    "budget.blocks=5",
    "tracking=none",
    "compute.workers=1",
)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    pytest.importorskip("transformers")
    values = compose_values("llm_rdpo", {}, SMALL)
    folder = tmp_path_factory.mktemp("run")
    return plan.built(session_of({**values, "output_dir": str(folder)}).plan)


@pytest.fixture
def measured(values_at):
    def of(experiment, name, epsilon=0.5, seed=0):
        return values_at(experiment, name, {"epsilon": epsilon}, seed)

    return of


@pytest.mark.parametrize("name", ["win_rate", "win_rate_at_equal_length"])
def test_win_rates_are_shares(experiment, name, measured):
    assert all(0 <= rate <= 1 for rate in measured(experiment, name).values())


def test_no_control_is_the_baseline_of_its_row(experiment, measured):
    """A difference of a method and itself is 0 whatever is broken, and catches nothing."""
    for name in ("table_1", "ranking"):
        assert "dpo" not in measured(experiment, name)
    assert set(measured(experiment, "ranking")) == {"rdpo", "label_flipped"}


def test_swapping_orders_turns_the_gap(experiment, measured):
    found = measured(experiment, "table_2")
    assert found["orders_swapped"] == -found["rdpo"]
    assert set(found) == {"rdpo", "orders_swapped"}


def test_margins_of_wrong_losses_are_wrong(experiment, measured):
    found = measured(experiment, "margin", epsilon=1.0)
    assert found["label_flipped"] == pytest.approx(-found["rdpo"], rel=0.2)
    assert found["dpo"] == pytest.approx(found["rdpo"] * np.tanh(0.5), rel=0.2)


def test_adamw_forgets_the_scale_and_plain_steps_keep_it(experiment, measured):
    found = measured(experiment, "same_under_adamw")
    assert found["adamw"] == pytest.approx(1.0, abs=0.1)
    assert found["sgd"] == pytest.approx(1 / np.tanh(0.25), rel=0.05)


def test_the_same_stream_gives_the_same_numbers(experiment, measured):
    assert measured(experiment, "table_1") == measured(experiment, "table_1")


def test_steps_too_large_are_failed_replicates(experiment, tmp_path, measured):
    folder = tmp_path
    values = compose_values(
        "llm_rdpo", {}, [*SMALL, "theorem.worlds.release.procedure.preference.learning_rate=1e15"]
    )
    other = plan.built(session_of({**values, "output_dir": str(folder)}).plan)
    assert all(np.isnan(value) for value in measured(other, "ranking").values())


def test_as_published_fails_the_assumption(experiment, tmp_path):
    folder = tmp_path
    values = compose_values("llm_rdpo", {}, [*SMALL, "theorem.worlds.release.variant=as_published"])
    other = plan.built(session_of({**values, "output_dir": str(folder)}).plan)
    failed = [a.name for a in other.assumptions() if not a.holds]
    assert failed == [f"{one.name} fine-tuning sees no label" for one in other.swept]
    assert all(a.holds for a in experiment.assumptions())


@pytest.mark.parametrize(("order", "rate"), [(Order.CTL, 0.4020), (Order.LTC, 0.4398)])
def test_masks_flip_at_the_rate_of_the_appendix(experiment, order, rate):
    swept = experiment.swept[0]
    with experiment.building():
        world = put(swept.sweep.worlds[0], {"epsilon": 0.5})
        truth = world.study.splits.train.labels
        coins = torch.from_numpy(np.random.default_rng(0).random((400, len(truth))))
        flipped = world.masked(coins, order) != truth
    assert float(flipped.double().mean()) == pytest.approx(rate, abs=0.01)


def test_a_run_writes_a_verdict_and_no_text_of_the_pairs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("transformers")
    import sys

    import repro.commands.run as entry

    monkeypatch.chdir(tmp_path)
    entry._statuses.clear()
    words = ["repro", "theorem=llm_rdpo", *SMALL, "only=[ranking]", "hydra.run.dir=run"]
    monkeypatch.setattr(sys, "argv", words)
    assert entry.main(sys.argv[1:]) in (0, 1)
    verdict = json.loads((tmp_path / "run" / "verdict.json").read_text())
    assert [check["name"] for check in verdict["checks"]] == ["ranking"]
    assert {c["name"] for c in verdict["controls"]} == {"label_flipped"}
    kept = [p for p in (tmp_path / "run").rglob("*") if p.suffix in (".json", ".yaml")]
    assert not any("insur" in p.read_text() for p in kept)
    assert not (tmp_path / "outputs" / "llm").exists()


def test_labels_turned_round_turn_the_verdict(turned):
    pytest.importorskip("transformers")

    def wrong(right, difference, label, epsilon):
        return right(difference, -label, epsilon)

    row = "same_under_adamw"
    found = turned(row, objectives, "debiased_loss", wrong, *SMALL[: len(WORLD)], replicates=20)
    assert found == ("supported", "contradicted")
