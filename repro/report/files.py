"""The files of one run; the same result gives the same bytes, timings live in ``run.json``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from repro.base.files import write_together, write_whole
from repro.core.claims import Verdict
from repro.core.results import CheckResult, Result
from repro.core.verdicts import overall
from repro.report.record import jsonable, plain, verdict_content
from repro.report.run_facts import run_facts

if TYPE_CHECKING:
    from pandas import DataFrame

FILES, SEAL = "files", "seal"


def hashed_files(result: Result) -> dict[str, bytes]:
    """Files that ``verdict.json`` holds hashes of, by name."""
    return {"config.yaml": config_bytes(result), "measurements.parquet": parquet_bytes(result)}


def sealed(content: dict[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """The content of ``verdict.json`` with hashes of other files, then one of itself."""
    whole = content | {FILES: {name: _hash(data) for name, data in files.items()}}
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
        (entry.get("holds", True) for entry in verdict.get("assumptions", ())),
        (entry["verdict"] for entry in verdict["controls"]),
        (entry["verdict"] for entry in verdict["checks"]),
    )


def changes(folder: Path, verdict: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the files of a run, a phrase each; nothing where they are as written."""
    if verdict[SEAL] != seal_of(verdict):
        yield "verdict.json was changed after the run"
    if verdict["checks"] and (headline_now := headline(verdict)) != verdict["verdict"]:
        yield f"verdict.json says {verdict['verdict']}, its checks say {headline_now}"
    for name, wanted in verdict[FILES].items():
        if trouble := _trouble(folder / Path(name).name, wanted):
            yield trouble


def _trouble(path: Path, wanted: str) -> str:
    try:
        data = path.read_bytes() if path.is_file() else None
    except OSError as problem:
        return f"{path.name} cannot be read: {problem.strerror}"
    if data is None:
        return f"{path.name} is missing"
    return "" if _hash(data) == wanted else f"{path.name} was changed or is of another run"


COLUMNS = {
    "check": "str",
    "quantity": "str",
    "method": "str",
    "axis": "str",
    "value": "float64",
    "replicate_block": "int64",
    "mean": "float64",
    "variance": "float64",
    "count": "int64",
    "failed": "int64",
}
"""Columns of ``measurements.parquet`` and their pandas dtypes."""


def measurements_frame(result: Result) -> DataFrame:
    """Long form: a row per check, method, grid value and replicate block, in run order.

    ``mean`` and ``variance`` (ddof 1) are over the ``count`` finite replicates of the block, NaN
    where there are too few and inf where they are above the largest float64; ``failed`` replicates
    are those without a finite value.
    """
    from pandas import DataFrame

    rows = [row for item in result.checks for row in _rows(item)]
    return DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(item: CheckResult) -> Iterator[tuple[object, ...]]:
    """Rows of one check, the method under test first."""
    check = item.check
    for outcome in (item.outcome, *item.controls):
        head = (check.name, check.quantity, outcome.method, check.axis)
        for value, blocks in zip(outcome.series.grid, outcome.series.values, strict=True):
            for block, replicates in enumerate(blocks):
                seen = replicates[np.isfinite(replicates)]
                # beyond 1e154 a square is no float64 any more: the variance is inf
                with np.errstate(over="ignore"):
                    mean = seen.mean() if seen.size else np.nan
                    variance = seen.var(ddof=1) if seen.size > 1 else np.nan
                failed = replicates.size - seen.size
                yield (*head, float(value), block, mean, variance, seen.size, failed)


def parquet_bytes(result: Result) -> bytes:
    """Depend on the measurements only: no pandas metadata."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pandas(measurements_frame(result), preserve_index=False)
    content = BytesIO()
    parquet.write_table(table.replace_schema_metadata(None), content)
    return content.getvalue()


__all__ = ["measurements_frame", "remember", "verdict_json", "write_files"]

FIGURES = ("png", "svg")


def verdict_json(result: Result) -> dict[str, Any]:
    """The contract's ``verdict.json``, strict JSON: NaN is null, infinities are strings."""
    return sealed(verdict_content(result), hashed_files(result))


def write_files(
    result: Result,
    folder: Path,
    seconds: float,
    workers: int,
    device: str,
    code: Mapping[str, str] = MappingProxyType({}),
) -> list[Path]:
    """Write every file of the contract and return their paths, ``verdict.json`` last.

    They take the place of an earlier run's once all are written; a ``verdict.json`` says that the
    run is complete.

    Args:
        result: the finished run.
        folder: where to; made if it is missing.
        seconds: wall-clock time of the run.
        workers: number of processes that measured.
        device: where they measured, such as ``cpu``.
        code: digests of what the numbers come from (``repro.study.sources.code_of``).

    Raises:
        OSError: the folder cannot be written to.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    hashed = hashed_files(result)
    content = {
        **hashed,  # config.yaml is first: it says whose folder it is
        **_figures(result),
        "run.json": json_bytes(run_facts(seconds, workers, device, code)),
        "verdict.json": json_bytes(sealed(verdict_content(result), hashed)),
    }
    files = {folder / name: data for name, data in content.items()}
    write_together(files)
    return list(files)


def stale_words(code: Mapping[str, str], today: Mapping[str, str]) -> str:
    """Which part of the code of a run is another today; empty where none is.

    >>> stale_words({"theorems/a.py": "1"}, {"theorems/a.py": "2"})
    'measured before theorems/a.py changed'
    """
    if today and not code:
        return "its run.json does not say which code measured it"
    changed = (name for name, digest in today.items() if code.get(name) != digest)
    return next((f"measured before {name} changed" for name in changed), "")


def replaced_words(folder: Path, code: Mapping[str, str]) -> str:
    """Why the run in a folder is another than one of this code; empty where none is there.

    Args:
        folder: where the new run goes.
        code: digests of what its numbers come from.
    """
    try:
        content = json.loads((folder / "run.json").read_bytes())
        return stale_words(content["code"], code) if (folder / "verdict.json").exists() else ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ""


def remember(folder: Path, tracked: dict[str, Any]) -> None:
    """Add the ids under which a tracker has a run to its ``run.json``, where there is one."""
    path = folder / "run.json"
    if path.is_file():
        facts = json.loads(path.read_text(encoding="utf-8")) | {"mlflow": tracked}
        write_whole(path, json_bytes(facts))


def _figures(result: Result) -> dict[str, bytes]:
    """The figure as PNG and SVG."""
    from repro.report.figure import figures

    pictures = figures(result, FIGURES)
    return {f"figure.{kind}": content for kind, content in zip(FIGURES, pictures, strict=True)}
