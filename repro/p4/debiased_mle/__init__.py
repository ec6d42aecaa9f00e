"""P4's Algorithm 1, the debiased maximum likelihood estimate of attacked labels, and its error."""
