"""The sub-commands of ``repro``, and what their words are completed to; nothing heavy is imported.

``repro NAME`` and ``python -m repro NAME`` are the same; ``repro run`` is ``python -m repro`` with
the experiment as its first word.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ZshComplete,
    add_completion_class,
)

from repro.base.errors import BadInput, nearest
from repro.base.places import conf_dir, names
from repro.study.messages import top_level


class Command(NamedTuple):
    """The module whose ``main`` it is, and what it does, in a line."""

    module: str
    said: str


COMMANDS = {
    "run": Command("repro.commands.run", "run an experiment: repro run offline_gap epsilon=0.5"),
    "catalogue": Command(
        "repro.commands.catalogue", 'where a statement stands: repro catalogue "P2 Theorem 5.2"'
    ),
    "report": Command("repro.commands.report", "one HTML page over what has been run"),
    "plan": Command("repro.commands.plan", "how many labels, or which budget"),
    "which_loss": Command("repro.commands.which_loss", "which loss to fit, and what decides"),
    "which_mechanism": Command(
        "repro.commands.which_mechanism", "are n pairs enough for a private reward?"
    ),
    "example_pairs": Command(
        "repro.commands.example_pairs", "two files of generated pairs, as an example"
    ),
    "privatize": Command("repro.commands.privatize", "label-private release of a preference file"),
    "audit_release": Command(
        "repro.commands.audit_release", "does a release leak more than it may?"
    ),
    "private_reward": Command(
        "repro.commands.private_reward", "a reward of one's own pairs, released privately"
    ),
    "accuracy": Command(
        "repro.commands.accuracy", "does a reward or model rank held-out pairs rightly?"
    ),
    "finetune": Command("repro.commands.finetune", "a language model from a release (extra llm)"),
    "generate": Command("repro.commands.generate", "answers of such a model (extra llm)"),
    "ablate": Command("repro.commands.ablate", "what each check of an experiment notices"),
    "suite": Command("repro.commands.suite", "all experiments: list, table, stability, power"),
    "features": Command("repro.commands.features", "label-free features of text pairs"),
    "new_theorem": Command(
        "repro.commands.new_theorem", "the two files of an experiment of your own"
    ),
    "new_paper": Command(
        "repro.commands.new_paper", "a paper of your own, with a statement and its experiment"
    ),
}
"""In the order of the list."""
OF_FILES = ("privatize", "audit_release", "private_reward", "accuracy", "features", "example_pairs")
"""Commands whose words name files."""
GROUPS = ("instance", "channel", "regulariser", "reward_class", "budget", "tracking", "compute")
SIGNS = ("-", "~", "+")


def of_run(words: Sequence[str]) -> list[str]:
    """Words of ``repro run`` as those of ``python -m repro``.

    >>> of_run(["offline_gap", "seed=1"]), of_run(["-m", "offline_gap,log_regret"])
    (['theorem=offline_gap', 'seed=1'], ['-m', 'theorem=offline_gap,log_regret'])
    """
    first = int(words[:1] in (["-m"], ["--multirun"]))
    run_words = list(words)
    if run_words[first:] and is_bare(run_words[first]):
        run_words[first] = f"theorem={run_words[first]}"
    return run_words


def is_bare(word: str) -> bool:
    """Whether a word is neither an option nor KEY=VALUE."""
    return "=" not in word and not word.startswith(SIGNS)


def as_keys(words: Iterable[str]) -> list[str]:
    """Words with experiments and ``--key value`` written as Hydra has them.

    >>> as_keys(["--theorem", "offline_gap", "--seed=1"])
    ['theorem=offline_gap', 'seed=1']
    """
    key_words, rest, known = [], iter(words), names()
    for word in rest:
        key, _, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and key in top_level():
            key_words.append(f"{key}={value or next(rest, '')}")
        else:
            key_words.append(f"theorem={word}" if word in known else word)
    return key_words


def options_first(words: Sequence[str]) -> list[str]:
    """The words with overrides behind the options, where Hydra reads all of them.

    >>> options_first(["theorem=offline_gap", "-m", "seed=0,1", "~channel"])
    ['-m', 'theorem=offline_gap', 'seed=0,1', '~channel']
    """
    overrides = [word for word in words if word[:1] in "~+" or ("=" in word and word[0] != "-")]
    return [*(word for word in words if word not in overrides), *overrides]


def refuse_words_without_key(words: Sequence[str]) -> None:
    """``python -m repro offline_gap`` or ``--theorem offline_gap``: name the right command.

    Raises:
        BadInput: a word is neither KEY=VALUE nor an option of Hydra's.
    """
    from hydra._internal.utils import get_args_parser

    given, unknown = get_args_parser().parse_known_args(list(words))
    wrong = [*unknown, *(word for word in given.overrides or () if is_bare(word))]
    # what may hold a password is refused further on, where it is not repeated
    if not wrong or any("@" in word for word in wrong):
        return
    better = as_keys(words)
    if better == list(words):
        if wrong[0] in top_level():
            raise BadInput(wrong[0], "", f"has no value; allowed: {wrong[0]}=VALUE")
        hint = nearest(wrong[0].lstrip("-"), (*names(), *COMMANDS, *top_level()))
        raise BadInput(wrong[0], "", f"{hint}allowed: KEY=VALUE, such as theorem=offline_gap")
    command = shlex.join(["python", "-m", "repro", *better])
    raise BadInput(" ".join(wrong), "", f"allowed: KEY=VALUE; you may mean: {command}")


def refuse_unknown(words: Sequence[str]) -> None:
    """The first word of ``repro`` is no command.

    Raises:
        BadInput: always, with the right command where there is one.
    """
    if words[0] in names():
        command = shlex.join(["repro", "run", *words])
        raise BadInput("command", words[0], f"is an experiment; you may mean: {command}")
    first_words = {name.partition("_")[0]: name for name in reversed(COMMANDS)}
    near_first = difflib.get_close_matches(words[0], first_words, n=1)
    hint = nearest(words[0], COMMANDS) or "".join(
        f"did you mean {first_words[word]}? " for word in near_first
    )
    raise BadInput("command", words[0], f"no such command; {hint}repro --help lists all")


def completions(command: str, before: Sequence[str], word: str) -> list[str]:
    """What a word may be completed to.

    Args:
        command: the sub-command.
        before: its words before this one; bash gives ``budget=sm`` as three.
        word: as far as it is typed.
    """
    if command == "catalogue":
        return _starting(word, _statements())
    if command not in ("run", "ablate"):
        return []
    words = [*before, word]
    if len(words) > 1 and words[-2] == "=":
        return _starting(word, _values(words[-3]) if len(words) > 2 else ())
    key, sign, start = word.partition("=")
    if sign:
        return [f"{key}={value}" for value in _starting(start, _values(key))]
    first = [*names()] if command == "run" and not any(map(is_bare, before)) else []
    return _starting(word, [*first, *(f"{key}=" for key in top_level())])


def _starting(word: str, known: Iterable[str]) -> list[str]:
    return [name for name in known if name.startswith(word)]


def _values(key: str) -> list[str]:
    """What a key may be: experiments, or the options of a group."""
    if key == "theorem":
        return names()
    folder = conf_dir() / key
    return sorted(path.stem for path in folder.glob("*.yaml")) if key in GROUPS else []


def _statements() -> list[str]:
    from repro.catalogue.papers import load

    return list(load().items)


class _Bash(BashComplete):
    """No blank after ``epsilon=``."""

    source_template = BashComplete.source_template.replace("-o nosort", "-o nosort -o nospace")


class _Zsh(ZshComplete):
    """The same."""

    source_template = ZshComplete.source_template.replace("compadd -U", "compadd -S '' -U")


add_completion_class(_Bash)
add_completion_class(_Zsh)


class _Words(click.Argument):
    """The words of a sub-command, which reads them itself."""

    def __init__(self, command: str) -> None:
        super().__init__(["words"], nargs=-1, type=click.UNPROCESSED, required=False)
        self._command = command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if self._command in OF_FILES:
            return [CompletionItem(incomplete, type="file")]
        before = [*(ctx.params.get("words") or ()), *ctx.args]
        return [
            CompletionItem(completion)
            for completion in completions(self._command, before, incomplete)
        ]


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of the table, not of the alphabet


def commands() -> click.Group:
    """All of them, for help and completion."""
    group = _Group(
        "repro",
        help="Theorems of private and robust RLHF as experiments with verdicts.",
        epilog="repro COMMAND --help explains each; python -m repro COMMAND is the same.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, (_, said) in COMMANDS.items():
        settings = {"ignore_unknown_options": True}
        group.add_command(
            click.Command(name, params=[_Words(name)], short_help=said, add_help_option=False,
                          context_settings=settings)
        )  # fmt: skip
    return group


def main(words: Sequence[str]) -> int:
    """Where no sub-command is named: the list of them, or a line that says which was meant.

    Raises:
        BadInput: the first word is no command.
    """
    if words and words[0] not in ("-h", "--help"):
        refuse_unknown(words)
    print(commands().get_help(click.Context(commands(), info_name="repro", max_content_width=80)))
    return 0
