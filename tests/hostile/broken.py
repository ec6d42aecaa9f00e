"""A file with one thing wrong with it, in every way that files go wrong."""

import contextlib
import errno
import hashlib
import os
import random
import re
import stat
import sys
from pathlib import Path

LONG = 1 << 25
"""Bytes of a huge line, beyond what any reader takes for one."""


def missing(path, good):
    path.unlink()


def empty(path, good):
    path.write_bytes(b"")


def truncated(path, good):
    """At two thirds; in YAML within the next name, as a cut between two entries leaves it whole."""
    cut = 2 * len(good) // 3
    name = re.compile(rb"\n {0,2}[\w.]+(?=: *[\n{])").search(good, cut)
    path.write_bytes(good[: name.end() - 1 if name else cut].rstrip())


def binary(path, good):
    path.write_bytes(random.Random(1).randbytes(4096))


def directory(path, good):
    path.unlink()
    path.mkdir()


def symlink_loop(path, good):
    path.unlink()
    path.symlink_to(path)


def dangling_link(path, good):
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def invalid_utf8(path, good):
    path.write_bytes(b"\xff\xfe\xe9" + good)


def huge_line(path, good):
    path.write_bytes(b"x" * LONG)


def nul_bytes(path, good):
    path.write_bytes(good[:5] + b"\0\0" + good[5:])


def pipe(path, good):
    """Whoever opens it waits for ever."""
    path.unlink()
    os.mkfifo(path)


def fails_while_reading(path, good):
    """A regular file by its mode, but reading gives an error of the disk."""
    path.unlink()
    path.symlink_to("/proc/self/mem")


def deeply_nested(path, good):
    path.write_bytes(b"[" * 200_000)


def another_shape(path, good):
    path.write_bytes(b"[3]\n")


def code_in_yaml(path, good):
    path.write_bytes(b"!!python/object/apply:os.mkdir [owned]\n")


WAYS = {
    one.__name__.replace("_", " "): one
    for one in (
        missing, empty, truncated, binary, directory, symlink_loop, dangling_link, invalid_utf8,
        huge_line, nul_bytes, pipe, fails_while_reading, deeply_nested, another_shape, code_in_yaml,
    )
}  # fmt: skip


REFUSED = set()
"""Paths that ``open`` refuses, for root, who has a right to every file."""


def _refuse(event, words):
    if event == "open" and isinstance(words[0], str | bytes) and REFUSED:
        path = os.path.abspath(os.fsdecode(words[0]))
        if path in REFUSED:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


sys.addaudithook(_refuse)


@contextlib.contextmanager
def unreadable(path):
    """Nobody may read the file: by its mode, and for root by a refusal of Python's ``open``."""
    path.chmod(0)
    if os.geteuid() == 0:
        REFUSED.add(os.fspath(path))
    try:
        yield
    finally:
        REFUSED.clear()
        path.chmod(0o600)


def folder_state(folder):
    """Every name below a folder with its kind and content: what a refusal leaves as it was."""
    found = {}
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(place, name)
            mode = path.lstat().st_mode
            regular = stat.S_ISREG(mode) and mode & 0o400
            content = hashlib.sha256(path.read_bytes()).hexdigest() if regular else ""
            found[path.relative_to(folder)] = (stat.S_IFMT(mode), content)
    return found
