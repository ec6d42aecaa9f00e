"""P1's Table 1 on a tiny model, for a few steps, and what happens when it is broken."""

import numpy as np
import pytest

from repro import run
from repro.base.errors import BadInput
from repro.llm.experiments import pessimistic_study
from repro.study import plan
from repro.study.composition import compose_values
from repro.study.settings import session_of

WORLD = (
    "data.n_pairs=96", "data.held_out=16", "model.tiny.width=16", "procedure.sft.epochs=1",
    "procedure.sampling.prompts=8", "procedure.sampling.max_new_tokens=6", "procedure.samples=3",
    "procedure.rollouts.iterations=2",
)  # fmt: skip
SMALL = (
    *(f"theorem.worlds.release.{one}" for one in WORLD),
    "theorem.sweeps.pessimism.grid=[24,48,96]",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    def of(*words):
        values = compose_values("llm_ppkl", {}, [*SMALL, *words])
        values["output_dir"] = str(tmp_path_factory.mktemp("run"))
        return plan.built(session_of(values).plan)

    return of


@pytest.fixture(scope="module")
def experiment(built):
    pytest.importorskip("transformers")
    return built()


@pytest.fixture
def measured(values_at):
    def of(experiment, name, value=2.0):
        return values_at(experiment, name, {"n_pairs" if name == "pessimism" else "epsilon": value})

    return of


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["win_rate", "win_rate_at_equal_length", "rloo_win_rate", "dpo_baseline"]
)
def test_win_rates_are_shares(experiment, name, measured):
    assert all(0 <= rate <= 1 for rate in measured(experiment, name).values())


def test_no_control_is_the_baseline_of_its_row(experiment, measured):
    for name in ("epsilon_trend", "ranking"):
        assert "longer_is_better" not in measured(experiment, name)
    assert abs(measured(experiment, "epsilon_trend")["ppkl"]) <= 1


def test_a_likelihood_without_debiasing_falls_short(experiment, measured):
    clean = measured(experiment, "likelihood", float("inf"))
    assert clean["ppkl"] == pytest.approx(1.0)
    assert clean["label_flipped"] == pytest.approx(-1.0, rel=1e-3)


def test_pessimism_shrinks(experiment, measured):
    few, many = (measured(experiment, "pessimism", n) for n in (24.0, 96.0))
    assert few["bonus"] > 1.2 * many["bonus"] > 0
    assert many["covariance_for_sum"] > few["covariance_for_sum"] * 0.8


def test_as_published_has_no_pessimism_and_fails_its_assumptions(experiment, built, measured):
    assert all(a.holds for a in experiment.assumptions())
    published = built("theorem.worlds.release.variant=as_published")
    failed = [a.name for a in published.assumptions() if not a.holds]
    told = {one.removeprefix("ranking ") for one in failed if one.startswith("ranking ")}
    assert told == {"fine-tuning sees no label", "pessimism is positive"}
    assert [one for one in failed if one.startswith("pessimism ")] == [
        "pessimism fine-tuning sees no label"
    ]
    assert all(0 <= rate <= 1 for rate in measured(published, "win_rate").values())


def test_steps_too_large_are_failed_replicates(built, measured):
    pytest.importorskip("transformers")
    wild = built("theorem.worlds.release.procedure.preference.learning_rate=1e15")
    failed = {name: np.isnan(value) for name, value in measured(wild, "dpo_baseline").items()}
    assert failed == {"dpo": True, "dpo_flipped": True, "longer_is_better": False}


def test_too_few_pairs_for_the_grid_are_refused(built):
    with pytest.raises(
        BadInput, match=r"pessimism\.grid\.n_pairs=96.*at most data\.n_pairs, here 50"
    ):
        built("theorem.worlds.release.data.n_pairs=50")


def test_an_estimate_names_hours(built):
    pytest.importorskip("transformers")
    assert "GPU-hours" in built().estimate({"win_rate": 5, "pessimism": 5})


def test_a_short_run_has_a_verdict(tmp_path):
    pytest.importorskip("transformers")
    words = [
        *SMALL[:-1], "budget.replicates=20", "budget.blocks=5",
        "only=[ranking]", "compute.workers=1",
    ]  # fmt: skip
    found = run("llm_ppkl", budget="smoke", tracking="none", overrides=words).verdict_json
    assert found["statements"] == ["p1.tab_1", "own.order_of_methods"]
    (check,) = found["checks"]
    assert check["substitute"] == (
        "a random GPT-2 for meta-llama/Llama-3.2-1B-Instruct, generated pairs for Anthropic/hh-rlhf"
    )
    assert {c["name"] for c in found["controls"]} == {"label_flipped"}


def test_a_bonus_of_the_summed_covariance_turns_the_verdict(turned):
    pytest.importorskip("transformers")

    def wrong(right, first, second, *more):
        share = len(first) ** -0.5
        return right(share * first, share * second, *more)

    more = [
        *SMALL[1:-1],
        "theorem.worlds.release.data.n_pairs=512",
        "theorem.sweeps.pessimism.grid=[128,256,512]",
    ]
    found = turned("pessimism", pessimistic_study, "feature_bonus", wrong, *more, replicates=20)
    assert found == ("supported", "contradicted")
