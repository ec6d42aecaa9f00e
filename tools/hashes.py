"""``python -m tools.hashes [WHEEL ...]``: the pins of the constraint files, with hashes.

For each constraints*.txt it writes requirements-hashed*.txt, which pip installs file for file as
they were when the list was made, by ``--require-hashes``; pip takes no hashes from a file that is
given by ``-c``.  Needs uv, and the index that uv's configuration names.  A WHEEL that the index
does not have, such as the build of torch for processors alone, is accepted beside its own files.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("", "-llm", "-cluster")
HEAD = """\
# constraints{kind}.txt with the hashes of the index's files; `python -m tools.hashes` writes it:
# pip install --no-deps --require-hashes -r requirements-hashed{kind}.txt
"""
COMMAND = ("uv", "pip", "compile", "-", "--generate-hashes", "--no-deps", "--no-header",
           "--no-annotate", "--quiet", "--python-version", "3.11.7")  # fmt: skip


def main(wheels: list[str]) -> int:
    """Write the files."""
    for kind in KINDS:
        pins = (ROOT / f"constraints{kind}.txt").read_text(encoding="utf-8")
        done = subprocess.run(COMMAND, input=pins, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        text = done.stdout
        for wheel in map(Path, wheels):
            text = accepting(text, wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest())
        target = ROOT / f"requirements-hashed{kind}.txt"
        target.write_text(HEAD.format(kind=kind) + text, encoding="utf-8")
        print(target)
    return 0


def accepting(text: str, wheel: str, digest: str) -> str:
    r"""The list with one more file of a package that it pins at the wheel's version.

    >>> accepting("a==1 \\\n    --hash=sha256:0\n", "a-1+cpu-py3.whl", "f")
    'a==1 \\\n    --hash=sha256:f \\\n    --hash=sha256:0\n'
    """
    name, version = wheel.split("-")[:2]
    pin = f"{name}=={version.partition('+')[0]} \\\n"
    line = f"    --hash=sha256:{digest} \\\n"
    return re.sub(f"^{re.escape(pin)}", lambda found: found[0] + line, text, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
