"""Hashes in ``verdict.json`` by which later readers notice that a run's files were changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repro.core.claims import Verdict
from repro.core.results import Result
from repro.core.verdicts import overall
from repro.report.jsonable import jsonable, plain
from repro.report.measurements import parquet_bytes

FILES, SEAL = "files", "seal"


def hashed_files(result: Result) -> dict[str, bytes]:
    """Files that ``verdict.json`` holds hashes of, by name."""
    return {"config.yaml": config_bytes(result), "measurements.parquet": parquet_bytes(result)}


def sealed(content: dict[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """The content of ``verdict.json`` with hashes of other files, then one of itself."""
    whole = content | {FILES: {name: _hash(found) for name, found in files.items()}}
    return whole | {SEAL: seal_of(whole)}


def config_bytes(result: Result) -> bytes:
    """The content of ``config.yaml``."""
    import yaml

    text = yaml.safe_dump(plain(result.config), sort_keys=False, allow_unicode=True)
    return text.encode("utf-8")


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Strict JSON, indented, for people too."""
    text = json.dumps(jsonable(content), indent=2, allow_nan=False, ensure_ascii=False)
    return f"{text}\n".encode()


def seal_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of everything in a ``verdict.json`` but the seal itself, in one spelling."""
    rest = {key: value for key, value in content.items() if key != SEAL}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return _hash(text.encode("utf-8", "surrogatepass"))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def headline(verdict: Mapping[str, Any]) -> Verdict:
    """The verdict that the checks, controls and assumptions of a ``verdict.json`` give."""
    return overall(
        (one.get("holds", True) for one in verdict.get("assumptions", ())),
        (one["verdict"] for one in verdict["controls"]),
        (one["verdict"] for one in verdict["checks"]),
    )


def changes(folder: Path, verdict: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the files of a run, a phrase each; nothing where they are as written."""
    if verdict[SEAL] != seal_of(verdict):
        yield "verdict.json was changed after the run"
    if verdict["checks"] and (found := headline(verdict)) != verdict["verdict"]:
        yield f"verdict.json says {verdict['verdict']}, its checks say {found}"
    for name, wanted in verdict[FILES].items():
        if trouble := _trouble(folder / Path(name).name, wanted):
            yield trouble


def _trouble(path: Path, wanted: str) -> str:
    try:
        found = path.read_bytes() if path.is_file() else None
    except OSError as problem:
        return f"{path.name} cannot be read: {problem.strerror}"
    if found is None:
        return f"{path.name} is missing"
    return "" if _hash(found) == wanted else f"{path.name} was changed or is of another run"
