"""What the files of a finished run must hold for a page or a table to show them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from repro.core.claims import Verdict

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=80)]
"""Becomes part of a file name."""


class _Part(BaseModel):
    """Plain values as JSON and YAML have them; keys that nobody shows may be anything."""

    model_config = ConfigDict(extra="allow", strict=True)


class StoredOutcome(_Part):
    """A check, or a control with the check that it belongs to."""

    name: str
    verdict: Verdict
    check: str = ""
    kind: str = ""
    claim: str = ""
    statements: list[str] = []


class Assumption(_Part):
    """An executed assumption."""

    name: str
    holds: bool
    detail: str = ""


class Files(_Part):
    """Hashes of the files that a verdict was read off."""

    config: Annotated[str, Field(alias="config.yaml")]
    measurements: Annotated[str, Field(alias="measurements.parquet")]


class VerdictFile(_Part):
    """``verdict.json``; one without its seal is no run's."""

    theorem: Name
    statements: list[str]
    verdict: Verdict
    complete: bool
    rows: Annotated[list[int], Field(min_length=2, max_length=2)]
    checks: list[StoredOutcome]
    controls: list[StoredOutcome]
    assumptions: list[Assumption] = []
    seed: int
    budget: str
    files: Files
    seal: str


class FactsFile(_Part):
    """``run.json``."""

    seconds: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    finished: str = ""
    versions: dict[str, Any] | None = None


class Instance(_Part):
    """The instance of a config."""

    kind: Name = "linear"


class ConfigFile(_Part):
    """``config.yaml``."""

    instance: Instance | None = None
