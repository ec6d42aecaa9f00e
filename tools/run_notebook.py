"""``python -m tools.run_notebook``: docs/from_python.ipynb with its outputs, for the site.

They are kept in outputs/from_python.ipynb; the notebook of the repository has none, which would go
stale.  Takes about a minute; needs the extra ``dev``.
"""

from __future__ import annotations

from pathlib import Path

from repro.base.files import write_whole

SOURCE, TARGET = Path("docs/from_python.ipynb"), Path("outputs/from_python.ipynb")


def main() -> None:
    """Execute every cell."""
    import nbformat
    from nbclient import NotebookClient

    client = NotebookClient(nbformat.read(SOURCE, as_version=4), timeout=600, kernel_name="python3")
    TARGET.parent.mkdir(exist_ok=True)
    write_whole(TARGET, nbformat.writes(client.execute()))
    print(TARGET)


if __name__ == "__main__":
    main()
