"""PrivXPO and SquareXPO (P2, Algorithms 2 and 4): policies, rounds, and the worst reward."""
