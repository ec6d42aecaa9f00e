"""What a terminal shows before and while blocks are measured."""

import io
import sys

from repro.report.progress import loading


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
