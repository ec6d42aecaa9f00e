"""The command of tests/cli, for bad input."""

from tests.cli.conftest import command  # noqa: F401
