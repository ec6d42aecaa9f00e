"""From a grid point of P2's fast rates to its case: tabular and linear plug-in policies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import torch

from repro.corruption.orders import Order
from repro.estimators.mixture_mle import mixture_mle
from repro.families.chipo.algorithms_plugin import PluginStudy
from repro.instances.linear import LinearWorld
from repro.policies.gibbs import gibbs_suboptimality
from repro.preferences.label_counts import LabelCounts, draw_label_counts
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.label_cases import HuberCase, LabelCase
from repro.study.row import Method, Values, method


@dataclass(frozen=True, eq=False, kw_only=True)
class FastRateCase(LabelCase):
    """What tabular and linear cases share.

    Attributes:
        estimate: (fitted, truth) → what the estimator returns.
    """

    estimate: Estimate = as_fitted


@dataclass(frozen=True, eq=False, kw_only=True)
class PluginCase(HuberCase, FastRateCase):
    """S equally likely states with two responses.

    Attributes:
        num_states, difference, kl_weight: S, Δ and β.
    """

    num_states: int
    difference: float
    kl_weight: float

    @cached_property
    def study(self) -> PluginStudy:
        """The policy and its data at this point."""
        return PluginStudy(
            self.num_states,
            self.difference,
            self.kl_weight,
            self.horizon,
            self.reports,
            self.estimate,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearPluginCase(FastRateCase):
    """A linear class of rewards; β is the world's."""

    world: LinearWorld

    def draw(self, rng: np.random.Generator, replicates: int) -> LabelCounts:
        """R datasets of T privatised labels."""
        return draw_label_counts(
            rng, self.world.cell_prob, self.world.reward_diff, self.horizon, self.epsilon,
            replicates, self.labels, self.channel,
        )  # fmt: skip

    def gap(self, counts: LabelCounts, assumed_epsilon: float) -> np.ndarray:
        """(R,) J_β(π*) − J_β(π̂) of the plug-in policy whose likelihood assumes a budget."""
        world = self.world
        fitted = mixture_mle(counts, world.feature_diff, assumed_epsilon, world.radius)
        theta = self.estimate(fitted, world.theta)
        error = torch.einsum("sad,rd->rsa", world.features, theta - world.theta)
        gaps = gibbs_suboptimality(
            world.optimal_policy, error / world.kl_weight, world.state_prob, world.kl_weight
        )
        return gaps.cpu().numpy()


def plugin_gap(case: PluginCase, method: Method, rng: np.random.Generator, replicates: int):
    """(R,) regularised gap of ``method.run(study, stream, replicates)``."""
    return method.run(case.study, rng, replicates)


def linear_gaps(case: LinearPluginCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) regularised gaps on the same datasets, ``method.run(ε)`` the budget assumed."""
    counts = case.draw(rng, replicates)
    return {m.name: case.gap(counts, m.run(case.epsilon)) for m in case.methods}


@method
def plugin(study: PluginStudy, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The plug-in policy."""
    return study.simulate(rng, replicates)


@method
def any_algorithm(study: PluginStudy, rng: np.random.Generator, replicates: int) -> float:
    """The gap that no algorithm beats on both of two worlds with the same reports."""
    return _best_worst_gap(study)


_best_worst_gap = lru_cache(maxsize=256)(PluginStudy.best_worst_gap)
"""Exact, so once for all blocks."""


@method
def inverted_kl_weight(study: PluginStudy, rng, replicates: int) -> np.ndarray:
    """Wrong: the policy uses 1/β."""
    return study.simulate(rng, replicates, policy_weight=1 / study.kl_weight)


@method
def without_adversary(study: PluginStudy, rng, replicates: int) -> np.ndarray:
    """Wrong for a floor: labels are only privatised."""
    return _with_reports(study, corruption=0.0).simulate(rng, replicates)


@method
def corruption_after_privacy(study: PluginStudy, rng, replicates: int) -> np.ndarray:
    """Wrong for CTL: corruption comes second."""
    return _with_reports(study, order=Order.LTC).simulate(rng, replicates)


@method
def corruption_before_privacy(study: PluginStudy, rng, replicates: int) -> np.ndarray:
    """Wrong for LTC: corruption comes first."""
    return _with_reports(study, order=Order.CTL).simulate(rng, replicates)


def undebiased(study: PluginStudy, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: reports are taken for labels."""
    return study.simulate(rng, replicates, removed_cost=1.0)


naive_likelihood = Method("naive_likelihood", undebiased, privacy_mistake=True)
without_privacy_cost = Method("without_privacy_cost", undebiased, privacy_mistake=True)


def _with_reports(study: PluginStudy, **changes) -> PluginStudy:
    return replace(study, reports=replace(study.reports, **changes))
