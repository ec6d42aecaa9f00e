"""The mathematics of the suite by family; families do not import each other."""
