"""P1's Theorem 4.2 corrected: W(B, ε) in bounds, steps of their proofs and quantiles."""
