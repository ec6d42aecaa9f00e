"""Every numbered statement of the four papers and what settles it."""
