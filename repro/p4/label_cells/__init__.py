"""Label cells: feature differences, how often they are labelled, and a true parameter (P4)."""
