"""``python -m repro.which_loss epsilon=1 corruption=0.01 order=ltc n_pairs=1e5 [margin=4]``.

Which loss to fit a reward with: mixture log, square or debiased log loss of n labels that are
private at epsilon, a share of them corrupted before (order=ctl) or after (order=ltc) privacy.
margin is the largest reward difference B of the pairs, whose differences fill [−B, B].  Every loss
meets the adversary that is worst for it at this n.  figure=FILE.svg draws the place among others.
From Python: ``repro.which_loss(epsilon=1, n_pairs=100_000)``.

folder=docs/explanations simulates the map of losses and writes which_loss.md, which_loss.svg and
which_loss.csv in the place of an answer.
"""

from repro.cli.command import run_command
from repro.loss_choice import main

if __name__ == "__main__":
    run_command(main, __doc__)
elif __name__ == "repro.which_loss":  # as an attribute of the package it would hide the function
    raise ImportError("repro.which_loss is a function; python -m repro.which_loss is its command")
