"""The tables of a new MLflow store are those that MLflow makes."""

import mlflow
import pytest

from repro.report import tracking_store
from tools.mlflow_tables import statements


def lines(sql: str) -> list[str]:
    """Its lines in one order: MLflow makes indices and constraints in any."""
    return sorted(line.strip(", ") for line in sql.splitlines())


@pytest.mark.slow
def test_shipped_tables_are_those_of_the_installed_mlflow():
    shipped = tracking_store.TABLES.read_text("utf-8")
    assert lines(shipped) == lines(statements()), "python -m tools.mlflow_tables writes them"


def test_another_mlflow_makes_its_own_tables(tmp_path, monkeypatch):
    other = tmp_path / "other.sql"
    other.write_text("-- MLflow 0.0.1\nCREATE TABLE wrong (name TEXT);\n", encoding="utf-8")
    monkeypatch.setattr(tracking_store, "TABLES", other)
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    with tracking_store.quiet_mlflow(), tracking_store.open_store(uri, "repro") as (client, own):
        assert client.get_experiment(own).name == "repro"
        assert mlflow.__version__ != "0.0.1"
