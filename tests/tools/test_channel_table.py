"""The table of channels and divergences."""

from tools import channel_table


def test_the_table_has_every_channel_and_divergence_near_fisher():
    lines = channel_table.table(20).splitlines()[2:]
    assert len(lines) == len(channel_table.CHANNELS) + len(channel_table.DIVERGENCES) >= 12
    for line in lines:
        name, *numbers = [cell.strip() for cell in line.strip("|").split("|")]
        in_n, in_c, in_beta, constant = map(float, numbers)
        assert (abs(in_n + 1) < 0.05, abs(in_c - 2) < 0.1) == (True, True), name
        assert (abs(in_beta - 1) < 0.1, abs(constant - 1) < 0.2) == (True, True), name
