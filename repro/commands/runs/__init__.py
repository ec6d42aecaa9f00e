"""Runs of experiments from the command line: settings, folders, sweeps."""
