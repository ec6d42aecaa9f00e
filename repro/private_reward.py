"""A reward from preference pairs, released with (epsilon, delta) privacy.

    python -m repro.private_reward PAIRS OUT.json epsilon=1 delta=1e-6
        reward_bound=B [adjacency=replace|add_remove] [labels=FILE]
        [num_features=16] [covariance=true] [size=N] [unit=FIELD at_most=M]
        [compose=true] [resume=true] [ledger=FOLDER]

PAIRS has prompt, chosen and rejected, in any format that repro.privatize
reads; or it is a matrix, .npy or .csv: (n, d) differences of features,
response 1 less response 2, or (n, 2, d) both, with labels=FILE of n numbers,
+1 where response 1 is preferred and -1 where response 2 is.  A pair's texts
or features are protected with its label.  Features longer than 1 are clipped;
B is a public bound of the reward's vector.

adjacency=replace: one pair is replaced by another; their number is public.
adjacency=add_remove: one pair comes or goes; size=N, a public guess of their
number, tunes the ridge.  unit=annotator at_most=M protects all pairs of one
value of that field, and uses M of them at most.  covariance=true releases the
second moment of the differences, too, under the same budget.

OUT.json holds the reward and a card: guarantee, adjacency, unit, clipping,
what is public, noise.  The budget is spent in the ledger of label releases
before the file can be read; pairs that were released before are refused
without compose=true.  Noise comes from the operating system; a seed is
refused.  What fails after the budget was spent is published by resume=true.
Status 0; 2 for bad input, with nothing written or spent.  From Python:
repro.private_reward(pairs, epsilon=1, delta=1e-6, reward_bound=1).score(...).
"""

from repro.cli.command import run_command
from repro.private_rewards import main

if __name__ == "__main__":
    run_command(main, __doc__, private=True)
elif __name__ == "repro.private_reward":  # as an attribute it would hide the function
    raise ImportError("repro.private_reward is a function; python -m repro.private_reward runs it")
