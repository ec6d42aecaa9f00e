"""One self-contained page over everything that has been run."""
