"""What a terminal shows before and while blocks are measured."""

import io
import sys
from types import SimpleNamespace

from repro.report import progress as module
from repro.report.progress import loading, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_what_is_loaded_and_no_trace_of_it_afterwards(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with loading("offline_gap"):
        assert terminal.getvalue() == "loading offline_gap\r"
    assert terminal.getvalue().split("\r") == ["loading offline_gap", " " * 19, ""]


def test_a_file_gets_no_line_that_would_stay(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with loading("offline_gap"):
        pass
    assert file.getvalue() == ""


def test_no_time_is_estimated_from_the_first_blocks(monkeypatch, capsys):
    """Five of 1,550 blocks in a minute once gave "about 308 min left" for six."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    with progress(1550, "slow") as advance:
        for clock.now, count in ((60.0, 5), (130.0, 770)):
            advance(count)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "slow: 5 of 1550 blocks after 1 min",
        "slow: 775 of 1550 blocks after 2 min, about 2 min left",
    ]


def test_a_terminal_shows_no_time_left_after_the_first_blocks():
    column = module._bar().columns[-1]
    left = {"total": 1550, "finished": False, "time_remaining": 308 * 60.0}
    assert str(column.render(SimpleNamespace(percentage=0.3, **left))) == "-:--:--"
    assert str(column.render(SimpleNamespace(percentage=50.0, **left))) == "5:08:00"
