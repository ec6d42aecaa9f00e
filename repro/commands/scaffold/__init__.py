"""Templates of ``repro new_theorem`` and ``repro new_paper``."""
