"""Costs of P3's parts: free of n by counts, and the dual over many policies at once."""

import numpy as np
import pytest
import torch

from repro.p3.curator.axis_world import multi_scale_world
from repro.p3.curator.choice_sets import ChoiceSetWorld
from repro.p3.curator.policy_table import all_choices, pessimistic_values


@pytest.mark.parametrize("n_pairs", [10**3, 10**12])
def test_rankings_cost_the_same_at_any_n(benchmark, n_pairs):
    world = ChoiceSetWorld(multi_scale_world(8, 2.0, 0.9), 4)
    benchmark.extra_info["replicates"] = 10
    loss, _ = benchmark(lambda: world.draw(np.random.default_rng(0), n_pairs, 10))
    assert loss.met.shape[0] == 10


def test_inner_minimum_of_a_thousand_policies(benchmark):
    u, eye = all_choices(10).double(), torch.eye(10, dtype=torch.float64)
    centre, matrix = torch.full((4, 10), 0.3, dtype=torch.float64), eye.expand(4, -1, -1)
    benchmark.extra_info["replicates"] = 4
    values = benchmark(lambda: pessimistic_values(u, centre, matrix, 0.5, 1.0))
    assert values.shape == (4, 1024)
