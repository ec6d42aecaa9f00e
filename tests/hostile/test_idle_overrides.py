"""Every experiment: a number that is given changes a world, or is refused in one line."""

import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.discovery import slugs
from repro.study.experiment import Overrides
from repro.study.plan import built
from repro.study.settings import session_of

GIVEN = {"epsilon": 0.7, "n_pairs": 123_457, "horizon": 321, "kl_weight": 0.37}
"""Numbers that no config has; a check that cannot be scaled that far may refuse them, too."""
IDLE = "changes nothing in "


def worlds(values) -> list[str]:
    return [one.identity for one in built(session_of(values).plan).swept]


@pytest.mark.some(4)
@pytest.mark.parametrize("slug", slugs())
def test_a_number_changes_a_world_or_is_refused(slug, tmp_path):
    values = {**compose_values(slug, {}), "output_dir": str(tmp_path)}
    usual = worlds(values)
    for name, value in GIVEN.items():
        try:
            found = worlds({**values, name: value})
        except BadInput as refused:
            line = str(refused)
            assert name in line, line
            assert "\n" not in line, line
            assert IDLE not in line or not any(
                one.takes(name) for one in built(session_of(values).plan).swept
            ), line
        else:
            assert found != usual, name
    assert list(tmp_path.iterdir()) == []


def test_every_top_level_number_is_tried():
    assert set(GIVEN) == set(Overrides.model_fields)


def test_a_number_that_every_check_sweeps_is_refused(tmp_path):
    """The world's own n stands in no check of a theorem that sweeps n alone."""
    values = {**compose_values("offline_gap", {}), "output_dir": str(tmp_path)}
    only = {**values, "only": ("n_pairs",)}
    with pytest.raises(BadInput, match=f"^n_pairs=5000: {IDLE}offline_gap with only=n_pairs: "):
        session_of({**only, "n_pairs": 5000})
    assert session_of({**only, "epsilon": 0.5})
