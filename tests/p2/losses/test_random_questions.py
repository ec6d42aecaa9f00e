"""Random questions to plan and which_loss, answered again by code that shares nothing with them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import repro
from repro.commands import plan as planning
from tests.p2.losses.one_by_one import Instance, errors, gaps

RUNS = 150


def question(rng: np.random.Generator) -> tuple[dict, dict]:
    """A budget, a target over the gap of no labels, and the fields of an instance."""
    fields = {
        "num_states": int(rng.integers(3, 7)), "num_actions": int(rng.integers(2, 5)),
        "num_features": int(rng.integers(2, 4)), "radius": round(float(rng.uniform(2, 6)), 1),
        "seed": int(rng.integers(1, 100)), "kl_weight": round(float(rng.uniform(0.3, 1)), 2),
    }  # fmt: skip
    share = 1.2 if rng.random() < 0.15 else float(np.exp(rng.uniform(np.log(0.03), np.log(0.4))))
    return {"epsilon": round(float(rng.uniform(0.8, 3)), 2), "share": share}, fields


def instance_of(fields: dict) -> Instance:
    """The numbers of a random linear world."""
    request = planning.PlanRequest(epsilon=1.0, n_pairs=1)
    world = planning.build_plan(request, planning.world_choice(request, fields)).world
    return Instance(
        world.features.numpy(), world.reference.numpy(), world.state_prob.numpy(),
        world.theta.numpy(), float(world.kl_weight), float(world.radius),
    )  # fmt: skip


def asked(number: int, runs: int) -> tuple[str, int, float, float, float]:
    """A question, its answer, the gap of no labels, shares kept there and at 1/1.25 of it."""
    rng = np.random.default_rng([20261124, number])
    given, fields = question(rng)
    at = instance_of(fields)
    unlabelled = float(at.gap(np.zeros(len(at.theta))))
    target = float(f"{given['share'] * unlabelled:.3g}")
    answer = repro.plan(epsilon=given["epsilon"], target_gap=target, fields=fields)
    words = f"epsilon={given['epsilon']} target_gap={target:g} " + " ".join(
        f"{name}={value}" for name, value in fields.items()
    )
    if target >= unlabelled:
        return words, answer.n_pairs, unlabelled, math.nan, math.nan
    kept, fewer = (
        float((gaps(at, given["epsilon"], n, runs, rng) <= target).mean())
        for n in (answer.n_pairs, round(answer.n_pairs / 1.25))
    )
    return words, answer.n_pairs, unlabelled, kept, fewer


@pytest.mark.parametrize("number", [2, 5])
def test_the_answer_is_kept_and_no_more_than_a_quarter_above_the_need(number):
    words, n_pairs, _, kept, fewer = asked(number, RUNS)
    error = 3 * math.sqrt(0.9 * 0.1 / RUNS)
    if math.isnan(kept):
        assert n_pairs == 0, words
        return
    assert n_pairs > 0, words
    assert kept >= 0.9 - error, words
    assert fewer <= 0.9 + error, words


@pytest.mark.parametrize(("bound", "epsilon", "n_pairs"), [(2.0, 1.0, 10_000), (6.0, 4.0, 10_000)])
def test_which_loss_errs_as_labels_do(bound, epsilon, n_pairs):
    answer = repro.which_loss(epsilon=epsilon, n_pairs=n_pairs, margin=bound)
    found = errors(bound, epsilon, n_pairs, 200, np.random.default_rng(3))
    for name, error in answer.errors.items():
        assert error == pytest.approx(found[name], rel=0.2), name
    best = min(found.values())
    for name in answer.best:
        assert found[name] <= 1.1 * best, name
