"""A run's figure as a data URI small enough to put dozens of them on one page."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import dataclass
from pathlib import Path

COLOURS = 48
"""Of the palette: lines and text of the figures use fewer."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""


@dataclass(frozen=True)
class Picture:
    """A figure and where its panels are, so that a narrow page can show them one below the other.

    Attributes:
        uri: the PNG with a palette, as ``data:``.
        width, height: pixels.
        panels: of each panel with its captions, the legend last; empty for figures that do not say.
    """

    uri: str
    width: int
    height: int
    panels: tuple[Box, ...]


def picture(path: Path) -> Picture | None:
    """The figure of a file; None where there is none or it cannot be read."""
    from PIL import Image

    if not path.is_file():
        return None
    try:
        with path.open("rb") as file, Image.open(file) as image:
            size, said = image.size, str(image.info.get("Panels", ""))
            small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    except Exception:  # noqa: BLE001 - a damaged picture fails in many ways
        return None
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    uri = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
    return Picture(uri, *size, panels=boxes(said, *size))


def boxes(said: str, width: int, height: int) -> tuple[Box, ...]:
    """The boxes that a file names, none of them if one is no box inside the picture.

    >>> boxes("0 0 40 30; 40 0 40 30", 80, 30)
    ((0, 0, 40, 30), (40, 0, 40, 30))
    >>> boxes("0 0 40 31", 80, 30), boxes("alert(1)", 80, 30)
    ((), ())
    """
    if not re.fullmatch(r"\d{1,5}( \d{1,5}){3}(; \d{1,5}( \d{1,5}){3}){0,199}", said):
        return ()
    rectangles = []
    for part in said.split("; "):
        left, top, wide, high = map(int, part.split())
        if not (0 < wide <= width - left and 0 < high <= height - top):
            return ()
        rectangles.append((left, top, wide, high))
    return tuple(rectangles)
