"""The leaf: notation, checked values, files and messages that every other room uses."""
