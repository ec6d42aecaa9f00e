"""Small text files from outside, read within bounds; files that are written whole or not at all.

One clear line says what is wrong with a file that cannot be used.  A killed run leaves drafts
behind; ``remove_stale`` removes those that nobody will finish.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput, one_line

LARGEST, LARGEST_YAML = 1 << 24, 1 << 20
"""Bytes; a larger file is none of ours, and would cost memory, or minutes in a parser."""

DEEPEST = 200
MOST_VALUES = 10**6
"""Of a YAML file, each counted as often as it is referred to."""
DAY = 86_400.0
_DRAFT = re.compile(r"^\..*\.draft-(?P<node>.+)-(?P<pid>\d+)(\.\w+)?$")


def regular_file(key: str, path: Path | str) -> int:
    """Size of a regular file in bytes; a pipe would be waited for, a device never ends.

    Raises:
        BadInput: there is none, it cannot be reached, or it is a folder, a pipe or a device.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError) as problem:
        raise unreadable(key, path, problem) from None
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(key, path, "is not a regular file")
    return status.st_size


def expanded(key: str, path: str) -> Path:
    """A path with ``~`` and ``~user`` filled in.

    Raises:
        BadInput: it is empty; there is no such user, or no home folder; or it is too deep.
    """
    if not path.strip():  # a variable of the shell that is not set
        raise BadInput(key, path, "empty; allowed: a path, or leave it out")
    try:
        return not_too_deep(key, Path(path).expanduser())
    except RuntimeError:
        raise BadInput(key, path, "has no home folder; allowed: a path without ~") from None


def not_too_deep(key: str, path: Path) -> Path:
    """The path, unless making its folders one inside another would exhaust the stack.

    Raises:
        BadInput: it has more parts than ``DEEPEST``.
    """
    if len(path.parts) > DEEPEST:
        shown = f"{str(path)[:40]}…"
        raise BadInput(key, shown, f"is {len(path.parts)} folders deep; allowed: {DEEPEST}")
    return path


def small_text(key: str, path: Path, largest: int = LARGEST) -> str:
    """The whole text of a small file.

    Args:
        key: what the user calls it, for the message.
        path: the file.
        largest: bytes that are read at most.

    Raises:
        BadInput: it cannot be read, is larger than that, or is no UTF-8 text.
    """
    regular_file(key, path)
    try:
        with open(path, "rb") as file:
            content = file.read(largest + 1)
    except OSError as problem:
        raise unreadable(key, path, problem) from None
    if len(content) > largest:
        raise BadInput(key, path, f"is too large; allowed: at most {largest} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(key, path, "is not UTF-8 text") from None


def json_object(key: str, path: Path) -> dict[str, Any]:
    """A file that holds one JSON object.

    Raises:
        BadInput: it cannot be read or holds something else.
    """
    text = small_text(key, path)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(key, path, "is not valid JSON") from None
    return _mapping(key, path, content, "a JSON object")


def yaml_mapping(key: str, path: Path) -> dict[str, Any]:
    """A file that holds one YAML mapping of plain values; tags that name code are refused.

    Raises:
        BadInput: it cannot be read or holds something else.
    """
    from yaml import MarkedYAMLError, YAMLError

    text = small_text(key, path, LARGEST_YAML)
    try:
        content = plain_yaml(text)
    except (YAMLError, ValueError) as problem:
        why = str(problem)
        if isinstance(problem, MarkedYAMLError) and problem.problem_mark:
            why = f"line {problem.problem_mark.line + 1}: {problem.problem}"
        raise BadInput(key, path, f"is not valid YAML: {one_line(why)[:120]}") from None
    return _mapping(key, path, content, "a YAML mapping")


def plain_yaml(text: str) -> Any:
    """The plain values of a YAML text, read by libyaml where it is there.

    Raises:
        ValueError: a few lines stand for a deep or huge content.
        yaml.YAMLError: the text is no YAML, has a key twice, or a tag that names code.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(loader):
        """Refuses a key that stands twice in a mapping."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            for number, key in enumerate(keys):
                if any(key.value == before.value for before in keys[:number]):
                    raise yaml.MarkedYAMLError(
                        problem=f"{key.value} stands twice", problem_mark=key.start_mark
                    )
            return super().construct_mapping(node, deep)

    _refuse_huge(yaml.parse(text, Loader=loader))
    return yaml.load(text, Loader=Loader)


def _refuse_huge(events: Iterable[Any]) -> None:
    """Count depth and values before any is made: libyaml ends the process on a deep text.

    Raises:
        ValueError: deeper than ``DEEPEST``, or more values than ``MOST_VALUES`` once every alias
            is what it stands for.
    """
    from yaml import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

    sizes: dict[str, int] = {}
    above: list[tuple[str | None, int]] = []
    total = 0
    for event in events:
        if isinstance(event, CollectionStartEvent):
            above.append((event.anchor, total))
            total += 1
        elif isinstance(event, CollectionEndEvent):
            anchor, before = above.pop()
            sizes |= {anchor: total - before} if anchor else {}
        elif isinstance(event, ScalarEvent):
            total += 1
        elif isinstance(event, AliasEvent):
            if event.anchor in {anchor for anchor, _ in above}:
                raise ValueError(f"{event.anchor} holds itself")
            total += sizes.get(event.anchor, 1)
        if len(above) > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
        if total > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES} values")


def unreadable(key: str, path: Path | str, problem: Exception) -> BadInput:
    """The refusal of a file that the system will not give."""
    why = getattr(problem, "strerror", None) or "not a file name"
    return BadInput(key, path, f"cannot be read: {why}")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a draft beside ``path``; it becomes ``path`` at the end, or goes if anything fails.

    Raises:
        OSError: the folder cannot be written to, or the disk is full.
    """
    remove_stale(path.parent)
    draft = _draft_of(path)
    try:
        yield draft
        os.replace(draft, path)
    except OSError as problem:
        raise _about(path, problem) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, as UTF-8 where it is text; whole or not at all.

    Raises:
        OSError: the folder cannot be written to, or the disk is full.
    """
    with atomic_write(path) as draft:
        draft.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write files, all of them or none; while the last is there the others belong to it.

    What they take the place of is set aside until all are there.

    Raises:
        OSError: one cannot be written; the earlier ones are as they were.
    """
    for folder in {path.parent for path in files}:
        remove_stale(folder)
    drafts, path, moving = {path: _draft_of(path) for path in files}, Path(), False
    aside = {path: _draft_of(path, ".earlier") for path in files}
    try:
        for path, content in files.items():
            drafts[path].write_bytes(content)
        for path in files:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        moving = True
        for path in reversed(list(files)):
            with suppress(FileNotFoundError):
                os.replace(path, aside[path])
        for path, draft in drafts.items():
            os.replace(draft, path)
        moving = False
    except OSError as problem:
        raise _about(path, problem) from None
    finally:
        for target in files if moving else ():  # a signal, too
            _put_back(target, drafts[target], aside[target])
        for target in (*drafts.values(), *(() if moving else aside.values())):
            with suppress(OSError):
                target.unlink(missing_ok=True)


def _put_back(path: Path, draft: Path, aside: Path) -> None:
    """What stood at ``path`` before its draft took the place, if it has; else it stays aside."""
    with suppress(OSError):
        if os.path.lexists(aside):
            os.replace(aside, path)
        elif not draft.exists():
            path.unlink(missing_ok=True)


def _draft_of(path: Path, kind: str = "") -> Path:
    return path.with_name(f".{path.stem}{kind}.draft-{_node()}-{os.getpid()}{path.suffix}")


def _about(path: Path, problem: OSError) -> OSError:
    """A write that fails does not say of which file."""
    problem.filename, problem.filename2 = os.fspath(path), None
    return problem


def remove_stale(folder: Path, pattern: str = ".*.draft-*") -> None:
    """Remove drafts that nobody will finish: of a dead process of this machine, or a day old.

    A draft of a run that is still going is left alone; should one be lost all the same, its
    writer only misses a cache entry.
    """
    for path in folder.glob(pattern):
        with suppress(OSError):
            if _abandoned(path):
                path.unlink(missing_ok=True)


def _mapping(key: str, path: Path, content: object, meant: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise BadInput(key, path, f"holds something else; allowed: {meant}")
    return content


def _abandoned(path: Path) -> bool:
    match = _DRAFT.match(path.name)
    if not match:
        return False
    mine = match["node"] == _node()
    return (mine and not alive(int(match["pid"]))) or time.time() - path.stat().st_mtime > DAY


def alive(pid: int) -> bool:
    """Whether a process of this machine runs; True where that cannot be told."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _node() -> str:
    return re.sub(r"\W+", "_", platform.node()) or "node"
