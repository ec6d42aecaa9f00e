"""Where theorems are: what is shipped, what installed packages bring, and one folder of the user's.

A place is a folder with ``theorems/NAME.py`` and ``conf/theorem/NAME.yaml``; such a pair is a
theorem.  No code of a place is run to see what is there.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec
from pathlib import Path

from repro.base.errors import BadInput, nearest
from repro.base.files import expanded

PACKAGE = Path(__file__).parents[1]


def conf_dir() -> Path:
    """The Hydra config folder: inside the package when installed, beside it in a source tree."""
    inside = PACKAGE / "conf"
    return inside if inside.is_dir() else PACKAGE.parent / "conf"


def install_hint(extra: str) -> str:
    """The command that installs an extra: of this source tree, or of the installed package.

    Of a source tree with the versions that were tested: those of its extras of clusters stand in
    one file.
    """
    tree = PACKAGE.parent
    if (tree / "pyproject.toml").is_file():
        own = "cluster" if extra in ("ray", "slurm") else extra
        files = [tree / "constraints.txt", tree / f"constraints-{own}.txt"]
        tested = [word for file in files if file.is_file() for word in ("-c", str(file))]
        return shlex.join(["pip", "install", *tested, "-e", f"{tree}[{extra}]"])
    return shlex.join(["pip", "install", f"repro-rlhf[{extra}]"])


GROUP = "repro.theorems"
"""Entry points of this group name packages that are places."""
OWN = "theorems_in_"
"""What the import name of a user's folder begins with; the rest tells two folders apart."""
PAIR = "allowed: a folder with theorems/NAME.py and conf/theorem/NAME.yaml"
_NAME = re.compile(r"[a-z]\w*")
_TITLE = re.compile(r"""^\s+title\s*=\s*(["'])(.*)\1,?\s*$""", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """A folder with theorems.

    Attributes:
        folder: absolute.
        package: the name under which its ``theorems/`` is imported.
    """

    folder: Path
    package: str

    def code(self, name: str) -> Path:
        """The file that claims and measures."""
        return self.folder / "theorems" / f"{name}.py"

    def config(self, name: str) -> Path:
        """The file that gives its worlds and sweeps."""
        return self.folder / "conf" / "theorem" / f"{name}.yaml"

    def has(self, name: str) -> bool:
        """Whether both files are there."""
        pair = self.code(name), self.config(name)
        return bool(_NAME.fullmatch(name)) and all(path.is_file() for path in pair)

    def names(self) -> list[str]:
        """Its theorems, sorted."""
        stems = (path.stem for path in (self.folder / "theorems").glob("*.py"))
        return sorted(name for name in stems if self.has(name))

    def title(self, name: str) -> str:
        """What its file gives as ``title``, on a line of its own; empty where it gives none.

        The file is read, not run.
        """
        match = _TITLE.search(self.code(name).read_text(encoding="utf-8", errors="replace"))
        return match[2] if match else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts that are constants of its file; the file is read, not run."""
        try:
            tree = ast.parse(self.code(name).read_bytes())
        except (SyntaxError, ValueError):
            return ()
        constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
        return tuple(dict.fromkeys(text for text in constants if isinstance(text, str)))

    def module(self, name: str) -> str:
        """The import name of a theorem; made importable, whatever the search path has first."""
        if "." not in self.package and self.package not in sys.modules:
            spec = ModuleSpec(self.package, None, is_package=True)
            spec.submodule_search_locations = [str(self.folder / "theorems")]
            sys.modules[self.package] = module_from_spec(spec)
        return f"{self.package}.{name}"


@cache
def shipped() -> Place:
    """The theorems of this project: in the wheel inside the package, in a clone beside it."""
    inside = (PACKAGE / "theorems").is_dir()
    return Place(PACKAGE, "repro.theorems") if inside else Place(PACKAGE.parent, "theorems")


@cache
def installed() -> tuple[Place, ...]:
    """The places of installed packages; an entry point that names none is left out."""
    installed_places = (_of_package(entry_point) for entry_point in entry_points(group=GROUP))
    return tuple(dict.fromkeys(place for place in installed_places if place))


def broken() -> list[str]:
    """A line for each entry point that names no package: another's mistake, not the user's."""
    return [
        f"skipped: entry point {GROUP} {entry_point.name}={entry_point.value}: no such package"
        for entry_point in entry_points(group=GROUP)
        if _of_package(entry_point) is None
    ]


def own_folder(given: str | Path | None = None) -> Path:
    """The folder that ``theorems_from`` names, else the current one; absolute.

    Raises:
        BadInput: a folder is named that has no theorem.
    """
    folder = expanded("theorems_from", str(given or "."))
    if given is not None and not (os.path.isdir(folder) and Place(folder, "").names()):
        raise BadInput("theorems_from", given, PAIR)
    return folder.resolve()


def own(folder: Path) -> Place:
    """A user's folder; its import name collides with no other and is the same in every process.

    Raises:
        BadInput: the folder's path is no text, so that no file of a run could name it.
    """
    if not str(folder).isprintable():
        raise BadInput("folder", folder, "is no printable text; allowed: a folder that is")
    return Place(folder, OWN + hashlib.blake2b(str(folder).encode(), digest_size=6).hexdigest())


def places(folder: Path | None = None) -> list[Place]:
    """What is shipped, what is installed, then the user's folder; the current one by default."""
    all_places = [shipped(), *installed()]
    here = (folder or Path()).resolve()
    return (
        all_places
        if here in {_resolved(place.folder) for place in all_places}
        else [*all_places, own(here)]
    )


@cache
def _resolved(folder: Path) -> Path:
    """Of places that a process looks up many times."""
    return folder.resolve()


def names(folder: Path | None = None) -> list[str]:
    """Names of all theorems, sorted.

    Raises:
        BadInput: two places have a theorem of one name.
    """
    counts = Counter(name for place in places(folder) for name in place.names())
    for name in (name for name, count in counts.items() if count > 1):
        place_of(name, folder)
    return sorted(counts)


def place_of(name: str, folder: Path | None = None) -> Place:
    """Where the theorem of that name is.

    Raises:
        BadInput: it is nowhere, and the nearest name is suggested; or in two places.
    """
    having = [place for place in places(folder) if place.has(name)]
    if len(having) > 1:
        files = " and ".join(str(place.code(name)) for place in having)
        raise BadInput("theorem", name, f"is the name of {files}; allowed: another for yours")
    if not having:
        raise BadInput("theorem", name, no_such_experiment(name, names(folder)))
    return having[0]


def no_such_experiment(name: str, known: Sequence[str]) -> str:
    """What a line says of an unknown name: one that is near, and where all are listed.

    >>> no_such_experiment("offline_gpa", ["offline_gap", "log_regret"])
    'no such experiment; did you mean offline_gap? repro run --help lists all; \
theorems_from=FOLDER adds those of a folder'
    """
    listed = "repro run --help lists all; theorems_from=FOLDER adds those of a folder"
    hint = f"{nearest(name, known)}{listed}"
    return f"{_absent_half(name)}no such experiment; {hint}"


def _absent_half(name: str, folder: Path | None = None) -> str:
    """Which file of a theorem is missing where its other file is there; else empty."""
    for place in places(folder) if _NAME.fullmatch(name) else ():
        pair = {path.is_file(): path for path in (place.code(name), place.config(name))}
        if len(pair) == 2:
            absent, there = (pair[key].relative_to(place.folder) for key in (False, True))
            return f"{absent} is missing beside {there}; "
    return ""


def _of_package(entry: EntryPoint) -> Place | None:
    """Found by path: asking for ``package.inner`` would run the package."""
    top, *inner = entry.value.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    folders: Sequence[str] = (spec and spec.submodule_search_locations) or ()
    candidates = (Path(folder, *inner).absolute() for folder in folders)
    folder = next((candidate for candidate in candidates if candidate.is_dir()), None)
    return folder and Place(folder, f"{entry.value}.theorems")
