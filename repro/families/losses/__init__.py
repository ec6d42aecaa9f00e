"""P2: uniform convergence of the losses, which loss wins where, and how many labels."""
