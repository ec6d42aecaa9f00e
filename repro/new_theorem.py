"""``python -m repro.new_theorem NAME``: the two files of a new experiment, in the current folder.

They run as they are: an example that holds, with a control that is not yet wrong and therefore not
caught.  Exit status 0, or 2 for a name that cannot be used, with nothing written.
"""

from __future__ import annotations

import keyword
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from string import Template

import yaml

from repro.base.errors import BadInput
from repro.base.places import places
from repro.cli.command import run_command

USAGE = "usage: python -m repro.new_theorem NAME   (small letters, digits and _, such as my_bound)"
NEXT = """Next:
  1. python -m repro theorem={name} budget=smoke     inconclusive: the control is not caught
  2. make wrong_on_purpose in theorems/{name}.py wrong; run again: supported
  3. put your statement, worlds and checks in the place of the example
  4. python -m repro.ablate theorem={name} --write   what does each check notice?
  5. python -m pytest --pyargs repro.scaffold.every_theorem -k {name}
  6. python -m repro.catalogue                       lists it with what it settles
  7. python -m repro.suite list                      from then on `dvc repro` runs it, too
"""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def new_files(name: str, root: Path) -> dict[Path, str]:
    """Path and content of each file of an experiment below the folder ``root``.

    Raises:
        BadInput: the name is malformed or taken, or a file would lie elsewhere.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > 60 or _is_value(name):
        raise BadInput("name", name, "allowed: small letters, digits and _, such as my_bound")
    for place in places(root):
        if place.has(name):
            raise BadInput("name", name, f"allowed: a new name; {place.code(name)} exists")
    found = {
        root / "theorems" / f"{name}.py": "theorem.txt",
        root / "conf" / "theorem" / f"{name}.yaml": "config.txt",
    }
    for path in found:
        if os.path.lexists(path):
            raise BadInput("name", name, f"allowed: a new name; {path.relative_to(root)} exists")
        if not path.resolve().is_relative_to(root.resolve()):
            raise BadInput("name", name, f"allowed: below this folder; {path} is outside")
    return {path: _filled(source, name) for path, source in found.items()}


def _is_value(name: str) -> bool:
    """Whether the word is a value to YAML or Hydra, as in ``theorem=null``.

    >>> _is_value("null"), _is_value("on"), _is_value("inf"), _is_value("my_bound")
    (True, True, True, False)
    """
    return not isinstance(yaml.safe_load(name), str) or name in {"inf", "nan"}


def _filled(source: str, name: str) -> str:
    text = files("repro.scaffold").joinpath(source).read_text(encoding="utf-8")
    return Template(text).substitute(name=name)


def _write_all(contents: Mapping[Path, str]) -> None:
    """All of the files or none; nothing that is there is written over or through."""
    written: list[Path] = []
    above = dict.fromkeys(folder for path in contents for folder in path.parents)
    made = sorted((folder for folder in above if not folder.exists()), reverse=True)
    try:
        for path, text in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                written.append(path)
                file.write(text)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def main(words: Sequence[str], root: Path | None = None) -> int:
    """Write the files below a folder, the current one by default, and say what comes next."""
    root = root or Path.cwd()
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
