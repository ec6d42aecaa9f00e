"""P4's Tables 1 and 2 on a tiny model, for a few steps, and what happens when it is broken."""

import dataclasses
import json

import numpy as np
import pytest

from repro.cli.composition import compose_values
from repro.study import plan
from repro.study.settings import session_of
from repro.training import objectives

SMALL = (
    "theorem.data.n_pairs=96", "theorem.data.held_out=16", "theorem.model.tiny.width=16",
    "theorem.procedure.sft.epochs=1", "theorem.procedure.sampling.prompts=8",
    "theorem.small_steps=0.004",
    "theorem.procedure.sampling.max_new_tokens=6", "budget=smoke", "budget.replicates=20",
    "budget.blocks=5", "tracking=none", "compute.workers=1",
)  # fmt: skip


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    pytest.importorskip("transformers")
    values = compose_values("llm_rdpo", {}, SMALL)
    folder = tmp_path_factory.mktemp("run")
    return plan.built(session_of({**values, "output_dir": str(folder)}).plan).experiment


def measured(experiment, name, epsilon=0.5, seed=0):
    trial = next(one for one in experiment.trials if one.row.name == name)
    case = dataclasses.replace(trial.cases[0], epsilon=epsilon)
    found = trial.row.measure.of(case, np.random.default_rng(seed), 1)
    assert set(found) == {method.name for method in trial.methods}
    return {method: float(values[0]) for method, values in found.items()}


@pytest.mark.parametrize("name", ["win_rate", "win_rate_at_equal_length"])
def test_win_rates_are_shares(experiment, name):
    assert all(0 <= rate <= 1 for rate in measured(experiment, name).values())


def test_no_control_is_the_baseline_of_its_row(experiment):
    """A difference of a method and itself is 0 whatever is broken, and catches nothing."""
    for name in ("table_1", "ranking"):
        assert "dpo" not in measured(experiment, name)
    assert set(measured(experiment, "ranking")) == {"rdpo", "label_flipped"}


def test_swapping_orders_turns_the_gap(experiment):
    found = measured(experiment, "table_2")
    assert found["orders_swapped"] == -found["rdpo"]
    assert set(found) == {"rdpo", "orders_swapped"}


def test_margins_of_wrong_losses_are_wrong(experiment):
    found = measured(experiment, "margin", epsilon=1.0)
    assert found["label_flipped"] == pytest.approx(-found["rdpo"], rel=0.2)
    assert found["dpo"] == pytest.approx(found["rdpo"] * np.tanh(0.5), rel=0.2)


def test_adamw_forgets_the_scale_and_plain_steps_keep_it(experiment):
    found = measured(experiment, "same_under_adamw")
    assert found["adamw"] == pytest.approx(1.0, abs=0.1)
    assert found["sgd"] == pytest.approx(1 / np.tanh(0.25), rel=0.05)


def test_the_same_stream_gives_the_same_numbers(experiment):
    assert measured(experiment, "table_1") == measured(experiment, "table_1")


def test_steps_too_large_are_failed_replicates(experiment, tmp_path):
    folder = tmp_path
    wild = experiment.config.procedure.preference.model_copy(update={"learning_rate": 1e15})
    values = compose_values(
        "llm_rdpo", {}, [*SMALL, "theorem.procedure.preference.learning_rate=1e15"]
    )
    other = plan.built(session_of({**values, "output_dir": str(folder)}).plan).experiment
    assert other.config.procedure.preference == wild
    assert all(np.isnan(value) for value in measured(other, "ranking").values())


def test_as_published_fails_the_assumption(experiment, tmp_path):
    folder = tmp_path
    values = compose_values("llm_rdpo", {}, [*SMALL, "theorem.variant=as_published"])
    other = plan.built(session_of({**values, "output_dir": str(folder)}).plan).experiment
    assert [a.name for a in other.assumptions() if not a.holds] == ["fine-tuning sees no label"]
    assert all(a.holds for a in experiment.assumptions())


def test_a_run_writes_a_verdict_and_no_text_of_the_pairs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("transformers")
    import sys

    import repro.__main__ as entry

    monkeypatch.chdir(tmp_path)
    entry._statuses.clear()
    words = ["repro", "theorem=llm_rdpo", *SMALL, "only=[ranking]", "hydra.run.dir=run"]
    monkeypatch.setattr(sys, "argv", words)
    assert entry.main() in (0, 1)
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
    found = turned(row, objectives, "debiased_loss", wrong, *SMALL[:-5], replicates=20)
    assert found == ("supported", "contradicted")
