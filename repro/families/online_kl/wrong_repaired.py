"""The corrected Algorithm 2 and versions of it that are wrong, each as a setting of a case."""

from __future__ import annotations

import math
from dataclasses import replace

from repro.pokl.bonus import ridge_of
from repro.pokl.tables import LikelihoodTables
from repro.families.online_kl.cases import OnlineCase
from repro.families.online_kl.run_setting import RunSetting
from repro.study.row import method


@method
def repaired(case: OnlineCase) -> RunSetting:
    """Γ of the case with λ = 4B² and b = min{2B, Γ·U}."""
    bound = case.world.reward_bound
    return replace(case.setting, ridge=ridge_of(bound), bonus_cap=2 * bound)


@method
def printed(case: OnlineCase) -> RunSetting:
    """Γ_T, λ and the cap of 1 as printed, for the same class."""
    return replace(case, weight=case.exploration.weight, bonus_cap=1.0).setting


@method
def repaired_less_bonus(case: OnlineCase) -> RunSetting:
    """The same estimate without exploration: what estimation alone costs."""
    return replace(repaired.run(case), bonus_weight=0.0)


@method
def a_quarter_more(case: OnlineCase) -> RunSetting:
    """Wrong for a claim about the constant: a bonus a quarter too large."""
    setting = repaired.run(case)
    return replace(setting, bonus_weight=1.25 * setting.bonus_weight)


@method
def capped_at_one(case: OnlineCase) -> RunSetting:
    """Wrong: b = min{1, Γ·U}, all else repaired."""
    return replace(repaired.run(case), bonus_cap=1.0)


@method
def tenth_of_the_bonus(case: OnlineCase) -> RunSetting:
    """Wrong: a tenth of Γ."""
    setting = repaired.run(case)
    return replace(setting, bonus_weight=setting.bonus_weight / 10)


@method
def likelihood_set(case: OnlineCase) -> RunSetting:
    """The bonus is the width of {r : Σ(1 − affinity with r̄) ≤ level}, in the place of Γ·U."""
    rewards = LikelihoodTables(likelihood_level(case))
    return replace(repaired.run(case), bonus_weight=1.0, rewards=rewards)


def likelihood_level(case: OnlineCase) -> float:
    """(√(log(N/δ) + 1) + ½)² for tables by their net of radius τ ≤ 1/T (Theorem 2)."""
    size = case.rewards(case.world).log_size(case.exploration.net_radius)
    logs = size - math.log(case.exploration.failure_prob) + 1
    return (math.sqrt(logs) + 0.5) ** 2
