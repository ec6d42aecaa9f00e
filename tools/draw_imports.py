"""``python -m tools.draw_imports``: docs/figures/imports.svg, drawn from the imports.

Rooms are packages; a line is an import that no chain of other lines implies.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import grimp

DRAWING = Path(__file__).parents[1] / "docs" / "figures" / "imports.svg"
COMMANDS = "commands"
"""With the modules directly below repro."""
ROOT = Path(__file__).parents[1]
WIDTH, ROW, BOX = 900, 74, (128, 34)

Edges = frozenset[tuple[str, str]]


def room(module: str) -> str:
    """The room of a module: its package below repro, or theorems.

    >>> room("repro.study.plan"), room("theorems.offline_gap"), room("repro.api")
    ('study', 'theorems', 'commands')
    """
    top, name, *_ = [*module.split("."), ""]
    if top == "theorems":
        return top
    return name if (ROOT / "repro" / name / "__init__.py").is_file() and name else COMMANDS


def edges_of(imports: Iterable[tuple[str, str]]) -> Edges:
    """(importing room, imported room) of pairs of modules; rooms in a circle are one."""
    pairs = {(room(importer), room(imported)) for importer, imported in imports}
    shared = {name: ", ".join(sorted(_circle(pairs, name))) for pair in pairs for name in pair}
    pairs = {(shared[importer], shared[imported]) for importer, imported in pairs}
    return frozenset(pair for pair in pairs if pair[0] != pair[1])


def _circle(pairs: set[tuple[str, str]], name: str) -> set[str]:
    """Rooms that a room imports and that import it, itself included: one box."""

    def reached(start: str, steps: set[tuple[str, str]]) -> set[str]:
        rooms = {start}
        while more := {b for a, b in steps if a in rooms} - rooms:
            rooms |= more
        return rooms

    return reached(name, pairs) & reached(name, {(b, a) for a, b in pairs})


def actual_imports() -> list[tuple[str, str]]:
    """(importing, imported) modules of the code."""
    graph = grimp.build_graph("repro", "theorems", cache_dir=None)
    return [
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    ]


def levels(edges: Edges) -> dict[str, int]:
    """Length of the longest chain of imports below each room.

    Raises:
        ValueError: rooms import each other in a circle.
    """
    rooms = {name for edge in edges for name in edge}
    found = dict.fromkeys(rooms, 0)
    for _ in range(len(rooms) + 1):
        longer = {a: max(found[a], *(found[c] + 1 for b, c in edges if b == a), 0) for a in rooms}
        if longer == found:
            return found
        found = longer
    raise ValueError(f"rooms import each other in a circle: {sorted(rooms)}")


def reduced(edges: Edges) -> Edges:
    """Edges that no longer chain implies."""
    below: dict[str, set[str]] = {}
    for name, _ in sorted(levels(edges).items(), key=lambda item: item[1]):
        direct = {c for b, c in edges if b == name}
        below[name] = direct.union(*(below[one] for one in direct))
    return frozenset(
        (a, b) for a, b in edges if not any(b in below[c] for d, c in edges if d == a and c != b)
    )


def drawing(edges: Edges) -> str:
    """The SVG: a room imports what it is joined to further down."""
    level = levels(edges)
    top = max(level.values())
    place = {}
    for height in range(top + 1):
        row = sorted(name for name in level if level[name] == height)
        for index, name in enumerate(row):
            shift = 18 * (-1) ** height if len(row) < 3 else 0
            place[name] = (WIDTH * (index + 1) // (len(row) + 1) + shift, 40 + (top - height) * ROW)
    lines = [_line(place[a], place[b]) for a, b in sorted(reduced(edges))]
    boxes = [_box(name, *place[name]) for name in sorted(place)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top * ROW + 80}" '
        'role="img" font-family="sans-serif" font-size="13">'
        "<title>Imports between rooms, downwards</title>"
        '<rect width="100%" height="100%" fill="#ffffff"/>'
    )
    return "\n".join([head, *lines, *boxes, "</svg>\n"])


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (u, v), half = start, end, BOX[1] // 2
    bend = (v - y) // 2
    bow = 260 * (1 if u > x else -1) if v - y > ROW else 0
    return (
        f'<path d="M{x},{y + half} C{x + bow},{y + bend} {u + bow},{v - bend} {u},{v - half}" '
        'fill="none" stroke="#7a869a" stroke-width="1.3"/>'
    )


def _box(name: str, x: int, y: int) -> str:
    width, height = BOX[0] + 8 * max(len(name) - 12, 0), BOX[1]
    return (
        f'<rect x="{x - width // 2}" y="{y - height // 2}" width="{width}" height="{height}" '
        'rx="5" fill="#eef1fb" stroke="#3f51b5"/>'
        f'<text x="{x}" y="{y + 5}" text-anchor="middle" fill="#1a1a2e">{name}</text>'
    )


if __name__ == "__main__":
    DRAWING.write_text(drawing(edges_of(actual_imports())), encoding="utf-8")
