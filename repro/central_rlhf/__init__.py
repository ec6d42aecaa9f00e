"""Rewards and policies from a trusted curator's releases (P3, Algorithms 1 to 3)."""
