"""The process around a command: words, signals, streams, exit status."""
