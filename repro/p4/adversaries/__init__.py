"""Adversaries that know the estimator: who sets labels, and the worst that they can do (P4)."""
