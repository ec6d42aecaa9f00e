"""Offline learning from private labels with pessimism (P1, Algorithm 1) and what it leaves."""
