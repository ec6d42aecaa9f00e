"""``python -m repro theorem=offline_gap`` and ``python -m repro COMMAND``."""

from repro.commands.process.start import python_m

if __name__ == "__main__":
    python_m()
