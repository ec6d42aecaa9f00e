"""``python -m repro.which_loss [replicates=400] [seed=0] [folder=docs/explanations]``.

Simulates the map of losses and writes which_loss.md, which_loss.svg and which_loss.csv.  One place
of the map from Python: ``repro.which_loss(epsilon=0.5, n_pairs=10_000)``.
"""

from repro.cli.command import run_command
from repro.loss_choice import main

if __name__ == "__main__":
    run_command(main, __doc__)
elif __name__ == "repro.which_loss":  # as an attribute of the package it would hide the function
    raise ImportError("repro.which_loss is a function; python -m repro.which_loss is its command")
