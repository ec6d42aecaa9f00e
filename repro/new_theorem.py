"""``python -m repro.new_theorem NAME``: the three files of a new experiment.

They run as they are: an example that holds, with a control that is not yet wrong and therefore not
caught.  Exit status 0, or 2 for a name that cannot be used, with nothing written.
"""

from __future__ import annotations

import keyword
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template

import yaml

from repro.base.errors import BadInput
from repro.base.paths import PACKAGE
from repro.cli.command import run_command

USAGE = "usage: python -m repro.new_theorem NAME   (small letters, digits and _, such as my_bound)"
NEXT = """Next:
  1. python -m repro theorem={name} budget=smoke     inconclusive: the control is not caught
  2. make wrong_on_purpose in theorems/{name}.py wrong; run again: supported
  3. put your statement, rows and cases in the place of the example
  4. add it to conf/catalogue.yaml, e.g. own.{name}: {{title: ..., experiments: [{name}]}}
  5. python -m repro.suite list                      adds it to the suite
  6. python -m pytest tests/theorems tests/catalogue -k "{name} or every or catalogue"
"""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def new_files(name: str, root: Path) -> dict[Path, str]:
    """Path and content of each file of an experiment below the source tree ``root``.

    Raises:
        BadInput: the name is malformed or taken, or ``root`` is no source tree.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > 60 or _is_value(name):
        raise BadInput("name", name, "allowed: small letters, digits and _, such as my_bound")
    if not (root / "conf" / "theorem").is_dir():
        raise BadInput("name", name, f"allowed: inside a source tree; {root} has no conf/theorem")
    found = {
        root / "theorems" / f"{name}.py": "theorem.txt",
        root / "conf" / "theorem" / f"{name}.yaml": "config.txt",
        root / "tests" / "theorems" / f"test_{name}.py": "test.txt",
    }
    for path in found:
        if os.path.lexists(path):
            raise BadInput("name", name, f"allowed: a new name; {path.relative_to(root)} exists")
        if not path.resolve().is_relative_to(root.resolve()):
            raise BadInput("name", name, f"allowed: in a tree of its own; {path} is outside")
    class_name = "".join(part.capitalize() for part in name.split("_"))
    return {path: _filled(source, name, class_name) for path, source in found.items()}


def _is_value(name: str) -> bool:
    """Whether the word is a value to YAML or Hydra, as in ``theorem=null``.

    >>> _is_value("null"), _is_value("on"), _is_value("inf"), _is_value("my_bound")
    (True, True, True, False)
    """
    return not isinstance(yaml.safe_load(name), str) or name in {"inf", "nan"}


def _filled(source: str, name: str, class_name: str) -> str:
    text = files("repro.scaffold").joinpath(source).read_text(encoding="utf-8")
    return Template(text).substitute(name=name, class_name=class_name)


def _write_all(contents: Mapping[Path, str]) -> None:
    """All of the files or none; nothing that is there is written over or through."""
    written: list[Path] = []
    try:
        for path, text in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                written.append(path)
                file.write(text)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def main(words: Sequence[str], root: Path = PACKAGE.parent) -> int:
    """Write the files and say what comes next."""
    if list(words) in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    try:
        if len(words) != 1:
            raise BadInput("arguments", " ".join(words) or "(none)", USAGE)
        contents = new_files(words[0], root)
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    _write_all(contents)
    for path in contents:
        print(path.relative_to(root))
    print(NEXT.format(name=words[0]), end="")
    return 0


if __name__ == "__main__":
    run_command(main)
