"""δ beside the number of protected records."""

import pytest

from repro.labels.privacy.large_delta import warning_of_delta


@pytest.mark.parametrize(("records", "advised"), [(1, "0.01"), (999, "0.0001"), (1000, "1e-05")])
def test_one_over_n_is_warned_of_and_less_is_advised(records, advised):
    warning = warning_of_delta(1 / records, records)
    assert f"delta = 1/{records}; take delta={advised} or less" in warning
    assert float(advised) <= 0.1 / records
    assert warning_of_delta(0.999 / records, records) == ""
    assert warning_of_delta(0.5, 0) == ""
