"""``python -m repro.plan epsilon=0.5 target_gap=0.05``: how many privatised labels?

Give two of epsilon, target_gap and n_pairs; the third is answered for a loss, with or without
corruption, so that a share ``confidence`` of all datasets keeps it (.9 unless given), and beside it
the gap of no labels, the reference policy's: n_pairs = 0 where that is enough.  The answer is about
the world that is printed: instance=linear (radius=6) or preference_text, with instance.KEY=VALUE
for its fields; instance.path=FILES is for text pairs of one's own.  A question that takes longer
than a few seconds says on standard error how long.  Status 0; 2 for bad input; 3
for a question that no number of labels answers.  From Python:
``repro.plan(epsilon=0.5, target_gap=0.05)``.
"""

from repro.cli.command import run_command
from repro.planning import main

if __name__ == "__main__":
    run_command(main, __doc__)
elif __name__ == "repro.plan":  # as an attribute of the package it would hide the function
    raise ImportError("repro.plan is a function; python -m repro.plan is its command")
