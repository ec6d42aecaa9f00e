"""``repro``, the installed script: ready for signals before anything heavy is imported."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Run ``python -m repro``."""
    from repro.cli import process

    process.begin()
    from repro.__main__ import command

    command()
