"""The files that an experiment's numbers depend on: everything that its module imports, in turn."""

from __future__ import annotations

import ast
import hashlib
import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOTS = ("repro", "theorems")
"""Packages whose files are followed; libraries are covered by ``repro.study.machine``."""

MEASURING = "repro.study.plan"
"""Every measurement passes through it."""


@cache
def code_fingerprint(module: str) -> str:
    """Hash of the import closure of a theorem's module and of what measures it."""
    return files_fingerprint(closure(module, MEASURING))


def files_fingerprint(files: Mapping[str, Path]) -> str:
    """Hash of files by name, independent of their order."""
    digest = hashlib.blake2b(digest_size=16)
    for name, path in sorted(files.items()):
        text = path.read_bytes()
        digest.update(f"{name}:{len(text)}:".encode())
        digest.update(text)
    return digest.hexdigest()


def closure(*modules: str) -> dict[str, Path]:
    """Name and file of the modules and of all that they import, inside ``ROOTS`` or beside them.

    Imports inside functions count; what is only imported for type checking counts too, since
    annotations are read by pydantic.
    """
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if path is None or name in found:
            continue
        found[name] = path
        waiting += _imports(path)
    return found


@cache
def _file(module: str) -> Path | None:
    """The file of a module; None where the name is that of something in a module.

    Found by path: asking the import system would import every package on the way.
    """
    top, _, rest = module.partition(".")
    (folder, *_) = importlib.import_module(top).__path__
    path = Path(folder).joinpath(*rest.split(".")) if rest else Path(folder)
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in found if one.is_file()), None)


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """Names that a file imports from ``ROOTS``: modules, and what may be modules."""
    tree = ast.parse(path.read_bytes())
    return tuple(dict.fromkeys(name for node in ast.walk(tree) for name in _named(node)))


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if _ours(alias.name))
    elif isinstance(node, ast.ImportFrom) and node.module and _ours(node.module):
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _ours(module: str) -> bool:
    return module.partition(".")[0] in ROOTS
