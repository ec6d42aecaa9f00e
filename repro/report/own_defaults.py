"""Figures look the same whatever the user's matplotlibrc says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_defaults() -> Iterator[None]:
    """Matplotlib's own defaults and fixed SVG ids, undone on leaving; the backend is not touched.

    A user's file may ask for TeX, which may be missing, or for other fonts.
    """
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "repro"
        yield
