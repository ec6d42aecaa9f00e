"""Language models: losses that need only torch; nothing here imports a model library."""
