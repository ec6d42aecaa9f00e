"""``repro`` and its sub-commands, each the module of its name; wrong words name right ones."""

import os
import shlex
import shutil
import subprocess
import sys
from importlib import import_module

import pytest

from repro.base.errors import BadInput
from repro.commands.process import table as commands
from repro.commands.process.start import called
from repro.commands.process.table import (
    COMMANDS,
    completions,
    refuse_unknown,
    refuse_words_without_key,
)
from tests.docs.fences import ROOT, SCRIPT


@pytest.fixture
def repro(python_m):
    """Runs the script ``repro`` with words in a folder."""

    def run(*words, folder, **variables):
        return subprocess.run(
            [*python_m, "tests.forks.script", *words], cwd=folder, capture_output=True, text=True,
            timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        )  # fmt: skip

    return run


def test_every_file_of_commands_is_a_command():
    """None does nothing when it is run: what a command uses lies in the rooms below."""
    files = {path.stem for path in (ROOT / "repro" / "commands").glob("*.py")} - {"__init__"}
    assert files == set(COMMANDS)
    assert all(callable(import_module(COMMANDS[name].module).main) for name in files)


def test_the_list_loads_nothing_heavy(tmp_path):
    code = (
        "import sys; sys.argv = ['repro', *sys.argv[1:]]\n"
        "from repro.commands.process.start import main\n"
        "try: main()\n"
        "finally: print(sorted({'torch', 'mlflow', 'hydra', 'pydantic'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    *lines, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    listed = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :] if line]
    assert listed[: len(COMMANDS)] == [*COMMANDS]


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_help_has_80_columns(words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["repro"])  # which Hydra reads
    try:
        status = called([*words, "--help"], listed=True)
    except SystemExit as left:  # argparse
        status = left.code
    lines = capsys.readouterr().out.splitlines()
    assert status in (0, None)
    assert lines != []
    assert [line for line in lines if len(line) > 80] == []


def test_an_experiment_runs_by_its_name_and_gives_the_same_verdict(repro, tmp_path):
    words = ("rdpo_identity", "budget=smoke", "tracking=none", "compute.workers=1", "quiet=true")
    done = repro("run", *words, folder=tmp_path)
    assert (done.returncode, "supported" in done.stdout) == (0, True), done.stderr
    assert repro(f"theorem={words[0]}", *words[1:], folder=tmp_path).stdout == done.stdout


def test_a_sub_command_is_its_module(repro, python_m, tmp_path):
    done = repro("plan", "--help", folder=tmp_path)
    module = subprocess.run(
        [*python_m, "repro", "plan", "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == module.stdout != ""
    assert repro("plan", "epsilon=-1", folder=tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (["offline_gap"], "repro theorem=offline_gap"),
        (["offline_gap", "epsilon=0.5"], "repro theorem=offline_gap epsilon=0.5"),
        (["--theorem", "offline_gap"], "repro theorem=offline_gap"),
        (["--theorem=offline_gap", "--budget", "smoke"], "repro theorem=offline_gap budget=smoke"),
        (["offline_gap", "only=[a,b]"], "repro theorem=offline_gap 'only=[a,b]'"),
    ],
)
def test_a_word_without_its_key_is_answered_with_the_right_command(words, right):
    with pytest.raises(BadInput) as told:
        refuse_words_without_key(words)
    assert str(told.value).endswith(f"you may mean: python -m {right}")
    assert refuse_words_without_key(shlex.split(right)[1:]) is None


@pytest.mark.parametrize(
    "words",
    [["--cfg", "job"], ["-m", "seed=0,1"], ["~channel"], ["--info", "searchpath"], ["-sc", "q=x"],
     ["+instance.path=x"], ["-cd", "x"], ["--help"], []],
)  # fmt: skip
def test_hydras_own_words_pass(words):
    refuse_words_without_key(words)


def test_options_may_stand_between_the_keys(command):
    """Hydra's own parser reads no key behind an option that stands behind a key."""
    words = ("theorem=kl_contraction", "--cfg", "job", "seed=3", "-p", "budget", "budget=smoke")
    status, out, _ = command(*words)
    assert (status, out.splitlines()[0]) == (0, "# @package budget")
    assert command("seed=0", "-m", "seed=1,-1")[::2] == (
        2, "error: seed=-1: allowed: greater than or equal to 0\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["offline_gap", "seed=1"], "you may mean: repro run offline_gap seed=1"),
        (["catalog"], "did you mean catalogue?"),
        (["no_such"], "command=no_such: no such command; repro --help lists all"),
    ],
)
def test_an_unknown_command_is_refused(repro, words, said, tmp_path):
    with pytest.raises(BadInput, match="command="):
        refuse_unknown(words)
    done = repro(*words, folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("run central_dp_p", ["central_dp_privacy"]),
        ("run offline_gap central_dp_p", []),
        ("run offline_gap budget=", ["budget=laptop", "budget=paper", "budget=smoke"]),
        ("run offline_gap eps", ["epsilon="]),
        ("ablate theorem=rdpo", ["theorem=rdpo_identity"]),
        ("catalogue p2.thm_5_2", ["p2.thm_5_2"]),
        ("plan x", []),
    ],
)
def test_words_are_completed(typed, offered):
    command, *before, word = typed.split(" ")
    assert completions(command, before, word) == offered


def test_bash_gives_a_value_as_a_word_of_its_own():
    assert completions("run", ["offline_gap", "budget", "="], "s") == ["smoke"]
    assert completions("run", ["offline_gap", "seed", "="], "") == []


COMPLETE_IN_BASH = """
eval "$(env _REPRO_COMPLETE=bash_source repro)"
COMP_WORDS=(repro run central_dp_p) COMP_CWORD=2
_repro_completion repro
printf '%s\\n' "${COMPREPLY[@]}"
"""
COMPLETE_IN_ZSH = """
autoload -U compinit && compinit -u -D
eval "$(env _REPRO_COMPLETE=zsh_source repro)"
compadd() { print -l -- ${(P)@[-1]} }
words=(repro run central_dp_p) CURRENT=3
_repro_completion
"""


@pytest.mark.parametrize(
    ("shell", "code"),
    [
        ("bash", COMPLETE_IN_BASH),
        pytest.param(
            "zsh", COMPLETE_IN_ZSH,
            marks=pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed"),
        ),
    ],
)  # fmt: skip
def test_the_shells_complete(shell, code, tmp_path):
    script = tmp_path / "repro"
    script.write_text(f"#!{sys.executable}\n{SCRIPT}\n")
    script.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, "-c", code], capture_output=True, text=True, timeout=300, cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.split() == ["central_dp_privacy"], done.stderr


def test_files_are_completed_by_the_shell():
    argument = commands._Words("privatize")
    (found,) = argument.shell_complete(None, "pa")
    assert (found.type, found.value) == ("file", "pa")
