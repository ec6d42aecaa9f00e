"""The installed script ``repro``, as a module."""

import sys

from repro.commands.process.start import main

if __name__ == "__main__":
    sys.argv[0] = "repro"
    main()
