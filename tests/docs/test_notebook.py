"""The notebook runs from its first cell to its last, and shows what its text says."""

import nbformat
import pytest
from nbclient import NotebookClient

from repro.base.places import PACKAGE
from tests.near_numbers import NUMBER, near

pytestmark = pytest.mark.slow

BOOK = PACKAGE.parent / "docs" / "from_python.ipynb"


def text(book):
    """What all cells show, pictures apart."""
    outputs = [one for cell in book.cells for one in cell.get("outputs", ())]
    return "\n".join(one.get("text") or one["data"]["text/plain"] for one in outputs)


def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    given = nbformat.read(BOOK, as_version=4)
    shipped = text(given)
    client = NotebookClient(
        given, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    done = client.execute()
    assert NUMBER.sub("#", text(done)) == NUMBER.sub("#", shipped), "python -m tools.run_notebook"
    numbers = zip(NUMBER.findall(text(done)), NUMBER.findall(shipped), strict=True)
    assert all(near(*pair) for pair in numbers), "python -m tools.run_notebook"
    shown = [one for cell in done.cells for one in cell.get("outputs", ())]
    assert any("<table>" in one.get("data", {}).get("text/html", "") for one in shown)
    assert any("image/png" in one.get("data", {}) for one in shown)
    told = [one.get("data", {}).get("text/plain", "") for one in shown]
    assert any(one.startswith("n_pairs = ") for one in told)
    assert any(one.startswith("square or mixture loss: a tie") for one in told)
    assert "('contradicted', 1.9" in shown[-1]["data"]["text/plain"]
