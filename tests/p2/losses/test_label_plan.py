"""The planner against simulation in held-out settings, and against exact floors."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.commands import plan as command
from repro.commands.process.command import status_of
from repro.labels.corruption.orders import Order
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.p1.pessimism.gap_constants import gap_constant
from repro.p2.losses.label_plan import LabelPlan, NoAnswer, kept_from
from repro.worlds.instances.linear import random_linear_world


def world(seed, **changes):
    sizes = {"num_states": 5, "num_actions": 3, "num_features": 3, "kl_weight": 0.5, "radius": 1.0}
    return random_linear_world(**(sizes | changes), theta_share=0.6, seed=seed)


HELD_OUT = [
    pytest.param(LabelPlan(world(101)), 0.5, 0.01, id="mixture"),
    pytest.param(LabelPlan(world(102, radius=4.0), "debiased"), 2.0, 0.02, id="debiased"),
    pytest.param(LabelPlan(world(103, kl_weight=1.0), "square", 0.02), 1.0, 0.003, id="square-ctl"),
]


@pytest.mark.parametrize(("plan", "epsilon", "target"), HELD_OUT)
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_at_least_the_share_asked_for_keeps_the_promise(plan, epsilon, target, confidence):
    asked = replace(plan, confidence=confidence)
    labels, fewest = asked.labels_for(target, epsilon)
    fresh = replace(plan, replicates=4000, seed=999).gaps(labels, epsilon) <= target
    assert fresh.mean() >= confidence
    assert fewest <= labels <= 2 * fewest
    # nor is it promised by far too many labels
    with_less = replace(plan, replicates=4000, seed=998).gaps(0.7 * fewest, epsilon) <= target
    assert with_less.mean() < confidence


def test_the_mean_is_no_promise():
    plan, epsilon, target = LabelPlan(world(101)), 0.5, 0.01
    labels = plan.constant(epsilon) / target
    assert plan.measure(labels, epsilon).high < target
    assert not plan.keeps(target, labels, epsilon)[1]


def test_the_strictest_epsilon_gives_the_gap_back():
    plan = LabelPlan(world(104))
    epsilon = plan.epsilon_for(0.01, 20_000)
    assert plan.promised(20_000, epsilon, stage=7) == pytest.approx(0.01, rel=0.1)
    assert not plan.keeps(0.01, 20_000, 0.95 * epsilon)[0]


def test_no_label_is_asked_for_where_none_is_needed():
    plan = LabelPlan(world(104), replicates=100)
    policy, here = plan.world.reference, plan.world
    lost = (here.optimal_policy - policy) * here.reward
    kept = here.optimal_policy * torch.log(here.optimal_policy / policy)
    exact = float((here.state_prob @ (lost - here.kl_weight * kept)).sum())
    assert plan.gap_of_no_labels == pytest.approx(exact)
    assert plan.labels_for(exact * 1.001, 0.5) == (0, 0)
    assert plan.epsilon_for(exact * 1.001, 5) == 0.0
    assert plan.labels_for(exact * 0.999, 0.5)[0] > 0
    assert (plan.gaps(0, 0.5) == plan.gap_of_no_labels).all()
    # corruption hides the target, and no label is needed for it all the same
    corrupted = replace(plan, corruption=0.3, order=Order.LTC)
    assert corrupted.floor(0.5) > exact
    assert corrupted.labels_for(exact * 1.001, 0.5) == (0, 0)


def test_the_answer_is_where_the_promise_is_kept_from_then_on():
    plan = LabelPlan(world(104), replicates=400, confidence=0.5)
    assert plan.promised(10, 0.5) > plan.promised(1, 0.5)  # a quantile that rises with n
    target = 0.8 * plan.gap_of_no_labels
    labels, fewest = plan.labels_for(target, 0.5)
    later = np.unique(np.geomspace(labels, 64 * labels, 13).round())
    assert all(plan.keeps(target, n, 0.5)[0] for n in later)
    assert not plan.keeps(target, 0.97 * labels, 0.5)[0]
    assert not plan.keeps(target, 0.9 * fewest, 0.5)[1]


def test_an_answer_is_never_the_end_of_a_bracket():
    assert kept_from(lambda x: x >= 37, 6400.0, 1.0) == pytest.approx(37, rel=0.01)
    assert kept_from(lambda x: x >= 37 or x < 9, 6400.0, 1.0) == pytest.approx(37, rel=0.01)
    # 178 was a hundredth of the large-sample guess
    plan = LabelPlan(world(109, kl_weight=0.05), replicates=400, confidence=0.5)
    target = 0.98 * plan.gap_of_no_labels
    labels, _ = plan.labels_for(target, 0.5)
    assert not plan.keeps(target, labels / 1.05, 0.5)[0]
    # nor is a question refused that 1e14 labels answer
    patient = LabelPlan(world(109), replicates=100)
    assert 1e14 < patient.labels_for(patient.constant(1.0) / 1e14, 1.0)[0] < 1e15


def test_the_large_sample_constant_is_that_of_fisher_information():
    here = world(105)
    assert LabelPlan(here).constant(0.7) == pytest.approx(gap_constant(here, 0.7), rel=1e-5)
    by_cost, by_constant = LabelPlan(here).clean_equivalent(10_000, 0.7)
    assert by_constant == pytest.approx(by_cost, rel=0.1)


def test_questions_that_no_number_answers():
    corrupted = LabelPlan(world(106), "square", 0.05, Order.LTC)
    with pytest.raises(NoAnswer, match="corrupted labels leave"):
        corrupted.labels_for(1e-5, 1.0)
    with pytest.raises(NoAnswer, match="more than 1e15"):
        LabelPlan(world(106)).labels_for(1e-16, 1.0)
    with pytest.raises(NoAnswer, match="without privacy"):
        LabelPlan(world(106)).epsilon_for(1e-6, 100)


def test_no_method_is_promised_less_than_the_twins_allow():
    plan = LabelPlan(world(107), "square", 0.05)
    floor, least = plan.floor(1.0), plan.floor_of_any_method(1.0)
    assert 0 < least <= floor
    assert plan.measure(10**9, 1.0).value == pytest.approx(floor, rel=0.02)
    assert LabelPlan(world(107)).floor_of_any_method(1.0) == 0.0


def test_no_twin_is_outside_of_the_class(monkeypatch):
    """With so much corruption labels alone would hide twins six times as far from the origin."""
    norms, between = [], LabelPlan._between

    def seen(plan, twin, share):
        norms.append(float(twin.norm()))
        return between(plan, twin, share)

    monkeypatch.setattr(LabelPlan, "_between", seen)
    plan = LabelPlan(world(107), "square", 0.4)
    assert plan.floor_of_any_method(1.0) > 0
    assert 0.99 < max(norms) <= plan.world.radius


@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_the_twin_could_send_the_same_labels(order, monkeypatch):
    """It moves win probabilities by all that corrupted labels can hide, and stops there."""
    twins, between = [], LabelPlan._between

    def seen(plan, twin, share):
        twins.append(twin)
        return between(plan, twin, share)

    monkeypatch.setattr(LabelPlan, "_between", seen)
    plan = LabelPlan(world(108), "square", 0.05, order)
    least = plan.floor_of_any_method(1.0)
    reach, here, twin = plan.risk(1.0).reach, plan.world, twins[-1]
    moved = torch.sigmoid(here.feature_diff @ twin) - torch.sigmoid(here.reward_diff)
    assert float(moved.abs().max()) == pytest.approx(reach * 0.05 / 0.95, rel=2e-3)
    gaps = between(plan, twin, 0.5)
    assert least == pytest.approx(max(gaps), rel=0.15)
    halfway = (here.theta + twin) / 2
    assert float(plan.gap(halfway[None])[0]) == pytest.approx(gaps[0])


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("epsilon=1 target_gap=0.05 replicates=100", 0, "n_pairs = "),
        ("epsilon=1 n_pairs=5000 replicates=100 loss=square", 0, "gap = "),
        ("target_gap=0.05 n_pairs=5000 replicates=100", 0, "epsilon = "),
        ("epsilon=1 n_pairs=5000 corruption=0.01 replicates=100", 0, "floor = "),
        ("epsilon=1 target_gap=1e-6 corruption=0.05 replicates=100", 3, "without labels it is"),
        ("epsilon=1 target_gap=0.7", 0, "n_pairs = 0: no label is needed"),
        ("n_pairs=50 target_gap=0.7", 0, "epsilon = 0: no label is needed"),
        ("epsilon=0.1 n_pairs=50 replicates=100", 0, "these labels do not pay"),
        ("epsilon=1", 2, "give two of"),
        ("epsilon=-1 target_gap=0.1", 2, "epsilon=-1:"),
        ("epsilon=1 target_gap=0.1 corruption=0.5", 2, "corruption=0.5"),
        ("epsilon=1 target_gap=0.1 los=square", 2, "did you mean loss?"),
        ("epsilon=1 target_gap=0.1 instance=preference_text instance.seed=3", 2, "instance.seed=3"),
        ("epsilon=1 target_gap=0.1 instance.num_features=0", 2, "instance.num_features=0"),
        ("epsilon=1 target_gap=0.1 instance.path=x.jsonl", 2, "instance.path=x.jsonl"),
        ("epsilon=1 target_gap=0.1 instance.kind=linear", 2, "instance.kind=linear"),
        ("epsilon=1 target_gap=0.1 confidence=1", 2, "confidence=1:"),
        ("epsilon=1 target_gap=0.1 loss=rdpo", 2, "loss=debiased is its name here"),
        ("epsilon=1 target_gap=0.1 loss=private", 2, "loss=mixture is its name here"),
        ("epsilon=1 target_gap=0.1 confidence=0.99 replicates=100", 2, "replicates=100"),
    ],
)
def test_the_command_answers_or_refuses_in_one_line(words, status, said, capsys):
    assert status_of(command.main, words.split()) == status
    printed = capsys.readouterr()
    text = printed.err if status else printed.out
    assert said in text
    assert status == 0 or text.count("\n") == 1


def test_the_command_can_change_the_instance(capsys):
    words = "epsilon=inf n_pairs=2000 kl_weight=1 instance.seed=9 replicates=100"
    assert status_of(command.main, words.split()) == 0
    out = capsys.readouterr().out
    assert "clean labels" not in out
    assert "assumed world: instance=linear num_states=6" in out
    assert "kl_weight=1 seed=9" in out
    assert math.isfinite(float(out.split("gap = ")[1].split()[0]))


def test_the_user_s_own_pairs_are_the_world(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.jsonl"
    with path.open("w") as file:
        for pair in synthetic_pairs(80):
            record = {"prompt": pair.prompt, "chosen": pair.chosen, "rejected": pair.rejected}
            file.write(json.dumps(record) + "\n")
    words = f"epsilon=1 n_pairs=1e5 replicates=100 instance.path={path}"
    assert status_of(command.main, words.split()) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"assumed world: instance=preference_text path={path}" in out


def test_the_function_gives_the_numbers_that_the_command_prints(capsys):
    assert status_of(command.main, ["epsilon=1", "target_gap=0.05", "replicates=100"]) == 0
    found = command.plan(epsilon=1, target_gap=0.05, replicates=100)
    out = capsys.readouterr().out
    assert f"{found!r}\n" == out
    assert max(map(len, out.splitlines())) <= 80
    assert found.fewest_pairs is not None
    assert found.fewest_pairs < found.n_pairs
    assert found.gap.high < 0.05
    assert found.share is not None
    assert found.share >= 0.9
    assert found.floor == found.floor_of_any_method == 0.0
    assert found.clean_labels < found.n_pairs
    clean = found.n_pairs / privacy_cost(1.0) ** 2
    said = " ".join(out.split())
    worth = f"{found.n_pairs} private labels are worth {found.clean_labels:.0f} clean labels to"
    assert worth in said
    assert f"they are worth {clean:.0f} " in said
    assert "value that a policy loses against the best policy, in units of reward" in said


def test_the_function_takes_fields_of_the_instance(capsys):
    words = ["epsilon=1", "n_pairs=2000", "replicates=100", "instance.seed=9"]
    assert status_of(command.main, words) == 0
    found = command.plan(epsilon=1, n_pairs=2000, replicates=100, fields={"seed": 9})
    assert f"{found!r}\n" == capsys.readouterr().out
    assert found.world.partition(";")[0].endswith("seed=9")


def test_a_gap_that_is_kept_is_printed_rounded_up():
    found = command.plan(epsilon=1, n_pairs=2000, replicates=100)
    assert "labels, at most 0.1235 in" in " ".join(repr(replace(found, kept=0.12341)).split())


def test_the_function_refuses_as_the_command_does():
    with pytest.raises(BadInput, match="give two of"):
        command.plan(epsilon=1)
    with pytest.raises(BadInput, match="sead"):
        command.plan(epsilon=1, n_pairs=2000, fields={"sead": 3})
    with pytest.raises(NoAnswer, match="no number of labels"):
        command.plan(epsilon=1, target_gap=1e-6, corruption=0.05, replicates=100)


def test_a_long_question_says_how_long(capsys, monkeypatch):
    monkeypatch.setattr(command, "SOON", 0.0)
    assert status_of(command.main, ["epsilon=1", "n_pairs=5000", "replicates=100"]) == 0
    told = capsys.readouterr().err
    assert told.startswith("plan: simulation 1 of at most about ")
    assert told.endswith(" s left\n")


def test_a_short_question_says_nothing(capsys):
    assert status_of(command.main, ["epsilon=1", "target_gap=0.7"]) == 0
    assert capsys.readouterr().err == ""


def test_few_datasets_decide_where_they_can():
    seen = []
    plan = LabelPlan(world(104), watch=lambda datasets, seconds: seen.append(datasets))
    far, near = 0.5 * plan.gap_of_no_labels, plan.labels_for(0.002, 1.0)[0]
    assert plan.keeps(far, 10**7, 1.0) == (True, True)
    assert plan.keeps(1e-9, 10**4, 1.0) == (False, False)
    assert seen[-2:] == [200, 200]
    plan.keeps(0.002, 0.99 * near, 1.0)
    assert seen[-2:] == [200, 1000]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("epsilon=1.4719 n_pairs=1e4", "next: repro which_loss epsilon=1.4719 n_pairs=10000 "),
        (
            "epsilon=2 n_pairs=1e4 corruption=0.01 order=ltc loss=square",
            "next: repro which_loss epsilon=2 n_pairs=10000 corruption=0.01 order=ltc then: "
            "repro privatize PAIRS OUT.jsonl epsilon=2",
        ),
        ("epsilon=0.001 n_pairs=10", "next: ask again with more labels or a larger epsilon"),
        ("epsilon=inf n_pairs=1e4", "next: ask again with the epsilon that you can promise"),
        ("epsilon=1 target_gap=0.9", ""),
    ],
)
def test_the_answer_ends_with_what_to_type_next(question, line, capsys):
    assert status_of(command.main, [*question.split(), "replicates=100"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "next: " not in said if not line else said.rpartition("next: ")[2].startswith(line[6:])
