"""Fenced blocks of Markdown; how a page's commands are run: in a copy of the project, offline."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNNABLE = ("bash", "console")
NOT_RUN = "not run in CI"
LONGEST = 1200
"""Seconds for a block on a machine that many share, twenty times what it takes alone."""
_FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\s*(?:\$ )?(?:python -m|repro|dvc|mlflow|make|pip|mkdocs) ", re.MULTILINE)
_TITLE = re.compile(r'^title="([^"]+)"$')


class BadFence(ValueError):
    """A block whose title says nothing that this file understands."""


@dataclass(frozen=True)
class Block:
    """One runnable block: its commands, and its title (empty, a reason not to run, a status)."""

    code: str
    line: int
    title: str

    @property
    def reason(self) -> str | None:
        """Why the block is not run; None if it is.

        Raises:
            BadFence: it is not run, and no reason is given.
        """
        if not self.title.startswith(NOT_RUN):
            return None
        reason = self.title.removeprefix(NOT_RUN).removeprefix(":").strip()
        if len(reason.split()) < 2:
            raise BadFence(f"line {self.line}: {NOT_RUN} needs a reason: {self.title!r}")
        return reason

    @property
    def status(self) -> int:
        """The exit status that the block promises.

        Raises:
            BadFence: the title is of no known form.
        """
        found = re.fullmatch(r"exit status (\d+)", self.title)
        if self.title and not found:
            raise BadFence(f"line {self.line}: title {self.title!r}")
        return int(found[1]) if found else 0


def pages() -> list[Path]:
    """Every page with commands for readers."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The runnable blocks of a page, in order.

    Raises:
        BadFence: something else than a title follows the language.
    """
    found = []
    for match in _FENCE.finditer(text):
        language, _, rest = match[3].strip().partition(" ")
        if language not in RUNNABLE:
            continue
        line = text[: match.start()].count("\n") + 1
        title = _TITLE.match(rest) if rest else None
        if rest and not title:
            raise BadFence(f"line {line}: allowed after {language}: title=...; found {rest!r}")
        code = match[4]
        if language == "console":
            code = "".join(f"{one[2:]}\n" for one in code.splitlines() if one.startswith("$ "))
        found.append(Block(code, line, title[1] if title else ""))
    return found


def escaped_commands(text: str) -> list[str]:
    """Command lines that stand in another block than a runnable one, and so would not be run."""

    def hidden(match: re.Match[str]) -> str:
        language = match[3].strip().partition(" ")[0]
        return "" if language in RUNNABLE else match[0]

    return [line.strip() for line in _FENCE.sub(hidden, text).splitlines() if _COMMAND.match(line)]


def run_page(text: str, copy: Path) -> list[str]:
    """Run a page's blocks in order; one line for each whose status is another than promised."""
    wrong = []
    for block in blocks(text):
        if block.reason is None:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", block.code], cwd=copy, env=environment(copy),
                capture_output=True, text=True, timeout=LONGEST,
            )  # fmt: skip
            if done.returncode != block.status:
                said = (done.stdout + done.stderr)[-1500:]
                wrong.append(f"line {block.line}: exit status {done.returncode}, not "
                             f"{block.status}\n{block.code}{said}")  # fmt: skip
    return wrong


def project_copy(target: Path, python_m: list[str], kept: Path) -> Path:
    """A copy of the project, with ``python`` held to small budgets and to this machine.

    Args:
        target: the folder, which there is not yet.
        python_m: what stands for ``python -m`` where a command of ours is run.
        kept: what other tests have measured already is found below this folder.
    """
    (kept / ".cache" / "blocks").mkdir(parents=True, exist_ok=True)
    (target / "outputs" / ".cache").mkdir(parents=True)
    (target / "outputs" / ".cache" / "blocks").symlink_to(kept / ".cache" / "blocks")
    for name in ("repro", "theorems", "conf", "tests/theorems", "docs/examples"):
        shutil.copytree(ROOT / name, target / name)  # times too, so that compiled files stay true
    bounds = target / ".bounds"
    bounds.mkdir()
    (bounds / "sitecustomize.py").write_text(OFFLINE)
    (bounds / "as_script.py").write_text(SCRIPT)
    words = {"python_m": shlex.join(python_m), "python": sys.executable, "small": SMALL}
    for name, text in (("python", PYTHON), ("repro", REPRO)):
        (bounds / name).write_text(text.format(**words))
        (bounds / name).chmod(0o755)
    return target


def environment(copy: Path) -> dict[str, str]:
    """The variables of a command in the copy."""
    bounds = copy / ".bounds"
    return {
        **os.environ,
        "PATH": f"{bounds}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{bounds}{os.pathsep}{copy}",
        "HOME": str(copy),
        "XDG_STATE_HOME": str(copy / ".state"),
        "HF_HUB_OFFLINE": "1",
        "PIP_NO_INDEX": "1",
    }


SCRIPT = "import sys; sys.argv[0] = 'repro'; from repro.commands.process.start import main; main()"
"""What the installed script ``repro`` does."""
SMALL = """# an experiment at smoke budget, whatever the page says
small=(budget=smoke tracking=none compute.workers=1)
kept=()
for word in "$@"; do
  case $word in
    budget=*|tracking=*|compute.workers=*) ;;
    [!-]*=*) kept+=("${small[@]}" "$word"); small=() ;; # overrides stand side by side
    *) kept+=("$word") ;;
  esac
done"""
PYTHON = """#!/usr/bin/env bash
[[ "${{1-}} ${{2-}}" = "-m repro"* ]] || exec {python} "$@"
shift
[ "$1" = repro ] || exec {python_m} "$@"
case ${{2-}} in
  run|-*|*=*|"") ;; # a run of an experiment
  *) exec {python_m} "$@" ;;
esac
{small}
exec {python_m} "${{kept[@]}}" "${{small[@]}}"
"""
REPRO = """#!/usr/bin/env bash
[ "${{1-}}" = run ] || exec {python_m} as_script "$@"
{small}
exec {python_m} as_script "${{kept[@]}}" "${{small[@]}}"
"""

OFFLINE = '''"""No connection leaves this machine."""
import socket

_connect = socket.socket.connect


def connect(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"offline: {address}")
    return _connect(self, address)


socket.socket.connect = connect
'''
