"""``repro which_loss epsilon=1 corruption=0.01 order=ltc n_pairs=1e5 [margin=4]``.

Which loss to fit a reward with: the mixture log loss, the square loss or the debiased log loss.
The n labels are private at epsilon, and a share of them is corrupted before privacy (order=ctl) or
after privacy (order=ltc).  margin is the largest reward difference B of the pairs, whose
differences fill [−B, B].  Every loss meets the adversary that is worst for it at this n.
figure=FILE.svg draws the place among others.

repro plan loss= says how many labels one of these losses needs.  In repro finetune the loss
mixture is called private, square is called square, and debiased is called rdpo.
From Python: ``repro.which_loss(epsilon=1, n_pairs=100_000)``.

folder=docs/explanations simulates the map of losses and writes which_loss.md, which_loss.svg and
which_loss.csv instead of an answer.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.files import atomic_write, write_together
from repro.base.schema import Corruption, Epsilon, Model, Number, Pairs, Whole, validate
from repro.base.words import keyword_values, plain, wrapped
from repro.commands.finetune import OBJECTIVES
from repro.commands.runs.folders import ready_folder
from repro.labels.corruption.orders import Order, order_of
from repro.p2.losses.loss_choice import LossAnswer, loss_answer
from repro.p2.losses.loss_map import (
    ADVERSARIES,
    EPSILONS,
    LABELS,
    REWARD_BOUNDS,
    MapCell,
    Winner,
    loss_map,
    winners,
)
from repro.report.figure import own_defaults
from repro.report.loss_figure import draw_loss_map
from repro.report.loss_table import loss_page

TABLE_LABELS = 10**5
QUESTION = {"epsilon": "1", "n_pairs": "1e5"}
Margin = Annotated[Number, Field(ge=0.1, le=20)]


class LossRequest(Model):
    """Arguments of the command; epsilon and n_pairs are given, or the folder is."""

    epsilon: Epsilon | None = None
    n_pairs: Pairs | None = None
    corruption: Corruption = 0.0
    order: Literal["ctl", "ltc"] = "ctl"
    margin: Margin = 4.0
    figure: str | None = None
    replicates: Annotated[Whole, Field(ge=20, le=10**5)] = 400
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0
    folder: Annotated[str, Field(min_length=1)] | None = None
    reward_bounds: tuple[Margin, ...] = REWARD_BOUNDS


def which_loss(
    *,
    epsilon: float,
    n_pairs: float,
    corruption: float = 0.0,
    order: Literal["ctl", "ltc"] = "ctl",
    margin: float = 4.0,
) -> LossAnswer:
    """Which loss to fit a reward with, each against the adversary that is worst for it at this n.

    Args:
        epsilon: privacy budget of a label, in [1e-6, 100] or inf.
        n_pairs: number of labels.
        corruption: α, the share of labels that an adversary replaces, in [0, 0.5).
        order: corruption before the privacy mechanism (``ctl``) or after it (``ltc``).
        margin: B, the largest reward difference of the pairs, in [0.1, 20].

    Raises:
        repro.base.errors.BadInput: a value that cannot be used.

    >>> which_loss(epsilon=8, n_pairs=1e6, corruption=0.03, order="ltc", margin=12).best
    ('square',)
    """
    epsilon, n_pairs = _question(request := validate(LossRequest, dict(locals())))
    question = request.margin, epsilon, request.corruption, order_of(request.order), n_pairs
    return loss_answer(*question)


def main(arguments: Sequence[str]) -> int:
    """Answer on stdout, or write the map."""
    torch.set_num_threads(1)
    request = validate(LossRequest, keyword_values(arguments, LossRequest))
    if request.folder is not None:
        _refuse_both(request)
        lines = _write_map(request, ready_folder("folder", Path(request.folder)))
    else:
        lines = list(answer(request))
    for line in lines:
        print(wrapped(line))
    return 0


def answer(request: LossRequest) -> Iterator[str]:
    """Lines of the answer, the answer itself first.

    Raises:
        BadInput: a number is missing, or the figure cannot be written there.
    """
    epsilon, n_pairs = _question(request)
    _refuse_figure(request.figure)
    order, alpha = order_of(request.order), request.corruption
    advice = loss_answer(request.margin, epsilon, alpha, order, n_pairs)
    yield from advice.lines()
    yield f"place: {_place(request.margin, epsilon, alpha, order, n_pairs)}"
    if advice.learnt:
        trained = ", ".join(f"loss={OBJECTIVES[name]} is the {name} loss" for name in advice.best)
        yield f"in repro finetune: {trained}"
    if request.figure is not None:
        _draw_place(request, epsilon, n_pairs, order)
        yield f"file: {request.figure}"
    yield from _next(advice, epsilon)


def _next(advice: LossAnswer, epsilon: float) -> Iterator[str]:
    """What to type after this answer."""
    if advice.hidden:
        yield "next: ask again with less corruption"
    elif not advice.learnt:
        yield "next: ask again with more labels or a larger epsilon"
    elif math.isinf(epsilon):
        yield "next: ask again with the epsilon that you can promise"
    else:
        yield f"next: repro privatize PAIRS OUT.jsonl epsilon={plain(epsilon)}"
        yield f"then: repro finetune OUT.jsonl MODEL loss={OBJECTIVES[advice.best[0]]}"


def _question(request: LossRequest) -> tuple[float, int]:
    for name in QUESTION:
        if getattr(request, name) is None:
            allowed = f"a value is required, such as {name}={QUESTION[name]}"
            raise BadInput(name, "(missing)", f"{allowed}, or folder=FOLDER for the map")
    assert request.epsilon is not None
    assert request.n_pairs is not None
    return request.epsilon, request.n_pairs


def _refuse_figure(figure: str | None) -> None:
    """Before anything is computed."""
    if figure is not None and not (figure.endswith(".svg") and Path(figure).parent.is_dir()):
        raise BadInput("figure", figure, "allowed: NAME.svg in a folder that is there")


def _refuse_both(request: LossRequest) -> None:
    for name in (*QUESTION, "figure"):
        if (value := getattr(request, name)) is not None:
            raise BadInput(name, value, "allowed: without folder=, which asks for the whole map")


def _place(margin: float, epsilon: float, alpha: float, order: Order, n_pairs: int) -> str:
    """The cell of the map's figure that is nearest on a log scale."""
    bound = _nearest(margin, REWARD_BOUNDS)
    column = "no corruption"
    if alpha:
        drawn = _nearest(alpha, [a for a, its_order in ADVERSARIES if a and its_order is order])
        column = f"α = {drawn:g} {order}"
    cell = f"ε = {_nearest(epsilon, EPSILONS):g}, n = {_nearest(n_pairs, LABELS):.0e}"
    return f"nearest in docs/explanations/which_loss.svg: panel B = {bound:g}, {column}; {cell}"


def _nearest(value: float, places: Sequence[float]) -> float:
    return min(places, key=lambda place: abs(math.log(place / min(value, 1e300))))


def _draw_place(request: LossRequest, epsilon: float, n_pairs: int, order: Order) -> None:
    """The map's panel at the margin and corruption asked for, the nearest cell marked."""
    assert request.figure is not None
    alpha = request.corruption
    column = f"α = {alpha:g} {order}" if alpha else "no corruption"
    cells = [
        [loss_answer(request.margin, e, alpha, order, n).cell for e in EPSILONS] for n in LABELS
    ]
    at = EPSILONS.index(_nearest(epsilon, EPSILONS)), LABELS.index(int(_nearest(n_pairs, LABELS)))
    panels = {(f"B = {request.margin:g}", column): cells}
    with own_defaults():
        figure = draw_loss_map(panels, EPSILONS, LABELS, marked=at)
        with atomic_write(Path(request.figure)) as draft:
            figure.savefig(draft, metadata={"Date": None})


def _write_map(request: LossRequest, folder: Path) -> list[str]:
    """Page, figure and table of the map."""
    cells = loss_map(request.replicates, request.seed, request.reward_bounds)
    best_by_place = winners(cells)
    with own_defaults():
        figure = draw_loss_map(_panels(best_by_place, request.reward_bounds), EPSILONS, LABELS)
        figure.savefig(drawing := BytesIO(), format="svg", metadata={"Date": None})
    lines = [
        (*place[:1], place[2], place[3], place[1], winner.ratio, winner.error)
        for place, winner in best_by_place.items()
        if place[4] == TABLE_LABELS
    ]
    learnt = [cell for cell in cells if cell.learnt]
    agree = sum(cell.agrees for cell in learnt)
    gain = max((cell.gain for cell in cells), default=1.0)
    fit = (agree, len(learnt), gain)
    page = loss_page("which_loss.svg", TABLE_LABELS, lines, fit, request.replicates)
    write_together(
        {
            folder / "which_loss.csv": _as_csv(cells).encode(),
            folder / "which_loss.svg": drawing.getvalue(),
            folder / "which_loss.md": page.encode(),
        }
    )
    return [
        f"{agree} of {len(learnt)} cells in which something is learnt within three standard errors",
        f"no changed adversary gains more than {gain - 1:.2%}",
        f"files: {folder / 'which_loss.md'}, which_loss.svg, which_loss.csv",
    ]


def _panels(best_by_place: dict, bounds: Sequence[float]) -> dict:
    """Rows by n, columns by ε, of winners and of the worst ratio."""

    def shown(winner: Winner) -> tuple[tuple[str, ...], float]:
        return winner.losses, max(winner.ratio)

    panels = {}
    for bound in bounds:
        for alpha, order in ADVERSARIES:
            column = f"α = {alpha:g} {order.upper()}" if alpha else "no corruption"
            panels[f"B = {bound:g}", column] = [
                [shown(best_by_place[bound, epsilon, alpha, order, n]) for epsilon in EPSILONS]
                for n in LABELS
            ]
    return panels


def _as_csv(cells: Sequence[MapCell]) -> str:
    content = StringIO()
    writer = csv.writer(content)
    writer.writerow([field.name for field in dataclasses.fields(MapCell)])
    for cell in cells:
        values = dataclasses.astuple(cell)
        writer.writerow([_shown(v) for v in values])
    return content.getvalue()


def _shown(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value).lower()
