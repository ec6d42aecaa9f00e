"""Worlds, algorithms, quantities, checks: how a theorem is written down."""
