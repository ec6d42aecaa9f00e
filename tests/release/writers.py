"""Releases with a fault of the disk ahead of them, for ``Writers`` of ``tests/faults``."""

from repro.commands import privatize
from repro.commands.process import command
from repro.release import exports, privatise  # noqa: F401 - imported before any fault


def release(source, target, *words):
    """A writer: ``privatize`` of a file of its folder, paid for in the folder's ledger."""

    def writer(folder):
        paths = (str(folder / source), str(folder / target))
        return command.status_of(privatize.main, [*paths, *words, f"ledger={folder}/state"])

    return writer


WRITERS = {
    "release": release("in.jsonl", "out/out.jsonl.gz", "epsilon=1"),
    "resume": release("in.jsonl", "out/out.jsonl.gz", "resume=true"),
    "other": release("other.jsonl", "other.out.jsonl", "epsilon=1"),
}


def warm():
    """Everything is imported above."""
