"""``repro``, the installed script: ready for signals before anything heavy is imported."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

COMPLETE = "_REPRO_COMPLETE"
"""Set by a shell that asks for completions, and by whoever asks for the script of a shell."""


def main() -> NoReturn:
    """Run a sub-command, or ``python -m repro`` where the first word is KEY=VALUE or an option."""
    from repro.cli import process

    process.begin()
    from repro.cli import commands

    words = sys.argv[1:]
    if os.environ.get(COMPLETE):
        commands.commands().main(words, prog_name="repro", complete_var=COMPLETE)
    first = words[0] if words else "--help"
    if first == "run":
        _run_experiment(commands.of_run(words[1:]))
    if first in commands.COMMANDS:
        _run_module(f"repro.{first}", words[1:])
    if first not in ("-h", "--help") and not commands.is_bare(first):
        _run_experiment(words)
    from repro.cli.command import run_command

    run_command(commands.main, begins_later=True)


def _run_experiment(words: list[str]) -> NoReturn:
    sys.argv[1:] = words
    from repro.__main__ import command

    command()


def _run_module(module: str, words: list[str]) -> NoReturn:
    """As ``python -m`` does, worker processes included."""
    import runpy

    sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    raise SystemExit(f"{module} has not ended the process")
