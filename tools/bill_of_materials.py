"""The bill of materials inside the wheel (PEP 770), made by its build from constraints.txt.

CycloneDX 1.6: this package, what it asks for, and every version with which it was tested.  The same
files give the same bytes: it holds no time and no random number.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "repro-rlhf.cdx.json"
CONSTRAINTS = "constraints.txt"
PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)", re.MULTILINE)


class BillOfMaterials(BuildHookInterface):
    """Called by hatchling before it writes a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the file and name it."""
        core = self.metadata.core
        pins = (Path(self.root) / CONSTRAINTS).read_text(encoding="utf-8")
        content = bill(core.name, self.metadata.version, core.dependencies, pins)
        self._scratch = tempfile.TemporaryDirectory()
        path = Path(self._scratch.name, NAME)
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel has it."""
        self._scratch.cleanup()


def bill(name: str, version: str, asked: Sequence[str], pins: str) -> dict[str, Any]:
    """A CycloneDX document.

    Args:
        name: of the package.
        version: its own.
        asked: its requirements, as in its metadata.
        pins: text of the constraints file.

    >>> bill("a", "1", ["B_c>=2"], "# tested\\nb.c==3\\n")["components"][0]["purl"]
    'pkg:pypi/b-c@3'
    """
    known = {plain(found["name"]): found["version"] for found in PIN.finditer(pins)}
    root = {"type": "application", "bom-ref": name, "name": name, "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": root | {"purl": f"pkg:pypi/{name}@{version}"}},
        "components": [
            {"type": "library", "bom-ref": one, "name": one, "version": at,
             "purl": f"pkg:pypi/{one}@{at}"}
            for one, at in sorted(known.items())
        ],
        "dependencies": [{"ref": name, "dependsOn": sorted(_names(asked, known))}],
    }  # fmt: skip


def plain(name: str) -> str:
    """A name as the index has it.

    >>> plain("Jinja2_x.y")
    'jinja2-x-y'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(asked: Sequence[str], known: dict[str, str]) -> Iterator[str]:
    for requirement in asked:
        name = plain(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
        if name not in known:
            raise ValueError(f"{CONSTRAINTS} has no version of {name}")
        yield name
