"""``python -m repro.which_mechanism epsilon=1 delta=1e-6 n_pairs=1e5 num_features=16``.

Which way to learn a reward from n labelled pairs in d dimensions so that what is released is
(epsilon, delta)-private: objective perturbation, output perturbation or noisy gradient descent.
All three are calibrated, run on two worlds and compared; features have norm at most 1 and the
reward's vector norm at most reward_bound.  adjacency=replace (default) protects a pair against its
replacement by another, adjacency=add_remove one that comes or goes, with less noise.  Why DP-SGD is
not among them: docs/explanations/which_mechanism.md.

folder=docs/explanations writes which_mechanism.md, the table of answers, in the place of an answer.
From Python: ``repro.which_mechanism(epsilon=1, delta=1e-6, n_pairs=100_000, num_features=16)``.
"""

from repro.cli.command import run_command
from repro.mechanism_choice import main

if __name__ == "__main__":
    run_command(main, __doc__)
elif __name__ == "repro.which_mechanism":  # as an attribute of the package it would hide it
    raise ImportError(
        "repro.which_mechanism is a function; python -m repro.which_mechanism is its command"
    )
