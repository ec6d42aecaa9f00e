"""Every experiment of P4: each row measures, the assumptions hold, bad input is refused."""

from __future__ import annotations

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.cli.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of

SLUGS = (
    "ctl_ltc_separation",
    "estimation_l2",
    "estimation_weighted",
    "rlhf_reduction",
    "rlhf_relative_condition",
    "rlhf_uniform_coverage",
    "dpo_reduction",
    "private_robust_dpo",
    "concentration_lemmas",
    "label_masks",
    "rdpo_identity",
)


def experiment(slug: str, folder, *overrides: str):
    values = compose_values(slug, {"budget": "smoke"}, overrides)
    return built(session_of({**values, "output_dir": str(folder)}).plan)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_row_measures_something_finite(slug, tmp_path):
    for trial in experiment(slug, tmp_path).trials:
        case, replicates = trial.cases[len(trial.cases) // 2], 3
        (measured,) = trial.row.measure.at([case], [np.random.default_rng(0)], replicates)
        assert set(measured) == {method.name for method in trial.methods}
        for name, values in measured.items():
            assert np.shape(values) in {(), (1,), (replicates,)}
            assert np.isfinite(values).any(), (trial.row.name, name)


@pytest.mark.parametrize("slug", SLUGS)
def test_assumptions_hold(slug, tmp_path):
    assumed = experiment(slug, tmp_path).experiment.assumptions()
    assert assumed
    assert all(one.holds for one in assumed)


@pytest.mark.parametrize("slug", ["ctl_ltc_separation", "estimation_l2", "estimation_weighted"])
def test_text_instance_has_its_own_rows(slug, tmp_path):
    found = experiment(slug, tmp_path, "instance=preference_text")
    names = [check.name for check in found.checks]
    assert names
    assert not any(name in {"ratio", "ltc_floor", "ridge"} for name in names)


def test_the_six_wrong_implementations_are_controls(tmp_path):
    checks = {c.name: c for c in experiment("ctl_ltc_separation", tmp_path).checks}
    assert set(checks["ratio_value"].controls) == {
        "no_debias", "shift_without_scale", "cost_squared", "orders_swapped", "random_flips",
        "mask_process",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("slug", "override", "message"),
    [
        ("ctl_ltc_separation", "theorem.corruption=0.5", "less than 0.5"),
        ("ctl_ltc_separation", "theorem.corruption=1e-15", "0.01 of a label"),
        ("ctl_ltc_separation", "theorem.instance_orders=[LTV,CTL]", "did you mean LTC"),
        ("ctl_ltc_separation", "theorem.instance_adversary=stong", "did you mean strong"),
        ("ctl_ltc_separation", "theorem.instance_adversary=huber", "at most 12 label cells"),
        (
            "estimation_l2",
            "theorem.probes.ltc_privacy_cost.corruption=-0.1",
            "greater than or equal to 0",
        ),
        ("estimation_weighted", "theorem.probes.fixed_mass_cost.corruption=0.7", "less than 0.5"),
        ("rlhf_reduction", "theorem.corruption=2", "less than 0.5"),
        ("rlhf_relative_condition", "theorem.corruption=0.5", r"\[0, 1/2\)"),
        ("rlhf_uniform_coverage", "n_pairs=50", "of a label"),
        ("private_robust_dpo", "theorem.corruption=0.6", "less than 0.5"),
        ("label_masks", "theorem.corruption=-1", r"\[0, 1/2\)"),
        ("dpo_reduction", "epsilon=1", "changes nothing in dpo_reduction"),
    ],
)
def test_bad_input(slug, override, message, tmp_path):
    with pytest.raises(BadInput, match=message):
        experiment(slug, tmp_path, override)
    assert not list(tmp_path.iterdir())
