"""Rich, except that a reader that has gone is no verdict."""

from typing import NoReturn

from rich.console import Console


class Terminal(Console):
    """Raises ``BrokenPipeError``, where rich ends the process with 1."""

    def on_broken_pipe(self) -> NoReturn:
        """Called by rich while it handles the error."""
        raise
