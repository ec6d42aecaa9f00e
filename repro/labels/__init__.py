"""The law of a label: privacy, corruption, and files of preferences."""
