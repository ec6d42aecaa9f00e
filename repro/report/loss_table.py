"""The page that goes with the map of losses: rules, a table, and how well theory fits."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """# Which loss for privatised labels?

Made by `python -m repro.which_loss`; do not edit.  Numbers are root mean squared errors of reward
differences, E⟨x, θ̂ − θ⟩², of a scalar logistic reward whose differences fill [−B, B], each
loss against the adversary that is worst for it.  The class is four times as wide as the truth, and
errors at small n are limited by it.

![Which loss wins over ε, corruption and n]({figure})

## What to do

- **Labels private, not corrupted: the mixture log loss.**  It is the likelihood, and no loss beats
  it for large n.  Up to ε of about 1 the square loss is as good; at ε = 8 its error is up to 40 %
  larger.
- **Some labels corrupted: the square loss.**  Its score fades where rewards are far apart, which
  keeps the worst bias small: from ε = 2, B = 4 and n = 1e4 on it is the best of the three (at
  B = 12 and ε = 8 the mixture has two to four times its error).  Up to ε of about 1 the mixture is
  within 4 % of it.
- **The debiased log loss** is at most 4 % better than the others anywhere on the map, and up to
  twelve times worse where some rewards are far apart (B = 12); it is as good where all rewards are
  close (B = 2) and, without corruption, at ε of 4 and more (B up to 4).
- A likelihood that ignores privacy does not converge at all.

## Error over the best loss's, n = {labels:.0e}

| B | α | order | ε | mixture | square | debiased | least error |
|---|---|---|---|---|---|---|---|
"""
FIT = """
## Does theory say so too?

Large-sample risks (sandwich variance by quadrature, plus the squared worst-case bias) agree with
{replicates} simulated datasets a cell within three standard errors in {agree} of {total} cells
(a cell: B, α, order, ε, n and a loss) where variance/n is below 0.1 % of the mean squared reward
difference.  Losses of a place see the same draws, so disagreements come in threes.  Where
variance/n is larger, read the simulation: the debiased loss then often sits on the boundary of
the class.
"""


def loss_page(
    figure: str,
    labels: int,
    lines: Sequence[tuple[float, float, str, float, Sequence[float], float]],
    agree: int,
    total: int,
    replicates: int,
) -> str:
    """The page as Markdown.

    Args:
        figure: file name of the figure.
        labels: n of the table.
        lines: B, α, order, ε, ratio of each loss, least error.
        agree: large-sample cells in agreement.
        total: large-sample cells.
        replicates: datasets a cell.
    """
    rows = "".join(
        f"| {bound:g} | {alpha:g} | {order if alpha else '–'} | {epsilon:g} | "
        + " | ".join(f"**{r:.2f}**" if r <= 1.02 else f"{r:.2f}" for r in ratios)
        + f" | {error:.3g} |\n"
        for bound, alpha, order, epsilon, ratios, error in lines
    )
    head = HEAD.format(figure=figure, labels=labels)
    return head + rows + FIT.format(agree=agree, total=total, replicates=replicates)
