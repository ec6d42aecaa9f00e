"""``python -m repro new_theorem NAME``: the two files of a new experiment, in the current folder.

They hold an example that runs.  Its claim holds.  Its control is not yet wrong, so the check does
not reject the control.  In a folder with the paper kbr, kbr_thm_2 is about the statement kbr.thm_2,
which conf/papers/kbr.yaml must have.  Any other NAME is about own.NAME.  Exit status: 0, or 2 for a
name that cannot be used, with nothing written.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from string import Template

import yaml

from repro.base.errors import BadInput, among, nearest
from repro.base.files import write_together
from repro.base.places import own, places
from repro.catalogue.entries import is_id, spoken
from repro.catalogue.papers import files as files_of
from repro.catalogue.papers import read

USAGE = "usage: repro new_theorem NAME   (small letters, digits and _, such as my_bound)"
NEXT = """Next:
  1. python -m repro theorem={name} budget=smoke     inconclusive: the control is accepted
  2. make wrong_on_purpose in theorems/{name}.py wrong; run again: supported
  3. replace the example by your statement, worlds and checks
  4. python -m repro ablate theorem={name} --write   what does each check notice?
  5. python -m pytest --pyargs repro.commands.scaffold.every_theorem -k {name}
  6. python -m repro catalogue                       lists it with its statements
  7. python -m repro suite list                      from then on `dvc repro` runs it, too
"""
NOT_YET_WRONG = """Wrong: TODO, a mistake that this experiment must notice, such as no debiasing.

    Until then it is the right estimator, the control is accepted and the run inconclusive.
    """
"""Of the control of an experiment that is for its author to finish."""
RULE = (
    "allowed: a small letter, then small letters, digits and single _, at most 60 in all, "
    "such as my_bound; no word of Python or YAML, such as class or null"
)
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def new_files(name: str, root: Path) -> dict[Path, str]:
    """Path and content of each file of an experiment below the folder ``root``.

    Raises:
        BadInput: the name is malformed or taken, or a file would lie elsewhere.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > 60 or _is_value(name):
        raise BadInput("name", name, RULE)
    statement = statement_of(name, root)
    contents = theorem_files(
        name,
        root,
        source=f"{spoken(statement)}: TODO: what it says, in one line.",
        title=spoken(statement).removeprefix("own."),
        statement=statement,
        mistake=NOT_YET_WRONG,
        wrong="debiased(world, rng, replicates)",
    )
    begun = refuse_overwriting(name, contents, root)
    for place in places(root) if not begun else ():
        if place.has(name):
            raise BadInput("name", name, f"allowed: a new name; {place.code(name)} exists")
    return contents


def statement_of(name: str, root: Path) -> str:
    """The statement that a new experiment settles: a paper's whose number its name has, or its own.

    Args:
        name: of the experiment; ``kbr_thm_2`` settles ``kbr.thm_2`` where ``root`` has that paper.
        root: the folder that it lies below.

    Raises:
        BadInput: that paper has no such statement, or the name is almost that of a paper.
    """
    paper, _, key = name.partition("_")
    papers = {file.stem: file for file in files_of(own(root.resolve()))}
    if not is_id(f"{paper}.{key}"):
        return f"own.{name}"
    if paper in papers:
        if key not in (statements := read(papers[paper]).statements):
            where = f"conf/papers/{paper}.yaml"
            raise BadInput("name", name, f"{where} has no {key}; {among(key, statements)}")
        return f"{paper}.{key}"
    if hint := nearest(paper, papers):
        raise BadInput("name", name, f"no paper {paper} here; {hint.strip()}")
    return f"own.{name}"


def theorem_files(name: str, root: Path, **words: str) -> dict[Path, str]:
    """Path and content of the two files of an experiment.

    Args:
        name: of the experiment.
        root: the folder that they lie below.
        words: what the template of its code leaves open.
    """
    return {
        root / "theorems" / f"{name}.py": filled("theorem.txt", **words),
        root / "conf" / "theorem" / f"{name}.yaml": filled("config.txt", name=name),
    }


def refuse_overwriting(name: str, contents: Mapping[Path, str], root: Path) -> list[Path]:
    """Files that an earlier command that was killed has left; none where all are there.

    Raises:
        BadInput: another file would be overwritten, or one would lie elsewhere.
    """
    begun = [path for path, text in contents.items() if _holds(path, text)]
    if len(begun) == len(contents):
        begun = []
    for path in contents:
        if os.path.lexists(path) and path not in begun:
            raise BadInput("name", name, f"allowed: a new name; {path.relative_to(root)} exists")
        if not path.resolve().is_relative_to(root.resolve()):
            raise BadInput("name", name, f"allowed: below this folder; {path} is outside")
    return begun


def _holds(path: Path, text: str) -> bool:
    """Whether an earlier command that was killed has left a file."""
    if path.is_symlink() or not path.is_file():
        return False
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8") == text
    return False


def _is_value(name: str) -> bool:
    """Whether the word is a value to YAML or Hydra, as in ``theorem=null``.

    >>> _is_value("null"), _is_value("on"), _is_value("inf"), _is_value("my_bound")
    (True, True, True, False)
    """
    return not isinstance(yaml.safe_load(name), str) or name in {"inf", "nan"}


def filled(template: str, **words: str) -> str:
    """A template of ``repro.commands.scaffold`` with words in its open places."""
    text = files("repro.commands.scaffold").joinpath(template).read_text(encoding="utf-8")
    return Template(text).substitute(words)


def write_all(contents: Mapping[Path, str]) -> None:
    """All of the files or none; none of them is there, unless with the same text."""
    above = dict.fromkeys(folder for path in contents for folder in path.parents)
    created = sorted((folder for folder in above if not folder.exists()), reverse=True)
    try:
        for path in contents:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_together({path: text.encode() for path, text in contents.items()})
    except BaseException:
        for folder in created:
            with suppress(OSError):
                folder.rmdir()
        raise


def write_new(
    words: Sequence[str],
    root: Path,
    new_files: Callable[[str, Path], dict[Path, str]],
    usage: str,
    following: str,
) -> int:
    """Write the files of a new name, and say which, and what comes next.

    Args:
        words: of the command line, which must be one name.
        root: the folder that the files lie below.
        new_files: (name, root) → path and content of each file.
        usage: what is said of other words.
        following: what comes next, with ``{name}`` in it.

    Raises:
        BadInput: the words are no name, or the name cannot be used.
    """
    if len(words) != 1:
        raise BadInput("arguments", " ".join(words) or "(none)", usage)
    contents = new_files(words[0], root)
    write_all(contents)
    for path in contents:
        print(path.relative_to(root))
    print(following.format(name=words[0]), end="")
    return 0


def main(words: Sequence[str], root: Path | None = None) -> int:
    """Write the files below a folder, the current one by default, and say what comes next."""
    return write_new(words, root or Path.cwd(), new_files, USAGE, NEXT)
