"""Small wrong versions of a module: one operator, number, word or branch changed inside a function.

Left alone: docstrings, annotations, default arguments, decorators, class bodies and what is said in
an error, an f-string or a warning.  Module constants that are literals are changed too.

Of formulas the changes are others: a number is one more, or a tenth more where it is a decimal; an
operator, an exponent, a root; a comparison is turned around; a branch is always or never taken.
Words, flags, indices, sizes of arrays and grids, rounding guards and refusals are left alone.
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
_TURNED = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_SIZES = {"range", "linspace", "geomspace", "logspace", "reshape", "zeros", "ones", "full", "eye",
          "arange", "tile", "repeat", "empty", "split", "moveaxis", "swapaxes", "expand_dims",
          "broadcast_to", "lru_cache", "isclose", "allclose", "roll", "take", "round", "spawn",
          "sum", "mean", "cumsum", "prod", "any", "all", "unsqueeze", "squeeze", "stack",
          "concatenate", "cat", "argmax", "argmin", "argsort", "sort", "amax", "amin", "flip",
          "diff", "softmax", "logsumexp", "log_softmax", "unbind", "gather"}  # fmt: skip
"""Calls whose plain numbers are axes, shapes, points and digits."""
_REDUCED = {"max", "min"}
"""The same of an attribute, as in ``x.max(-1)``; the numbers of ``max(0, x)`` are its own."""
_KEYS = {"axis", "dim", "size", "shape", "steps", "maxiter", "iterations", "num", "count", "points",
         "maxsize", "ndmin", "axes", "offset", "ddof", "limit", "chunk", "digits", "k"}  # fmt: skip
_SILENT = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)

Change = Callable[[], None]
Of = Callable[[ast.AST], Iterator[tuple[str, Change]]]


@dataclass(frozen=True)
class Mutant:
    """One change of one file; ``number`` is its place in the list of all of them.

    ``constant`` names the module's own constant whose value is changed, if it is one; ``formula``
    says by which of the two lists of changes it is counted.
    """

    path: Path
    number: int
    line: int
    text: str
    constant: str = ""
    formula: bool = False

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
        changes = _formula_changes(tree) if self.formula else _changes(tree)
        for number, (_, _, change) in enumerate(changes):
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


def formula_mutants(path: Path) -> list[Mutant]:
    """All changes of a file's formulas, in the order of its text."""
    changes = _formula_changes(ast.parse(path.read_text("utf-8")))
    return [Mutant(path, i, line, text, formula=True) for i, (line, text, _) in enumerate(changes)]


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    """Names of the module that stand for one literal each."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                yield name, value


def _changes(tree: ast.Module) -> Iterator[tuple[int, str, Change]]:
    for _, value in _constants(tree):
        yield from _of_nodes(value)
    for part in _functions(tree):
        yield from (change for line in part.body for change in _of_nodes(line))


def _formula_changes(tree: ast.Module) -> Iterator[tuple[int, str, Change]]:
    for part in _functions(tree):
        if not (part.name.startswith("__") and part.name != "__call__"):
            yield from (change for line in part.body for change in _of_nodes(line, _of_formula))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.Module):
            yield from (part for part in node.body if isinstance(part, ast.FunctionDef))


def _of_nodes(node: ast.AST, of: Of | None = None) -> Iterator[tuple[int, str, Change]]:
    if isinstance(node, _SILENT) or _is_bare_text(node) or (of and _is_no_formula(node)):
        return
    line = getattr(node, "lineno", 0)
    before = ast.unparse(node).splitlines()[0] if line else ""
    for said, change in (of or _of_node)(node):
        yield line, f"{before[:70]}: {said}", change
    skipped = {"annotation", "returns", "args", "decorator_list"}
    inside = isinstance(node, ast.FunctionDef | ast.Lambda)
    for name, value in ast.iter_fields(node):
        if name == "annotation" or (inside and name in skipped):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not (of and _is_place(node, name, child)):
                yield from _of_nodes(child, of)


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


def _of_formula(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() | ast.UnaryOp():
            if type(node.op) in _SWAPS:
                yield _set(node, "op", _SWAPS[type(node.op)]())
        case ast.Compare(ops=[op, *others]):
            yield _set(node, "ops", [_TURNED[type(op)](), *others])
        case ast.If() | ast.IfExp():
            for always in (True, False):
                yield f"test → {always}", _setter(node, "test", ast.Constant(always))
        case ast.Name(id=name) if name in _NAMES:
            yield _set(node, "id", _NAMES[name])
        case ast.Attribute(attr=name) if name in _NAMES:
            yield _set(node, "attr", _NAMES[name])
        case ast.Attribute(value=ast.Name(id="math" | "np"), attr="sqrt"):
            yield _set(node, "attr", "cbrt")
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            whole = isinstance(value, int) or not value
            yield _set(node, "value", value + 1 if whole else round(1.1 * value, 12))


def _is_no_formula(node: ast.AST) -> bool:
    """Numbers of arrays and grids, guards of rounding, a test that leads to a refusal alone."""
    match node:
        case ast.keyword(arg=str() as name):
            return name in _KEYS or "tol" in name
        case ast.If(body=body, orelse=[]):
            return all(isinstance(statement, ast.Raise) for statement in body)
        case ast.BinOp(left=left, right=right):
            return _is_rounding(left) or _is_rounding(right)
    return _is_rounding(node)


def _is_rounding(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and (
        0 < node.value <= 1e-6
    )  # fmt: skip


def _is_place(node: ast.AST, name: str, child: ast.AST) -> bool:
    """Whether a part says where a number stands, or how many there are."""
    match node:
        case ast.Subscript():
            return name == "slice"
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in _SIZES:
            return name == "args" and _is_plain(child)
        case ast.Call(func=ast.Attribute(attr=called)) if called in _REDUCED:
            return name == "args" and _is_plain(child)
    return False


def _is_plain(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return all(_is_plain(part) for part in node.elts)
    sign = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    return sign or isinstance(node, ast.Constant)


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
    return f"{field} → {said}", _setter(node, field, value)


def _setter(node: ast.AST, field: str, value: object) -> Change:
    return lambda: setattr(node, field, value)
