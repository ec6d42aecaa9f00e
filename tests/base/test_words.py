"""Words of a command line: files first, then keys with their values."""

import math

import pytest

from repro.base.errors import BadInput
from repro.base.words import scalar, split_words, true_or_false, whole_number

KEYS = {"unit": "user", "epsilon": "0.5", "json": "true"}


@pytest.mark.parametrize(
    ("words", "paths", "texts"),
    [
        (["a", "epsilon=1"], ["a"], {"epsilon": "1"}),
        (["epsilon=1", "a"], ["a"], {"epsilon": "1"}),
        (["--epsilon", "1", "a"], ["a"], {"epsilon": "1"}),
        (["--epsilon=1", "a", "--json"], ["a"], {"epsilon": "1", "json": "true"}),
        (["--json", "a"], ["a"], {"json": "true"}),
        (["a", "--epsilon"], ["a"], {"epsilon": ""}),
        (["a", "unit=x=y"], ["a"], {"unit": "x=y"}),
        (["folder/n=5"], ["folder/n=5"], {}),
        (["n=5.jsonl", "unit=a.b/c"], None, "n=5.jsonl: unknown key; allowed: unit=user, epsilon="),
        (["a.b=c"], ["a.b=c"], {}),
        (["a", "epsilon=1", "--epsilon=2"], None, "epsilon=2: given twice; allowed: once"),
        (["a", "b"], None, "b: unexpected; allowed: unit=user, epsilon=0.5, json=true"),
        (["epsilon=1"], None, "IN=(missing): a file name is required"),
        (["a", f"unti={'x' * 70}"], None, f"unti={'x' * 60}: unknown key; did you mean unit? "),
    ],
)
def test_files_and_keys_are_told_apart(words, paths, texts):
    if paths is None:
        with pytest.raises(BadInput) as refused:
            split_words(words, KEYS, ("IN",), ("json",))
        assert str(refused.value).startswith(texts)
    else:
        assert split_words(words, KEYS, ("IN",), ("json",)) == (paths, texts)


def test_a_command_without_files_takes_keys_alone():
    assert split_words(["a.b=1"], ["a.b"]) == ([], {"a.b": "1"})
    with pytest.raises(BadInput, match=r"^argument=x: allowed: key=value with key in a, b$"):
        split_words(["x"], ["a", "b"])
    with pytest.raises(BadInput, match=r"^OUT=\(missing\)"):
        split_words(["x"], [], ("IN", "OUT", "LOG"))


def test_a_switch_is_true_or_false():
    found = [true_or_false({"a": text}, "a") for text in ("true", "TRUE", "False")]
    assert [*found, true_or_false({}, "a")] == [True, True, False, False]
    for text in ("yes", "1", ""):
        with pytest.raises(BadInput, match="^a.*: allowed: true, false$"):
            true_or_false({"a": text}, "a")


def test_a_count_is_of_plain_digits():
    found = [whole_number(texts, "a") for texts in ({"a": "1"}, {"a": "007"}, {})]
    assert [*found, whole_number({"a": "999999999"}, "a")] == [1, 7, None, 999999999]
    for text in ("0", "-1", "1.5", "1e3", "٣", "²", "1234567890", ""):
        with pytest.raises(BadInput, match="^a.*: allowed: a whole number from 1$"):
            whole_number({"a": text}, "a")


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e6", 1e6), ("inf", math.inf), ("-2", -2.0), ("true", True), ("null", None), ("a", "a"),
     ("[a, 1]", ["a", 1]), ("0_5", "0_5"), ("1_0.5e-1", "1_0.5e-1"), ("a_5", "a_5"), ("", None)],
)  # fmt: skip
def test_a_text_is_read_as_yaml_reads_it_and_as_a_number_first(text, value):
    found = scalar("a", text)
    assert (type(found), found) == (type(value), value)


def test_what_yaml_cannot_read_is_refused():
    with pytest.raises(BadInput, match=r"^a=\[1: allowed: a number, a word or \[a, list\]$"):
        scalar("a", "[1")
