"""Write what makes the tables of the installed MLflow: ``python -m tools.mlflow_tables``.

To be run after each new version.  A new store then takes .01 seconds of CPU in the place of 1.6.
"""

import sqlite3
from contextlib import closing

import mlflow

from repro.report.tracking_store import TABLES, quiet_mlflow, tables_of_mlflow


def statements() -> str:
    """SQL of MLflow's tables with their revision; its default experiment is left to MLflow."""
    with quiet_mlflow(), tables_of_mlflow() as memory, closing(sqlite3.connect(":memory:")) as copy:
        memory.backup(copy)
        copy.execute("DELETE FROM experiments")
        copy.commit()
        return "\n".join([f"-- MLflow {mlflow.__version__}", *copy.iterdump(), ""])


if __name__ == "__main__":
    TABLES.write_text(statements(), encoding="utf-8")
