"""Templates of ``python -m repro new_theorem``."""
