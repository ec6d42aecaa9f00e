"""P2, offline: policy optimisation with mixed χ²- and KL-regularisation, and the KL plug-in."""
