"""``python -m repro theorem=offline_gap`` and ``python -m repro COMMAND``."""

import signal

if __name__ == "__main__":
    # until ``signals.hear``: Ctrl-C ends the process in silence, and not with a traceback
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from repro.commands.process.start import python_m

    python_m()
