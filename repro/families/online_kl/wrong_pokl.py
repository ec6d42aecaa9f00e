"""Algorithm 2 and deliberately wrong versions of it: each makes a setting of a case."""

from __future__ import annotations

import math
from dataclasses import replace

from repro.pokl.finite import RandomFinite
from repro.pokl.linear import LeadingFeatures
from repro.families.online_kl.cases import OnlineCase
from repro.families.online_kl.run_setting import RunSetting
from repro.study.row import Method, method, privacy_mistake

EPSILON_OVERSTATED = 1.2
"""A privacy budget believed 20 % higher than it is."""
CLASS_SEED = 3
"""Of the random finite class."""


@method
def pokl(case: OnlineCase) -> RunSetting:
    """Algorithm 2 as the case describes it."""
    return case.setting


@privacy_mistake
def naive_labels(case: OnlineCase) -> RunSetting:
    """Wrong: least squares without the factor 2α−1, as if labels were clean."""
    return replace(case.setting, believed_epsilon=math.inf)


@privacy_mistake
def epsilon_overstated(case: OnlineCase) -> RunSetting:
    """Wrong: least squares assumes a budget 20 % too high."""
    return replace(case.setting, believed_epsilon=EPSILON_OVERSTATED * case.epsilon)


@method
def hidden_randomizer(case: OnlineCase) -> RunSetting:
    """Wrong: labels taken as clean have passed through randomized response at ε = 1."""
    return replace(case.setting, epsilon=1.0, believed_epsilon=math.inf)


@method
def without_exploration(case: OnlineCase) -> RunSetting:
    """Wrong: no bonus, both responses from the exploitation policy."""
    return replace(case.setting, bonus_weight=0.0)


@method
def inverted_kl_weight(case: OnlineCase) -> RunSetting:
    """Wrong: P1's β read as the weight of KL, not as its inverse."""
    return replace(case.setting, played_kl_weight=1 / case.world.kl_weight)


@method
def other_order(case: OnlineCase) -> RunSetting:
    """Wrong: the adversary acts on the other side of the randomizer."""
    return replace(case.setting, order=case.order.swapped)


@method
def frozen_features(case: OnlineCase) -> RunSetting:
    """Wrong for a sweep of d: without exploration, and only two features are ever estimated."""
    return replace(without_exploration.run(case), rewards=LeadingFeatures(2))


@method
def finite_class(case: OnlineCase) -> RunSetting:
    """Algorithm 2 over a finite class; Γ_T is that of the case's own class."""
    return replace(case.setting, rewards=RandomFinite(case.class_size, CLASS_SEED))


@method
def bonus_of_horizon(case: OnlineCase) -> RunSetting:
    """Algorithm 2 with Γ_T of each horizon."""
    return replace(case.setting, bonus_weight=case.bonus_weight(case.horizon))


@method
def bonus_without_horizon(case: OnlineCase) -> RunSetting:
    """Wrong: log(N/δ) in the place of log(T·N/δ)."""
    return replace(case.setting, bonus_weight=case.bonus_weight(1))


@method
def hundredth_bonus(case: OnlineCase) -> RunSetting:
    """Wrong: a hundredth of Γ_T; a twentieth is as good as all of it."""
    setting = case.setting
    return replace(setting, bonus_weight=setting.bonus_weight / 100)


@method
def shrunken_bonus(case: OnlineCase) -> RunSetting:
    """Wrong: a three-hundredth of Γ_T, where a hundredth still bounds the regret."""
    setting = case.setting
    return replace(setting, bonus_weight=setting.bonus_weight / 300)


linear_class = Method("linear_class", pokl.run)
"""Algorithm 2 over the linear class, where another method fits a finite one."""
