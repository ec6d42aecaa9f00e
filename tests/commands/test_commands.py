"""``repro`` and its sub-commands, each the module of its name; wrong words name right ones."""

import errno
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from repro.base.errors import BadInput, BrokenTheorem
from repro.commands import plan
from repro.commands.process import command, listing, signals, start
from repro.commands.process import table as commands
from repro.commands.process.command import help_of, status_of
from repro.commands.process.outcome import internal_line, outcome
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


def test_help_of_plan_lists_every_key():
    listed = re.findall(r"^  (\w+)=\S+  ", plan.__doc__ or "", re.M)
    assert sorted(listed) == sorted(plan.PlanRequest.model_fields)


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


def test_a_word_that_may_hold_a_password_is_not_repeated():
    refuse_words_without_key(["offline_gap", "http://me:secret@host"])


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
        ("run -m central_dp_p", ["central_dp_privacy"]),
        ("run ~channel central_dp_p", ["central_dp_privacy"]),
        ("run +a=1 central_dp_p", ["central_dp_privacy"]),
        ("ablate rdpo", []),
        ("run offline_gap compute=l", ["compute=local"]),
        ("run offline_gap seed=", []),
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


def test_words_before_the_one_that_is_typed_are_known():
    def offered(words, more=()):
        context = SimpleNamespace(params={"words": words}, args=[*more])
        return [item.value for item in commands._Words("run").shell_complete(context, "kl_con")]

    assert offered(None) == offered(("-m",)) == offered((), ["-m"]) == ["kl_contraction"]
    assert offered(("offline_gap",)) == offered((), ["offline_gap"]) == []


def test_files_are_completed_by_the_shell():
    for name in ("privatize", "audit_release", "private_reward", "accuracy", "example_pairs"):
        (found,) = commands._Words(name).shell_complete(None, "pa")
        assert (found.type, found.value) == ("file", "pa")


def test_completed_keys_are_followed_by_no_blank():
    assert "-o nosort -o nospace" in commands._Bash.source_template
    assert "compadd -S '' -U" in commands._Zsh.source_template
    assert commands.commands().list_commands(None) == [*COMMANDS]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["epsilon"], "epsilon: has no value; allowed: epsilon=VALUE"),
        (["budgett"], "budgett: did you mean budget? allowed: KEY=VALUE, such as"),
        (["catalog"], "catalog: did you mean catalogue? allowed: KEY=VALUE"),
        (["offline_gpa"], "offline_gpa: did you mean offline_gap? allowed: KEY=VALUE"),
        (["--sed"], "--sed: did you mean seed? allowed: KEY=VALUE"),
        (["--seed", "3", "offline_gap"], "seed=3 theorem=offline_gap"),
    ],
)
def test_a_word_without_a_value_is_answered(words, line):
    with pytest.raises(BadInput) as refused:
        refuse_words_without_key(words)
    assert line in str(refused.value)


def test_an_experiment_follows_either_word_for_a_sweep():
    for option in ("-m", "--multirun"):
        assert commands.of_run([option, "a,b", "seed=1"]) == [option, "theorem=a,b", "seed=1"]


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_may_stand_behind_other_words(option, capsys):
    assert called(["plan", "epsilon=1", option]) == called([option], listed=True) == 0
    of_plan, listed = capsys.readouterr().out.split("Usage: repro ")
    assert of_plan.startswith("repro plan epsilon=0.5")
    assert "\nCommands:\n  run " in listed


def test_without_a_word_the_script_lists_and_the_module_runs(monkeypatch, capsys):
    monkeypatch.setattr(start, "run_command", lambda main, private: main([]))
    monkeypatch.setattr(sys, "argv", ["repro"])
    start.main()
    assert capsys.readouterr().out.startswith("Usage: repro ")
    ran = []
    monkeypatch.setattr("repro.commands.run.main", ran.append)
    start.python_m()
    assert ran == [[]]


def test_commands_that_read_labels_keep_no_message(monkeypatch):
    told = {}
    monkeypatch.setattr(start, "run_command", lambda main, private: told.update({name: private}))
    for name in COMMANDS:
        start._run([name], listed=True)
    reading = {"privatize", "audit_release", "private_reward", "accuracy"}
    assert {name for name, private in told.items() if private} == reading


def test_what_a_parent_ignores_is_ignored(monkeypatch):
    heard, ignored = {}, [signal.SIGHUP]
    answer = lambda number: signal.SIG_IGN if number in ignored else signal.SIG_DFL  # noqa: E731
    monkeypatch.setattr(signal, "getsignal", answer)
    monkeypatch.setattr(signal, "signal", heard.__setitem__)
    signals.hear()
    assert heard == dict.fromkeys((signal.SIGINT, signal.SIGTERM), signals._stop)
    ignored.clear()
    signals.hear()
    assert {*heard} == {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


MACHINE = ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR"]


@pytest.mark.parametrize("name", MACHINE)
def test_a_machine_in_trouble_has_a_status_of_its_own(name):
    assert outcome(OSError(getattr(errno, name), "so")) == (74, "error: so")
    assert outcome(OSError(getattr(errno, name), "so", "f")) == (74, "error: f: so")


def test_details_are_of_the_whole_chain_and_of_private_ones_the_types_alone(monkeypatch, tmp_path):
    label = " ".join(["a", "label"])

    def details(private):
        try:
            try:
                raise ArithmeticError(label)
            except ArithmeticError:
                raise KeyError("its own")  # noqa: B904 - the context, not the cause
        except KeyError as problem:
            line = internal_line(problem, private)
        assert line.startswith("error: internal: KeyError in tests/commands/test_commands.py:")
        return Path(line.rpartition("details are in ")[2]).read_text()

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for private in (False, True):
        text = details(private)
        assert ("ArithmeticError" in text, "KeyError" in text) == (True, True)
        assert (label in text) is not private


MEMORY = "error: out of memory; allowed: fewer workers, or something smaller\n"


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (SystemExit(), 0, ""),
        (SystemExit(3), 3, ""),
        (SystemExit("words"), 70, "words\n"),
        (BadInput("key", 1, "allowed: 2"), 2, "error: key=1: allowed: 2\n"),
        (PermissionError(errno.EACCES, "denied", "a"), 2, "error: a: denied\n"),
        (PermissionError(errno.EACCES, "denied", b"a"), 2, "error: a: denied\n"),
        (ChildProcessError(errno.ECHILD, "none"), 70, "error: internal: ChildProcessError in "),
        (MemoryError(), 74, MEMORY),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 74, MEMORY),
        (ImportError("a.so: failed to map segment from shared object"), 74, MEMORY),
        (ImportError("no module a"), 70, "error: internal: ImportError in "),
        (BrokenTheorem("theorems/a.py:1 raised"), 70, "error: theorems/a.py:1 raised; details are"),
        (BrokenPipeError(errno.EPIPE, "gone"), 141, ""),
        (KeyboardInterrupt(), 130, f"interrupted: {signals.GO_ON}\n"),
        (KeyboardInterrupt("1 of 3"), 130, "interrupted: 1 of 3\n"),
    ],
)
def test_how_a_command_ends_has_its_status_and_line(
    raised, status, said, capsys, monkeypatch, tmp_path
):
    def main(words):
        raise raised

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert status_of(main, []) == status
    out, err = capsys.readouterr()
    assert (out, err.startswith(said), err.count("\n")) == ("", True, bool(said))


def test_a_signal_gives_the_status_whatever_a_library_made_of_it(monkeypatch, capsys):
    monkeypatch.setattr(signals, "_received", [signal.SIGTERM])

    def leaves(words):
        raise words[0]

    for made in (SystemExit(1), ImportError("half"), KeyboardInterrupt()):
        assert status_of(leaves, [made]) == 143
    assert status_of(lambda words: 0, []) == 143
    assert "internal" not in capsys.readouterr().err


def test_words_of_a_theorem_are_printed_unless_it_read_labels(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("REPRO_TRACKING_URI", "http://me:secret@host")
    problem = BrokenTheorem("a label at http://me:secret@host")
    assert "a label" in internal_line(problem)
    assert "a label" not in internal_line(problem, private=True)
    kept = [file.read_text() for file in tmp_path.iterdir()]
    assert len(kept) == 2
    assert "secret" not in "".join(kept)


@pytest.mark.parametrize("at", ["write", "flush"])
@pytest.mark.parametrize(
    ("fails", "status"),
    [(BrokenPipeError(), 141), (OSError(errno.ENOSPC, "full"), 74), (ValueError("closed"), 74)],
)
def test_a_line_that_nobody_gets_has_a_status(fails, status, at, monkeypatch):
    def fail(*text):
        raise fails

    stream = {"write": lambda text: None, "flush": lambda: None, at: fail}
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(**stream))
    assert command.say("a line") == status


@pytest.mark.parametrize(
    ("closed", "said"),
    [(["stdout"], "standard output"), (["stderr"], ""), (["stdout", "stderr"], "")],
)
def test_a_closed_stream_ends_a_command_before_its_work(closed, said, monkeypatch, capsys):
    for name in closed:
        monkeypatch.setattr(sys, name, None)
    with pytest.raises(SystemExit) as left:
        command._refuse_lost_ground()
    assert left.value.code == 74
    line = f"error: {said}: closed; allowed: an open file, such as /dev/null\n"
    assert capsys.readouterr().err == (said and line)


def test_a_current_folder_that_has_gone_is_refused(monkeypatch, capsys):
    def gone():
        raise FileNotFoundError(errno.ENOENT, "gone")

    monkeypatch.setattr(os, "getcwd", gone)
    with pytest.raises(SystemExit) as left:
        command._refuse_lost_ground()
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("error: the current folder: deleted")


def test_help_breaks_lines_at_blanks_alone():
    word = 77 * "a"
    assert help_of(f"``{word}`` x-y z\n\n  as   it is\n") == f"{word}\nx-y z\n\n  as   it is"


def test_experiments_stand_below_their_papers_and_the_others_at_last(monkeypatch):
    titles = [("mine", "P9, a bound"), ("his", f"P2 Theorem{' word' * 20}"), ("one", "P1 Lemma")]
    monkeypatch.setattr(listing, "titles", lambda: iter(titles))
    first, one, second, his, *others = listing.listing().splitlines()
    assert (first[:4], second[:4]) == ("P1  ", "P2  ")
    assert one == f"  {'one':<30}  Lemma"
    assert his == f"  {'his':<30}  Theorem word word word word word word word …"
    assert others == ["Own results", f"  {'mine':<30}  P9, a bound"]
    assert max(map(len, (first, second))) <= 80
