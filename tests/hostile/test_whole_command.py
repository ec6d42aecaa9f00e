"""Bad input the whole way: ``python -m repro`` in this process, Hydra included."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from repro.study.composition import compose_values
from repro.study.discovery import slugs

WORDS = ("nan", "-1e400", "[]", "''", "true", "text", "{_target_: os.system}", "null")
NEVER_NULL = ("kind", "claimed", "tolerance", "replicates", "blocks", "check_error", "workers")
SAMPLE, SEED = 20, 12


def numbers(values, path=()):
    """Paths of the numbers in a config."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from numbers(value, (*path, key))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield ".".join((*path, key))


def word_of(slug):
    """A word of the command line, drawn once and for all."""
    draw = random.Random(f"{SEED} {slug}")
    key = draw.choice(list(numbers(compose_values(slug, {}))))
    allowed = WORDS if key.rpartition(".")[2] in NEVER_NULL else WORDS[:-1]
    return f"{key}={draw.choice(allowed)}"


def assert_refused(status, out, err, folder):
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert list(folder.iterdir()) == []


@pytest.mark.some(3)
@pytest.mark.parametrize("slug", random.Random(SEED).sample(slugs(), SAMPLE))
def test_a_sample_of_the_matrix(command, tmp_path, slug):
    word = word_of(slug)
    status, out, err = command(f"theorem={slug}", word)
    assert_refused(status, out, err, tmp_path)
    assert word.partition("=")[0].rpartition(".")[2] in err


TRICKS = (
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    "offline_gap/../offline_gpa",
    "__init__",
    "os",
    "'<b>x</b>'",
    "'[red]x[/red]'",
    "'=HYPERLINK(1)'",
    "''",
    "null",
    "'a b'",
    "[offline_gap,lower_bound]",
    "'${oc.env:HOME}'",
    "${nothing}",
    "{kind: linear}",
)


PLACES = [("theorem", trick) for trick in TRICKS] + [
    (group, trick)
    for group in ("instance", "budget", "tracking", "compute")
    for trick in TRICKS[:3]
]


@pytest.mark.some(4)
@pytest.mark.parametrize(("group", "name"), PLACES)
def test_no_group_takes_a_name_it_does_not_have(command, tmp_path, group, name):
    assert_refused(*command(f"{group}={name}"), tmp_path)


@pytest.mark.parametrize(
    "word",
    [
        "+theorem._target_=os.system",
        "+instance._target_=os.system",
        "+_target_=os.system",
        "+hydra.callbacks.mine._target_=os.system",
        "hydra.callbacks.validate._target_=os.system",
        "hydra.launcher._target_=os.system",
        "+hydra.callbacks.mine={_target_: os.system}",
        '"+hydra.callbacks.mine={_target_: os.system}"',
    ],
)
def test_no_class_is_named_from_outside(command, tmp_path, word):
    assert_refused(*command(word), tmp_path)


@pytest.mark.some(1)
@pytest.mark.parametrize("words", [["theorem.worlds.instance.scale=nan"], ["-m", "seed=0,x"]])
def test_a_process_of_its_own(tmp_path, words):
    done = subprocess.run(
        [sys.executable, "-m", "repro", *words],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        env={"PATH": "", "PYTHONPATH": str(Path(__file__).parents[2]), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert_refused(done.returncode, done.stdout, done.stderr, tmp_path)
