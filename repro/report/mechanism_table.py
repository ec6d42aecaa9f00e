"""The page that goes with the comparison of private mechanisms: rules and a table."""

from __future__ import annotations

from collections.abc import Sequence

from repro.labels.privacy.adjacency import ADD_REMOVE, REPLACE, Adjacency

CHANGED = {REPLACE: "replaced by another", ADD_REMOVE: "added or removed"}
HEAD = """# Which private mechanism for a reward?

Made by `python -m repro which_mechanism folder=docs/explanations`; do not edit. The page compares
objective perturbation, output perturbation and noisy gradient descent. All three are
(ε, δ)-private when one labelled pair is {changed}. The table takes δ = {delta:g}, ‖φ‖ ≤ 1,
‖θ‖ ≤ B = {bound:g} and ‖θ*‖ = 0.9 B. [mechanism_comparison](mechanism_comparison.md) says why each
is private, and what can be proved of its error. This command answers a question:

```bash
python -m repro which_mechanism epsilon=1 delta=1e-6 n_pairs=1e5 num_features=16 verbose=true
```

**Its world is another than the table's.** The answer has ‖x‖ = 0.5, as features of two texts
differ; the table has the largest ‖x‖ = 2, and sixteen times as much to learn from a pair. The
answer has the error of `repro private_reward`, whose ridge does not know the world; the table's
ridges do. No command runs output perturbation and gradient descent. So `verbose=true` prints each
mechanism in full: features, ball, adjacency, minimiser, steps and step length. It prints deviations
and ridges rounded up so that the printed digits are private. With `adjacency=add_remove` the noise
covers pairs that come or go, not pairs that are replaced. For output perturbation and descent it is
1.44 times less at B = 1, d ≥ 2.

## What to do

- **Objective perturbation**, unless the table says otherwise. In the table its error is at most
  {behind:.2f} times the least of the three; outside the table this is no bound. Its least ridge may
  cost 1 to 70 % of ε, the best of eight shares with the world known. A single share for all worlds
  would be worse where n is small. It has no steps. It needs the exact minimiser of a convex loss,
  and [`repro private_reward`](../howto/private_reward.md) pays for an inexact minimiser.
- **Noisy gradient descent** has a few percent less noise and no ridge, so it wins where nε/d is
  small. It needs the right number of steps and step length; both are tuned here with the world
  known. On a thin spectrum it falls behind once n asks for more steps than are taken (300 here).
- **DP-SGD** is noisy gradient descent that reads a random share of the pairs in each step. It is
  not in the table, because what it saves is time. Let C be the largest gradient. In as many steps
  its noise is 2C/D times the noise of descent, within the accountant's few percent. This is 1.39 at
  B = 1 where a pair is replaced, and 1 where a pair is added. The sampling of its batches adds to
  the error. It was compared with objective perturbation by dp-accounting, at the same pairs, ε, δ
  and adjacency ([checks `batches_*`](mechanism_comparison.md)). Where data cover all directions it
  has 1.1 to 1.3 times the squared error (ε = 1, n ≥ 1e5). On a thin spectrum with few pairs the two
  are even.
- **Output perturbation** with noise for the worst dataset moves the estimate by 1/√(nε).
  Objective perturbation moves it by 1/(nε). (Both are proved where data cover all directions; for
  descent this is measured.) Outside brackets the error of output perturbation is below the error of
  objective perturbation in {better} of {places} places.
- Brackets mean that on one of the worlds no mechanism is better by 10 % than a reward of 0, which
  reads no label.

## Errors

Entries are root mean squared errors of reward differences on two worlds: all directions covered
evenly, and each direction a quarter as often as the one before. Each world has two columns. The
first is the error without privacy → the least private error. The second has the errors of objective
perturbation / output perturbation / descent over the least.

| ε | d | n | use | even | objective / output / descent | thin | objective / output / descent |
|---|---|---|---|---|---|---|---|
"""


def mechanism_page(
    lines: Sequence[Sequence[object]],
    delta: float,
    bound: float,
    behind: float,
    better: int,
    places: int,
    adjacency: Adjacency,
) -> str:
    """The page as Markdown.

    Args:
        lines: ε, d, n, advice, and two cells for each of two worlds.
        delta: δ of the table.
        bound: B.
        behind: largest error of objective perturbation over the least.
        better: places outside brackets where output perturbation has the smaller error.
        places: outside brackets, a place being ε, d, n and a world.
        adjacency: what neighbours are.
    """
    table = [
        f"| {epsilon:g} | {d} | {n_pairs:.0e} | {' | '.join(map(str, rest))} |"
        for epsilon, d, n_pairs, *rest in lines
    ]
    head = HEAD.format(
        delta=delta, bound=bound, behind=behind, better=better, places=places,
        changed=CHANGED[adjacency],
    )  # fmt: skip
    return head + "\n".join(table) + "\n"
