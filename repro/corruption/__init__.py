"""Corruption of labels, alone and together with privacy."""
