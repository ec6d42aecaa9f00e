"""P2, online: exploratory preference optimisation (PrivXPO, SquareXPO)."""
