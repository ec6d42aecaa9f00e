"""The files that an experiment's numbers depend on: everything that its module imports, in turn."""

from __future__ import annotations

import ast
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path

import numpy as np

from repro.base.errors import BrokenTheorem
from repro.base.places import PACKAGE, Place, shipped
from repro.core.check import SweptCheck, Theorem

READS = re.compile(
    r"\b(open|read_\w+|load|loadtxt|genfromtxt|fromfile|memmap|environb?|getenvb?|subprocess"
    r"|system|popen|socket|urlopen|sqlite3|import_module|__import__|exec|eval)\b"
)


DRAW = "use rng in the place of np.random"


def is_own(theorem: Theorem) -> bool:
    """Whether it is none of those shipped, which are written not to need this."""
    return not theorem.module.startswith(f"{shipped().package}.")


@cache
def outside_of_key(theorem: Theorem) -> str:
    """What of a theorem's code no key holds, as ``open in mine.py``; nothing of one shipped."""
    if is_own(theorem):
        for path in closure(theorem.module).values():
            own = not path.is_relative_to(PACKAGE)
            if own and (match := READS.search(path.read_text(encoding="utf-8"))):
                return f"{match[0]} in {path.name}"
    return ""


def refuse_impure(
    swept: SweptCheck, values: np.ndarray, drew: bool, again: Callable[[], np.ndarray]
) -> None:
    """Notice a generator of one's own in a block that has been measured.

    Args:
        swept: the check.
        values: (G, algorithms, blocks, replicates).
        drew: whether the given generator was used.
        again: measures the first block alone.

    Raises:
        BrokenTheorem: the numbers do not come from the given generator.
    """
    if not drew and swept.check.quantity.draws and np.ptp(values, axis=(-2, -1)).any():
        complaint = "varies, and draws nothing from the generator it is given"
        raise BrokenTheorem(f"{swept.name} {complaint}: {DRAW}")
    if not np.array_equal(again(), again(), equal_nan=True):
        raise BrokenTheorem(f"{swept.name} measures one block twice, and differs: {DRAW}")


LIBRARIES = {"site-packages", "dist-packages"}
STANDARD = Path(os.__file__).parent

ROOTS = ("repro",)
"""Packages whose files are followed; of libraries ``repro.study.parallel`` has those that count."""

MEASURING = "repro.study.plan"
"""Every measurement passes through it."""
CALLING = "repro.core.check"
"""Of the engine, all that the numbers of a check on its worlds depend on."""
IMPORTED = "the code that it imports"


@cache
def code_fingerprint(*modules: str) -> str:
    """Hash of the import closure of some modules."""
    return files_fingerprint(closure(*modules))


def files_fingerprint(files: Mapping[str, Path]) -> str:
    """Hash of files by name, independent of their order."""
    digest = hashlib.blake2b(digest_size=16)
    for name, path in sorted(files.items()):
        text = path.read_bytes()
        digest.update(f"{name}:{len(text)}:".encode())
        digest.update(text)
    return digest.hexdigest()


def code_of(name: str, place: Place) -> dict[str, str]:
    """Digests of what an experiment's numbers come from, each under the words for it.

    They are of its file, of its config, and of all else that the key of a block holds.  No file is
    run.

    Args:
        name: of the experiment.
        place: where it is.
    """
    module, own = place.module(name), (place.code(name), place.config(name))
    paths = {path.relative_to(place.folder).as_posix(): path for path in own}
    digests = {words: files_fingerprint({words: path}) for words, path in paths.items()}
    try:
        imported = closure(module, CALLING)
    except (SyntaxError, ValueError):  # of a file that is being edited
        return {**digests, IMPORTED: ""}
    imported.pop(module, None)
    return {**digests, IMPORTED: files_fingerprint(imported)}


def closure(*modules: str) -> dict[str, Path]:
    """Name and file of the modules and of all that they import, except installed libraries.

    Imports inside functions count; what is only imported for type checking counts too, since
    annotations are read by pydantic.
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    packages = {*ROOTS, *(name.partition(".")[0] for name in modules)}
    while waiting:
        name = waiting.pop()
        top = name.partition(".")[0]
        folder = _folder(top) if top in packages else _elsewhere(top)
        path = folder and _file(name, folder)
        if path is None or name in files:
            continue
        files[name] = path
        waiting += _imports(path, name if path.name == "__init__.py" else name.rpartition(".")[0])
    return files


def of_a_library(path: Path) -> bool:
    """Whether a file or folder is of Python's own library, or was installed."""
    return path.is_relative_to(STANDARD) or not LIBRARIES.isdisjoint(path.parts)


def _folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    return Path(next(iter(spec.submodule_search_locations or ())))


@cache
def _elsewhere(top: str) -> Path | None:
    """The folder of another package, or where that of a module would be; None for a library's."""
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin in ("built-in", "frozen"):
        return None
    inside = [*(spec.submodule_search_locations or ())]
    folder = Path(inside[0]) if inside else Path(spec.origin or "").parent / top
    return None if of_a_library(folder) else folder.absolute()


@cache
def _file(module: str, folder: Path) -> Path | None:
    """The file of a module of a top package's folder; None for the name of something in a module.

    Found by path: asking the import system would import every package on the way.
    """
    path = folder.joinpath(*module.split(".")[1:])
    paths = (path.with_suffix(".py"), path / "__init__.py")
    return next((path_tried for path_tried in paths if path_tried.is_file()), None)


@cache
def _imports(path: Path, package: str) -> tuple[str, ...]:
    """Names that a file of a package imports: modules, and what may be modules."""
    statements = _statements(ast.parse(path.read_bytes()).body)
    return tuple(dict.fromkeys(name for node in statements for name in _named(node, package)))


def _statements(block: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """A block's statements and those inside of them; expressions hold no import."""
    for statement in block:
        yield statement
        for part in ("body", "handlers", "cases", "orelse", "finalbody"):
            yield from _statements(getattr(statement, part, ()))


def _named(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        name = resolve_name("." * node.level + (node.module or ""), package)
        yield name
        yield from (f"{name}.{alias.name}" for alias in node.names)
