"""The command of tests/commands, for bad input."""

from tests.commands.conftest import command  # noqa: F401
