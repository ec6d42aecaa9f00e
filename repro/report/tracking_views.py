"""Views of the table of runs that MLflow's UI opens by a link, with columns that answer something.

The UI keeps a view that is shared as a tag of the experiment, and opens it where the address ends
in ``?viewStateShareKey=NAME``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

TAG = "mlflow.sharedViewState."
NAME = "attributes.`Run Name`"
WIDTHS = {NAME: 290, "tags.`theorem`": 220, "tags.`verdict`": 130}
NUMBER = 95
"""Pixels of a column; the UI's own 190 of a name show twenty characters."""


@dataclass(frozen=True)
class View:
    """A search and the columns that show what it finds.

    Attributes:
        search: in MLflow's language of filters; empty for all runs, each with its checks below.
        columns: kind and name of each.
        order: what rows are ordered by; by any but the date the UI lists checks without the runs
            that they are nested in.
        ascending: the smallest first.
    """

    search: str
    columns: tuple[tuple[str, str], ...]
    order: str = "attributes.start_time"
    ascending: bool = False

    def state(self) -> str:
        """As the UI keeps it."""
        columns = [f"{kind}.`{name}`" for kind, name in self.columns]
        order = [NAME, *columns]
        state = {
            "searchFilter": self.search,
            "orderByKey": self.order,
            "orderByAsc": self.ascending,
            "selectedColumns": columns,
            "columnOrder": order,  # which the UI gives no width that stands not in it
            "columnWidths": {column: WIDTHS.get(column, NUMBER) for column in order},
        }
        return json.dumps(state)


_HOW = tuple(("tags", name) for name in ("as_expected", "epsilon", "budget"))
_RUN = (
    *(("tags", name) for name in ("theorem", "verdict")),
    *(("metrics", name) for name in ("supported", "contradicted", "claimed", "measured")),
    *_HOW,
)
_CHECK = (
    *(("tags", name) for name in ("theorem", "verdict")),
    *(("metrics", name) for name in ("claimed", "measured", "tolerance", "slack")),
    *_HOW,
)
_CONTRADICTED_FIRST = {"order": "metrics.`verdict`", "ascending": True}

VIEWS = {
    "runs": View("", _RUN),  # with a search the UI has no checks to unfold a run into
    "checks": View("tags.level = 'check'", _CHECK, **_CONTRADICTED_FIRST),
    "surprises": View(
        "tags.level = 'check' AND tags.as_expected = 'false'", _CHECK, **_CONTRADICTED_FIRST
    ),
}
"""By the name that the link ends in."""


def view_tags() -> dict[str, str]:
    """Tags of an experiment that hold all views."""
    return {TAG + name: view.state() for name, view in VIEWS.items()}
