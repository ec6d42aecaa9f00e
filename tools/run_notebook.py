"""``python -m tools.run_notebook``: the outputs of docs/from_python.ipynb anew.

Takes about a minute; needs the extra ``dev``.
"""

from __future__ import annotations

from pathlib import Path

from repro.base.files import write_whole

BOOK = Path("docs/from_python.ipynb")


def main() -> None:
    """Execute every cell."""
    import nbformat
    from nbclient import NotebookClient

    given = nbformat.read(BOOK, as_version=4)
    client = NotebookClient(given, timeout=600, kernel_name="python3", record_timing=False)
    write_whole(BOOK, nbformat.writes(client.execute()))
    print(BOOK)


if __name__ == "__main__":
    main()
