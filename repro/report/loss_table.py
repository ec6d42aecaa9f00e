"""The page that goes with the map of losses: rules, a table, and how well theory fits."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """# Which loss for privatised labels?

Made by `python -m repro which_loss folder=docs/explanations`; do not edit.  Numbers are root mean
squared errors of reward differences, (E⟨x, θ̂ − θ⟩²)^½.  The reward is a scalar logistic reward
whose differences fill [−B, B].  Each loss meets the adversary that is worst for it.  The class is
four times as wide as the truth, and this width limits errors at small n.

![Which loss wins over ε, corruption and n]({figure})

## What to do

- **Labels private, not corrupted: the mixture log loss.**  It is the likelihood, and no loss beats
  it where anything is learnt.  Up to ε of about 1 the square loss is as good; at ε = 8 its error is
  up to 40 % larger.
- **Some labels corrupted: the square loss.**  Its score fades where rewards are far apart, which
  keeps the worst bias small.  From ε = 2, B = 4 and n = 1e4 on it is the best of the three.  (At
  B = 12 and ε = 8 the mixture has 1.5 to four times its error.)  Up to ε of about 1 the mixture is
  within 7 % of the best.  With n = 1e3 the square loss can be 22 % worse than the best.
- **The debiased log loss** is at most 7 % better than the mixture and the square loss anywhere on
  the map.  It is up to twenty times worse where some rewards are far apart (B = 12).  It is within
  6 % of the best where all rewards are close (B = 2).  Without corruption the same holds at ε of 4
  and more (B up to 4).
- A likelihood that ignores privacy does not converge to the truth.
- IPO needs its temperature divided by c(ε).  KTO needs other weights, and with equal weights
  nothing: [IPO and KTO](ipo_and_kto.md).

## Error over the best loss's, n = {labels:.0e}

| B | α | order | ε | mixture | square | debiased | least error |
|---|---|---|---|---|---|---|---|
"""
FIT = """
## The adversary

θ̂ lies above t where the mean score at t is positive.  This has the probability Φ(√n·μ(t)/σ(t)) up
to the error of a normal limit, with μ and σ² of one label's score at t.  Consider an adversary
whose labels have means b_c on the pairs x_c.  It moves μ(t) by α·κ·Σ ρ_c·w(t·x_c)·x_c·b_c/2, with
κ = 1 under CTL and c(ε) under LTC, and w > 0 for all three losses.  So at every t, b = sign(x)
moves μ(t) most upwards and −sign(x) most downwards.  **For large n one of these two is worst,
whatever α is**, and no expansion in α is needed.  At smaller n the variance matters too.  There the
search goes on from both, and from all patterns that change sign at a threshold of |x|, by flips of
single pairs and of all.  On this map no reversed adversary and none of 200 random changes of it, in
any cell, gains more than {gain} % of the mean squared error.

## Does theory say so too?

A cell is a choice of B, α, order, ε, n and a loss.  Something is learnt in a cell if errors are
below 40 % of the rewards' own size.  In {agree} of {total} such cells the law of the score agrees
with {replicates} simulated datasets within three standard errors.  The three losses are fitted to
the same draws, so disagreements come in threes.  In all remaining cells the losses of noisy labels
have several minima; read the simulation, which starts at θ = 0.  Answers such as that of
`python -m repro which_loss epsilon=1 n_pairs=1e5` come from the law.
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
