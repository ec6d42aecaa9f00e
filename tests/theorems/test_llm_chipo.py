"""P2's χPO on a tiny model, for a few steps, and what happens when it is broken."""

import math

import numpy as np
import pytest

from repro import run
from repro.llm.training import objectives
from repro.study import plan
from repro.study.composition import compose_values
from repro.study.settings import session_of

WORLD = (
    "data.n_pairs=128", "data.held_out=32", "model.tiny.width=16", "procedure.sft.epochs=1",
    "procedure.sampling.prompts=8", "procedure.sampling.max_new_tokens=6",
)  # fmt: skip
SMALL = tuple(f"theorem.worlds.release.{one}" for one in WORLD)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    def of(*words):
        values = compose_values("llm_chipo", {}, [*SMALL, *words])
        values["output_dir"] = str(tmp_path_factory.mktemp("run"))
        return plan.built(session_of(values).plan)

    return of


@pytest.fixture(scope="module")
def experiment(built):
    pytest.importorskip("transformers")
    return built()


@pytest.fixture
def measured(values_at):
    def of(experiment, name, epsilon=2.0):
        return values_at(experiment, name, {"epsilon": epsilon})

    return of


@pytest.mark.parametrize("name", ["win_rate_private", "win_rate_square"])
def test_win_rates_are_shares(experiment, name, measured):
    assert all(0 <= rate <= 1 for rate in measured(experiment, name).values())


def test_no_control_is_the_baseline_of_its_row(experiment, measured):
    for name in ("ranking_private", "ranking_square", "linear_term"):
        found = measured(experiment, name)
        assert found["private" if "square" not in name else "square"] != 0
        assert all(value not in (0, 1) for value in found.values())


def test_the_linear_term_doubles_the_first_steps(experiment, measured):
    found = measured(experiment, "linear_term")
    assert found["private"] == pytest.approx(2.0, rel=0.1)
    assert found["square"] == pytest.approx(4.0, rel=0.1)


def test_first_steps_without_privacy_are_the_clean_ones(experiment, measured):
    for name, method in (("first_private", "private"), ("first_square", "square")):
        found = measured(experiment, name, math.inf)
        assert found[method] == pytest.approx(1.0)
        assert found["label_flipped"] == pytest.approx(-1.0, rel=0.1)


def test_first_steps_without_debiasing_are_off_by_the_cost(experiment, measured):
    cost = 1 / math.tanh(0.5)
    private, square = (measured(experiment, n, 1.0) for n in ("first_private", "first_square"))
    assert private["private_no_debias"] == pytest.approx(cost * private["private"], rel=0.1)
    assert square["square_no_debias"] == pytest.approx(square["square"] / cost, rel=0.1)


def test_steps_too_large_are_failed_replicates(built, measured):
    pytest.importorskip("transformers")
    wild = built("theorem.worlds.release.procedure.preference.learning_rate=1e15")
    assert all(np.isnan(value) for value in measured(wild, "ranking_square").values())


def test_assumptions_and_estimate(experiment, built):
    assert all(a.holds for a in experiment.assumptions())
    assert not all(
        a.holds for a in built("theorem.worlds.release.variant=as_published").assumptions()
    )
    assert "GPU-hours" in experiment.estimate({"linear_term": 5})


def test_a_short_run_has_a_verdict():
    pytest.importorskip("transformers")
    words = [
        *SMALL, "budget.replicates=20", "budget.blocks=5",
        "only=[linear_term]", "compute.workers=1",
    ]  # fmt: skip
    found = run("llm_chipo", budget="smoke", tracking="none", overrides=words).verdict_json
    assert found["verdict"] == "supported"
    assert [c["verdict"] for c in found["controls"]] == ["contradicted"]


def test_a_missing_linear_term_turns_the_verdict(turned):
    pytest.importorskip("transformers")

    def wrong(right, first, second):
        return 0 * (first - second)

    found = turned("linear_term", objectives, "_ratio_difference", wrong, *SMALL, replicates=20)
    assert found == ("supported", "contradicted")
