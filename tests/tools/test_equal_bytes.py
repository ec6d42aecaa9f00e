"""The comparison of bytes tells equal runs from others."""

import pytest

from tools import equal_bytes
from tools.equal_bytes import FILES, WAYS, Way, differences

WORDS = ["budget=smoke", "only=[identity]"]


@pytest.mark.slow
@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids=lambda way: way.name)
def test_a_run_has_the_same_bytes(way):
    assert list(differences("rdpo_identity", WORDS, [way])) == [(way, [])]


@pytest.mark.slow
def test_another_seed_and_a_run_that_fails_differ():
    ways = [Way("another seed", words=["seed=1"]), Way("no such key", words=["sed=1"])]
    found = list(differences("rdpo_identity", WORDS, ways))
    assert found[0][1] != []
    assert found[1] == (ways[1], list(FILES))


@pytest.mark.parametrize(
    ("plain", "other", "names"),
    [
        ({"a": b"1", "b": b"2"}, {"a": b"1", "b": b"2"}, []),
        ({"a": b"1", "b": b"2"}, {"a": b"1", "b": b"3"}, ["b"]),
        ({"a": b"1", "b": b"2"}, {"b": b"2"}, ["a"]),
        ({}, {}, ["a", "b"]),
    ],
)
def test_files_that_differ_or_are_missing_are_named(plain, other, names, monkeypatch):
    runs = iter([plain, other])
    monkeypatch.setattr(equal_bytes, "FILES", ("a", "b"))
    monkeypatch.setattr(equal_bytes, "_bytes_of", lambda *given: next(runs))
    assert list(differences("any", [], [WAYS[0]])) == [(WAYS[0], names)]
