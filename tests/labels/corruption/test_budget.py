"""What an adversary may spend: shares in [0, 1/2), and whole labels."""

import pytest

from repro.base.errors import BadInput
from repro.labels.corruption.budget import checked_corruption, flip_budget


@pytest.mark.parametrize(
    ("corruption", "n_pairs", "labels"), [(0.0, 7, 0), (0.1, 29, 2), (0.25, 8, 2), (0.49, 100, 49)]
)
def test_a_budget_is_whole_labels(corruption, n_pairs, labels):
    assert flip_budget(corruption, n_pairs) == labels


def test_less_than_a_label_is_refused_with_the_least_share():
    with pytest.raises(
        BadInput, match=r"0\.4 of a label; allowed: at least one label, 0\.05 at n_pairs=20, or 0"
    ):
        flip_budget(0.02, 20)
    assert flip_budget(0.05, 20) == 1


@pytest.mark.parametrize("share", [0.5, -0.01, 1.0, float("nan")])
def test_a_share_that_decides_or_is_none_is_refused(share):
    for refused in (checked_corruption, lambda share: flip_budget(share, 100)):
        with pytest.raises(BadInput, match=f"corruption={share:g}: allowed: a share of labels in"):
            refused(share)
    assert checked_corruption(0.499) == 0.499
