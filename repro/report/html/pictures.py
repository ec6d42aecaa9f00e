"""A run's figure as a data URI small enough to put dozens of them on one page."""

from __future__ import annotations

import base64
import io
from pathlib import Path

COLOURS = 48
"""Of the palette: lines and text of the figures use fewer."""


def picture_uri(path: Path) -> str:
    """The PNG with a palette, as ``data:``; empty where there is none or it cannot be read."""
    from PIL import Image

    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file, Image.open(file) as image:
            small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    except Exception:  # noqa: BLE001 - a damaged picture fails in many ways
        return ""
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
