"""Between which values the checks of an experiment are made, by its config; nothing is run."""

from __future__ import annotations

from collections.abc import Iterable

from repro.base.files import yaml_mapping
from repro.base.notation import SYMBOLS
from repro.base.places import places
from repro.catalogue.summaries import CheckSummary
from repro.core.worlds import FIELD_OF

FIXED = ("n_pairs", "horizon", "epsilon", "corruption", "reward_bound")
"""Fields of a world that are named where no check sweeps them, too."""


def ranges(experiment: str, checks: Iterable[CheckSummary]) -> str:
    """The ends of all values of n, T, ε, α and B, and of what is swept, over some checks.

    >>> from repro.catalogue.summaries import summaries
    >>> checks = summaries()["square_chipo"].checks
    >>> ranges("square_chipo", [check for check in checks if check.name == "corruption_ctl"])
    'α 0.0003 to 0.01, n = 1e+13, ε = 1, B = 1'
    """
    config = next((place.config(experiment) for place in places() if place.has(experiment)), None)
    content = yaml_mapping("theorem", config) if config else {}
    worlds = content.get("worlds", {})
    values: dict[str, set[float]] = {}
    for check in checks:
        sweep = content.get("sweeps", {}).get(check.name, {})
        world = worlds.get(sweep.get("world"), {}) | sweep
        swept, _ = FIELD_OF.get(check.axis, (check.axis, None))
        given = {name: [world[name]] for name in FIXED if name in world and name != swept}
        for name, numbers in {check.axis: sweep.get("grid", []), **given}.items():
            values.setdefault(name, set()).update(map(float, numbers))
    several_first = sorted(values, key=lambda name: len(values[name]) == 1)
    return ", ".join(_words(name, values[name]) for name in several_first if values[name])


def _words(name: str, values: set[float]) -> str:
    symbol, ends = SYMBOLS.get(name, name), (min(values), max(values))
    if ends[0] == ends[1]:
        return f"{symbol} = {ends[0]:.4g}"
    return f"{symbol} {ends[0]:.4g} to {ends[1]:.4g}"
