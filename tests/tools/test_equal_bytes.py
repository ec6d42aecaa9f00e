"""The comparison of bytes tells equal runs from others."""

import pytest

from tools.equal_bytes import FILES, WAYS, Way, differences

pytestmark = pytest.mark.slow

WORDS = ["budget=smoke", "only=[identity]"]


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids=lambda way: way.name)
def test_a_run_has_the_same_bytes(way):
    assert list(differences("rdpo_identity", WORDS, [way])) == [(way, [])]


def test_another_seed_and_a_run_that_fails_differ():
    ways = [Way("another seed", words=["seed=1"]), Way("no such key", words=["sed=1"])]
    found = list(differences("rdpo_identity", WORDS, ways))
    assert found[0][1] != []
    assert found[1] == (ways[1], list(FILES))
