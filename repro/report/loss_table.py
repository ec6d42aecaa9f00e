"""The page that goes with the map of losses: rules, a table, and how well theory fits."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """# Which loss for privatised labels?

Made by `python -m repro which_loss folder=docs/explanations`; do not edit.  Numbers are root mean
squared errors of reward differences, (E⟨x, θ̂ − θ⟩²)^½, of a scalar logistic reward whose
differences fill [−B, B], each loss against the adversary that is worst for it.  The class is four
times as wide as the truth, and errors at small n are limited by it.

![Which loss wins over ε, corruption and n]({figure})

## What to do

- **Labels private, not corrupted: the mixture log loss.**  It is the likelihood, and no loss beats
  it where anything is learnt.  Up to ε of about 1 the square loss is as good; at ε = 8 its error is
  up to 40 % larger.
- **Some labels corrupted: the square loss.**  Its score fades where rewards are far apart, which
  keeps the worst bias small: from ε = 2, B = 4 and n = 1e4 on it is the best of the three (at
  B = 12 and ε = 8 the mixture has 1.5 to four times its error).  Up to ε of about 1 the mixture is
  within 7 % of the best.  With n = 1e3 the square loss can be 22 % worse than the best.
- **The debiased log loss** is at most 7 % better than the others anywhere on the map, and up to
  twenty times worse where some rewards are far apart (B = 12); it is within 6 % of the best
  where all rewards are close (B = 2) and, without corruption, at ε of 4 and more (B up to 4).
- A likelihood that ignores privacy does not converge to the truth.
- IPO needs its temperature divided by c(ε), KTO other weights and with equal ones nothing:
  [IPO and KTO](ipo_and_kto.md).

## Error over the best loss's, n = {labels:.0e}

| B | α | order | ε | mixture | square | debiased | least error |
|---|---|---|---|---|---|---|---|
"""
FIT = """
## The adversary

θ̂ lies above t where the mean score at t is positive, which has the probability Φ(√n·μ(t)/σ(t)) up
to the error of a normal limit (μ and σ² of one label's score at t).  An adversary whose labels have
means b_c on the pairs x_c moves μ(t) by α·κ·Σ ρ_c·w(t·x_c)·x_c·b_c/2, κ = 1 under CTL and c(ε)
under LTC, with w > 0 for all three losses.  So at every t, b = sign(x) moves it most upwards and
−sign(x) most downwards: **for large n one of these two is worst, whatever α is**, and no expansion
in α is needed.  At smaller n the variance has a say; there the search goes on from both, and from
all patterns that change sign at a threshold of |x|, by flips of single pairs and of all.  On this
map no reversed adversary and none of 200 random changes of it, in any cell, gains more than
{gain} % of the mean squared error.

## Does theory say so too?

The law of the score agrees with {replicates} simulated datasets a cell within three standard errors
in {agree} of {total} cells (a cell: B, α, order, ε, n and a loss) in which something is learnt:
errors below 40 % of the rewards' own size.  The three losses are fitted to the same draws, so
disagreements come in threes.  Elsewhere the losses of noisy labels have several minima; read the
simulation, which starts at θ = 0.  Answers such as that of
`python -m repro which_loss epsilon=1 n_pairs=1e5` are the law's.
"""


def loss_page(
    figure: str,
    labels: int,
    lines: Sequence[tuple[float, float, str, float, Sequence[float], float]],
    fit: tuple[int, int, float],
    replicates: int,
) -> str:
    """The page as Markdown.

    Args:
        figure: file name of the figure.
        labels: n of the table.
        lines: B, α, order, ε, ratio of each loss, least error.
        fit: cells in agreement, cells compared, and the largest gain of a changed adversary.
        replicates: datasets a cell.
    """
    rows = "".join(
        f"| {bound:g} | {alpha:g} | {order if alpha else '–'} | {epsilon:g} | "
        + " | ".join(f"**{r:.2f}**" if r <= 1.02 else f"{r:.2f}" for r in ratios)
        + f" | {error:.3g} |\n"
        for bound, alpha, order, epsilon, ratios, error in lines
    )
    head = HEAD.format(figure=figure, labels=labels)
    agree, total, gain = fit
    said = {"agree": agree, "total": total, "gain": f"{100 * (gain - 1):.2f}"}
    return head + rows + FIT.format(replicates=replicates, **said)
