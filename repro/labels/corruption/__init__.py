"""Corrupted labels: Huber's model, the strong adversary, and their order with privacy."""
