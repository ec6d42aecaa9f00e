"""Experiments on language models: P1's Section 6, P4's Appendix D, and P2's χPO."""
