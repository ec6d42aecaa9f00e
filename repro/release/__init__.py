"""Label-private releases of real preference files, and attacks on anybody's releases."""
