"""What a headless Chromium sees of a page at 1280 and 400 px, light and dark."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CHROMIUM = next((p for p in map(shutil.which, ("chromium", "google-chrome", "chrome")) if p), None)

needs_browser = pytest.mark.skipif(
    CHROMIUM is None or shutil.which("node") is None or not (HERE / "node_modules").is_dir(),
    reason="needs chromium, node, and `npm ci --prefix tests/browser`",
)


def views(page: Path) -> list[dict[str, Any]]:
    """One a view: complaints of the console, requests, overflow in px, serious findings of axe."""
    words = ["node", str(HERE / "check_page.mjs"), str(CHROMIUM), page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def faults(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The views with anything amiss."""
    wrong = ("complaints", "requests", "serious")
    return [one for one in found if one["overflow"] > 0 or any(one[name] for name in wrong)]
