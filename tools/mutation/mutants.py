"""Small wrong versions of a module: one operator, number, word or branch changed inside a function.

Left alone: docstrings, annotations, default arguments, decorators, class bodies and what is said in
an error, an f-string or a warning.  Module constants that are literals are changed too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

_SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.USub: ast.UAdd,
}  # fmt: skip
_NAMES = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "any": "all",
          "all": "any", "ceil": "floor", "floor": "ceil"}  # fmt: skip
_SILENT = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)

Change = Callable[[], None]


@dataclass(frozen=True)
class Mutant:
    """One change of one file; ``number`` is its place in the list of all of them.

    ``constant`` names the module's own constant whose value is changed, if it is one.
    """

    path: Path
    number: int
    line: int
    text: str
    constant: str = ""

    @property
    def of_module(self) -> bool:
        """Whether a constant of the module is changed and no function."""
        return self.constant != ""

    @property
    def source(self) -> str:
        """The stripped text of its line."""
        return self.path.read_text("utf-8").splitlines()[self.line - 1].strip()

    def compiled(self) -> CodeType:
        """The changed module."""
        tree = ast.parse(self.path.read_text("utf-8"))
        for number, (_, _, change) in enumerate(_changes(tree)):
            if number == self.number:
                change()
                break
        return compile(ast.fix_missing_locations(tree), str(self.path), "exec")


def mutants(path: Path) -> list[Mutant]:
    """All changes of a file, in the order of its text."""
    tree = ast.parse(path.read_text("utf-8"))
    found = [Mutant(path, i, line, text) for i, (line, text, _) in enumerate(_changes(tree))]
    names = [name for name, value in _constants(tree) for _ in _of_nodes(value)]
    own = [replace(m, constant=name) for m, name in zip(found, names, strict=False)]
    return own + found[len(own) :]


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    """Names of the module that stand for one literal each."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                yield name, value


def _changes(tree: ast.Module) -> Iterator[tuple[int, str, Change]]:
    for _, value in _constants(tree):
        yield from _of_nodes(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.Module):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield from (found for line in part.body for found in _of_nodes(line))


def _of_nodes(node: ast.AST) -> Iterator[tuple[int, str, Change]]:
    if isinstance(node, _SILENT) or _is_bare_text(node):
        return
    line = getattr(node, "lineno", 0)
    before = ast.unparse(node).splitlines()[0] if line else ""
    for said, change in _of_node(node):
        yield line, f"{before[:70]}: {said}", change
    skipped = {"annotation", "returns", "args", "decorator_list"}
    inside = isinstance(node, ast.FunctionDef | ast.Lambda)
    for name, value in ast.iter_fields(node):
        if name == "annotation" or (inside and name in skipped):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _of_nodes(child)


def _is_bare_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _of_node(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() | ast.UnaryOp():
            if type(node.op) in _SWAPS:
                yield _set(node, "op", _SWAPS[type(node.op)]())
        case ast.Compare():
            for i, op in enumerate(node.ops):
                others = [*node.ops[:i], _SWAPS[type(op)](), *node.ops[i + 1 :]]
                yield _set(node, "ops", others)
        case ast.If() | ast.IfExp() | ast.While():
            yield _set(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=ast.AST() as value) if not _is_none(value):
            yield _none(node, value)
        case ast.Name(id=name) if name in _NAMES:
            yield _set(node, "id", _NAMES[name])
        case ast.Attribute(attr=name) if name in _NAMES:
            yield _set(node, "attr", _NAMES[name])
        case ast.Expr(value=ast.Call() as value):
            yield _none(node, value)
        case ast.Constant(value=value) if isinstance(value, bool | int | float | str):
            yield _set(node, "value", _other(value))


def _other(value: bool | float | str) -> bool | float | str:
    if isinstance(value, bool):
        return not value
    return f"XX{value}" if isinstance(value, str) else value + 1


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _none(node: ast.Return | ast.Expr, value: ast.expr) -> tuple[str, Change]:
    """Nothing in its place: ``None and value`` keeps the names that a closure holds."""
    never = ast.BoolOp(ast.And(), [ast.Constant(None), value])
    return "value → None", lambda: setattr(node, "value", never)


def _set(node: ast.AST, field: str, value: object) -> tuple[str, Change]:
    first = value[0] if isinstance(value, list) else value
    said = type(first).__name__ if isinstance(first, ast.AST) else repr(first)
    return f"{field} → {said}", lambda: setattr(node, field, value)
