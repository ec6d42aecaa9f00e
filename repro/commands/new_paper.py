"""``python -m repro new_paper NAME``: a paper in the current folder, with one statement.

It writes three files:

  conf/papers/NAME.yaml             the paper
  theorems/NAME_thm_1.py            an experiment about its statement
  conf/theorem/NAME_thm_1.yaml      the numbers of the experiment

The experiment runs as it is.  Its claim holds, and its control is rejected.  Exit status: 0, or 2
for a name that cannot be used; then the command writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from repro.base.errors import BadInput
from repro.base.places import places
from repro.catalogue import papers
from repro.catalogue.entries import EXTRA_KINDS, KINDS, OWN, PAPER
from repro.commands.new_theorem import filled, refuse_overwriting, theorem_files, write_new

USAGE = "usage: repro new_paper NAME   (small letters and digits, such as kbr)"
NEXT = """Next:
  1. python -m repro theorem={name}_thm_1 budget=smoke   supported: an example that holds
  2. python -m repro catalogue {name}.thm_1              where the statement stands
  3. replace the example by your paper, your statement and its experiment
  4. python -m repro ablate theorem={name}_thm_1 --write   what does each check notice?
  5. python -m repro report paper={name}                 one HTML page
  6. python -m pytest --pyargs repro.commands.scaffold.every_theorem -k {name}
  7. write the next statement into conf/papers/{name}.yaml, for example thm_2, then
     python -m repro new_theorem {name}_thm_2             its experiment
"""
LONGEST = 20
RULE = (
    "allowed: a small letter, then small letters and digits, "
    f"at most {LONGEST} in all, such as kbr; not own"
)


def new_files(name: str, root: Path) -> dict[Path, str]:
    """Path and content of each file of a paper below the folder ``root``.

    Raises:
        BadInput: the name is malformed or taken, or a file would lie elsewhere.
    """
    if not re.fullmatch(PAPER, name) or name == OWN or len(name) > LONGEST:
        raise BadInput("name", name, RULE)
    kinds = ", ".join([*KINDS, *EXTRA_KINDS])
    contents = {
        root / "conf" / "papers" / f"{name}.yaml": filled("paper.txt", name=name, kinds=kinds),
        **theorem_files(
            f"{name}_thm_1",
            root,
            source=f"{name.upper()} Theorem 1: the error of a debiased mean of private labels.",
            title=f"{name.upper()} Theorem 1: error of a debiased mean",
            statement=f"{name}.thm_1",
            mistake="Wrong: no debiasing.",
            wrong="world.error(world.reported(rng, replicates))",
        ),
    }
    begun = refuse_overwriting(name, contents, root)
    for place in places(root) if not begun else ():
        for file in papers.files(place):
            if file.stem == name:
                raise BadInput("name", name, f"allowed: a new name; {file} exists")
    return contents


def main(words: Sequence[str], root: Path | None = None) -> int:
    """Write the files below a folder, the current one by default, and say what comes next."""
    return write_new(words, root or Path.cwd(), new_files, USAGE, NEXT)
