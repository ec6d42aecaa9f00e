"""``repro COMMAND …`` and ``python -m repro …``: signals are heard before heavy imports."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import NoReturn

from repro.commands.process.command import help_of, run_command

COMPLETE = "_REPRO_COMPLETE"
"""Set by a shell that asks for completions, and by whoever asks for the script of a shell."""
PRIVATE = {"privatize", "audit_release", "private_reward", "accuracy"}
"""Commands that read raw labels."""


def main() -> NoReturn:
    """The installed script: without a word, the list of commands."""
    _run(sys.argv[1:] or ["--help"], listed=True)


def python_m() -> NoReturn:
    """``python -m repro``: without a word, the default experiment."""
    _run(sys.argv[1:], listed=False)


def _run(words: list[str], listed: bool) -> NoReturn:
    first = words[0] if words else ""
    run_command(lambda _: called(words, listed), private=first in PRIVATE)


def called(words: list[str], listed: bool = False) -> int:
    """Run a command in this process; its status.

    Args:
        words: of the command line.
        listed: ``--help`` and an unknown word are about the list of commands.
    """
    from repro.commands.process import table as commands

    if os.environ.get(COMPLETE):
        commands.commands().main(words, prog_name="repro", complete_var=COMPLETE)
    first, *rest = words or [""]
    if first in commands.COMMANDS and first != "run":
        module = import_module(commands.COMMANDS[first].module)
        if not {"-h", "--help"} & set(rest):
            return module.main(rest)
        print(help_of(module.__doc__ or ""))
        return 0
    if listed and (first in ("-h", "--help") or (first != "run" and commands.is_bare(first))):
        return commands.main(words)
    from repro.commands import run

    return run.main(commands.of_run(rest) if first == "run" else words)
