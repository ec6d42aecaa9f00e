"""Which loss wins where: ``repro.which_loss`` of one place, and the command that draws the map."""

from __future__ import annotations

import csv
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.keywords import keyword_values
from repro.base.schema import Epsilon, Model, Number, Pairs, Positive, Whole, validate
from repro.corruption.orders import order_of
from repro.families.losses.algorithms_losses import LOSSES, LossName
from repro.families.losses.loss_map import (
    ADVERSARIES,
    EPSILONS,
    LABELS,
    REWARD_BOUNDS,
    MapCell,
    Winner,
    loss_map,
    winner_at,
    winners,
)
from repro.report.loss_figure import draw_loss_map
from repro.report.loss_table import loss_page
from repro.report.own_defaults import own_defaults

TABLE_LABELS = 10**5
REFUSED = 2


class MapRequest(Model):
    """Arguments of the command."""

    replicates: Annotated[Whole, Field(ge=20, le=10**5)] = 400
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0
    folder: Annotated[str, Field(min_length=1)] = "docs/explanations"
    reward_bounds: tuple[float, ...] = REWARD_BOUNDS


class PlaceRequest(Model):
    """Arguments of the function."""

    epsilon: Epsilon
    n_pairs: Pairs
    reward_bound: Annotated[Positive, Field(ge=0.01, le=20)] = 4.0
    corruption: Annotated[Number, Field(ge=0, lt=0.5)] = 0.0
    order: Literal["ctl", "ltc"] = "ctl"
    replicates: Annotated[Whole, Field(ge=20, le=10**5)] = 400
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0


@dataclass(frozen=True, repr=False)
class LossChoice:
    """How the losses do at one place.

    Attributes:
        losses: the best, and those within 2 % of it, by root mean squared error.
        errors: root mean squared error of the reward difference of each loss [reward].
    """

    losses: tuple[LossName, ...]
    errors: Mapping[LossName, float]

    def __repr__(self) -> str:
        """The best losses, then the error of each: four lines."""
        lines = [f"  {loss}: error {error:.3g} [reward]" for loss, error in self.errors.items()]
        return "\n".join([f"use {' or '.join(self.losses)}", *lines])


def which_loss(
    *,
    epsilon: float,
    n_pairs: float,
    reward_bound: float = 4.0,
    corruption: float = 0.0,
    order: Literal["ctl", "ltc"] = "ctl",
    replicates: int = 400,
    seed: int = 0,
) -> LossChoice:
    """Which loss estimates a scalar reward best, by simulation with every loss.

    Args:
        epsilon: privacy budget of a label, in [1e-6, 100] or inf.
        n_pairs: number of labels.
        reward_bound: B, the largest reward difference.
        corruption: α, the share of labels the worst adversary found replaces, in [0, 0.5).
        order: corruption before the privacy mechanism (``ctl``) or after it (``ltc``).
        replicates: simulated datasets.
        seed: of the simulation.

    Raises:
        repro.base.errors.BadInput: a value that cannot be used.

    >>> which_loss(epsilon=8, n_pairs=1e7, reward_bound=12, corruption=0.05, replicates=50).losses
    ('square',)
    """
    request = validate(PlaceRequest, dict(locals()))
    found = winner_at(
        (
            request.reward_bound,
            request.epsilon,
            request.corruption,
            order_of(request.order),
            request.n_pairs,
        ),
        request.replicates,
        request.seed,
    )
    errors: dict[LossName, float] = {
        name: found.error * ratio for name, ratio in zip(LOSSES, found.ratio, strict=True)
    }
    return LossChoice(found.losses, errors)


def main(arguments: Sequence[str]) -> int:
    """Run; 0, or 2 with one line on bad input."""
    try:
        request = validate(MapRequest, keyword_values(arguments, MapRequest))
        folder = Path(request.folder)
        folder.mkdir(parents=True, exist_ok=True)
    except (BadInput, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    torch.set_num_threads(1)
    cells = loss_map(request.replicates, request.seed, request.reward_bounds)
    found = winners(cells)
    _write_csv(cells, folder / "which_loss.csv")
    with own_defaults():
        figure = draw_loss_map(_panels(found, request.reward_bounds), EPSILONS, LABELS)
        figure.savefig(folder / "which_loss.svg", metadata={"Date": None})
    large = [cell for cell in cells if cell.large_sample]
    agree = sum(cell.agrees for cell in large)
    lines = [
        (*place[:1], place[2], place[3], place[1], winner.ratio, winner.error)
        for place, winner in found.items()
        if place[4] == TABLE_LABELS
    ]
    page = loss_page("which_loss.svg", TABLE_LABELS, lines, agree, len(large), request.replicates)
    (folder / "which_loss.md").write_text(page, encoding="utf-8")
    print(f"{agree} of {len(large)} large-sample cells within three standard errors")
    print(f"files: {folder / 'which_loss.md'}, which_loss.svg, which_loss.csv")
    return 0


def _panels(found: dict, bounds: Sequence[float]) -> dict:
    """Rows by n, columns by ε, of winners and of the worst ratio."""

    def shown(winner: Winner) -> tuple[tuple[str, ...], float]:
        return winner.losses, max(winner.ratio)

    panels = {}
    for bound in bounds:
        for alpha, order in ADVERSARIES:
            column = f"α = {alpha:g} {order.upper()}" if alpha else "no corruption"
            panels[f"B = {bound:g}", column] = [
                [shown(found[bound, epsilon, alpha, order, n]) for epsilon in EPSILONS]
                for n in LABELS
            ]
    return panels


def _write_csv(cells: Sequence[MapCell], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow([field.name for field in dataclasses.fields(MapCell)])
        for cell in cells:
            values = dataclasses.astuple(cell)
            writer.writerow([_shown(v) for v in values])


def _shown(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value).lower()
