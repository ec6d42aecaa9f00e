"""One thread of linear algebra: as in a run, and quicker where tests share the cores."""

import torch

torch.set_num_threads(1)


def pytest_terminal_summary(terminalreporter):
    """Say how many faults were injected; only tests of faults have any."""
    from tests.faults import tally

    if said := tally.line():
        terminalreporter.write_line(said)
