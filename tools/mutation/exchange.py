"""Put a mutant's code into the functions of this process that were made from its file."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tools.mutation.mutants import Mutant

Functions = dict[str, list[FunctionType]]


def functions_by_file() -> Functions:
    """All functions alive, by the file that they were compiled from."""
    found: Functions = {}
    for function in gc.get_objects():
        if type(function) is FunctionType:
            found.setdefault(function.__code__.co_filename, []).append(function)
    return found


def exchange(mutant: Mutant, functions: Functions) -> bool:
    """Put the mutant's code into the loaded functions; False where nothing could be exchanged."""
    own, changed = functions.get(str(mutant.path), []), mutant.compiled()
    if mutant.of_module:
        return _exchange_constant(mutant, changed, own)
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(changed)}
    done = False
    for function in own:
        old = function.__code__
        new = codes.get((old.co_qualname, old.co_firstlineno))
        if new is not None and new != old:
            if new.co_freevars != old.co_freevars:
                return False
            function.__code__ = new
            done = True
    return done


def _exchange_constant(mutant: Mutant, changed: CodeType, own: list[FunctionType]) -> bool:
    """A module's constant, where it is imported by name, and as a default argument."""
    module = _module(mutant.path)
    scratch: dict[str, Any] = {"__name__": module.__name__, "__file__": str(mutant.path)}
    exec(changed, scratch)
    for name in _differing(scratch, vars(module)):
        setattr(module, name, scratch[name])
        for other in [m for m in sys.modules.values() if isinstance(m, ModuleType)]:
            if name in vars(other) and _imports(other, module.__name__, name):
                setattr(other, name, scratch[name])
    fresh = {f.__qualname__: f for f in scratch.values() if type(f) is FunctionType}
    for function in [f for f in own if f.__qualname__ in fresh]:
        function.__defaults__ = fresh[function.__qualname__].__defaults__
    return True


def _differing(changed: Mapping[str, object], known: Mapping[str, object]) -> list[str]:
    """Names of plain values that the change has reached."""
    plain = [name for name, value in changed.items() if isinstance(value, bool | int | float | str)]
    return [name for name in plain if not name.startswith("__") and changed[name] != known[name]]


def _imports(module: ModuleType, source: str, name: str) -> bool:
    file = getattr(module, "__file__", None)
    if not file or not file.endswith(".py"):
        return False
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == source
        and any(alias.name == name for alias in node.names)
        for node in ast.parse(Path(file).read_text("utf-8")).body
    )


def _module(path: Path) -> ModuleType:
    files = [(getattr(m, "__file__", None), m) for m in list(sys.modules.values())]
    return next(module for file, module in files if file == str(path))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
