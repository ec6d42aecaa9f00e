"""bash and zsh hand the commands of every page the same words; no command is run here."""

import os
import re
import shlex
import shutil
import subprocess

import pytest

from tests.docs.fences import ROOT, blocks, pages

HANDLERS = {"bash": "command_not_found_handle", "zsh": "command_not_found_handler"}
"""What a shell calls with the words of a command that it does not find."""
INLINE = re.compile(
    r"(?<!`)`((?:python -m|python proofs/|repro|dvc|mlflow|make|pip) [^`\n]+)`(?!`)"
)
"""A command in a sentence or in a cell of a table."""
BETWEEN, AFTER = "\x1f", "\x1e"
needs_zsh = pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")


def words(shell, lines, folder):
    """The words of every command that a script gives, in any order: its pipes run side by side.

    Args:
        shell: bash or zsh.
        lines: parts of the script; what fails in one does not stop the next.
        folder: where it runs; there are no programs on its path.
    """
    for name in (".venv/bin/activate", "outputs/metrics/one.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    told = folder / f"{shell}.words"
    record = f"""{HANDLERS[shell]}() {{ printf '%s\\037' "$@" $'\\036' >> {told}; }}"""
    script = "\n".join([record, *(f"eval {shlex.quote(line)}" for line in lines), "wait"])
    options = ["-f"] if shell == "zsh" else ["--norc", "--noprofile"]
    program = shutil.which(shell)
    assert program is not None
    bare = {"PATH": str(folder / "nothing"), "HOME": str(folder)}
    given = {key: value for key, value in os.environ.items() if key.startswith(("LANG", "LC_"))}
    command = [program, *options, "-c", script]
    subprocess.run(command, cwd=folder, env=bare | given, capture_output=True, timeout=600)
    text = told.read_text("utf-8") if told.exists() else ""
    return sorted(one.strip(BETWEEN) for one in text.split(AFTER) if one.strip(BETWEEN))


def differences(lines, folder):
    """What one of the two shells is given and the other is not."""
    bash, zsh = (words(shell, lines, folder) for shell in HANDLERS)
    wrong = [f"bash: {one}" for one in bash if one not in zsh]
    wrong += [f"zsh: {one}" for one in zsh if one not in bash]
    return [one.replace(BETWEEN, " ") for one in wrong]


def commands(text):
    """Blocks that name no shell of their own, then the commands in sentences and tables.

    A synopsis, with brackets around what may be left out, is no command.
    """
    found = [
        block.code
        for block in blocks(text)
        if not (block.code.startswith("#!") or (block.reason or "").startswith("a synopsis"))
    ]
    return found + [one.replace("\\|", "|") for one in INLINE.findall(text)]


@pytest.mark.slow
@needs_zsh
@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_both_shells_read_every_command_alike(path, tmp_path):
    assert differences(commands(path.read_text("utf-8")), tmp_path) == []


def test_no_command_has_a_bare_bracket():
    """``theorem=glob(*)`` without quotes is read by neither shell."""
    for line in INLINE.findall("\n".join(path.read_text("utf-8") for path in pages())):
        assert "(" not in re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
