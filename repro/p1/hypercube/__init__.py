"""The hypercube of P1's lower bound as a prior: its labels, learners, risk and proof."""
