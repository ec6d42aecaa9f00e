"""Whatever a pair file holds: pairs that can be used, or one line that repeats no response."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repro.base.errors import BadInput
from repro.labels.preferences.pair_files import read_pairs
from repro.release.records import read_records
from tests.hostile.corpora import SECRET, corpora, records

LONGEST_LINE = 500
FEW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@given(content=corpora())
@FEW
def test_pairs_or_one_line(content, tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(content)
    try:
        found = read_pairs(str(path))
    except BadInput as problem:
        message = str(problem)
        assert message.startswith(f"instance.path={path}: ")
        assert SECRET not in message
        assert message.isprintable()
        assert len(message) < LONGEST_LINE
        return
    for pair in found:
        texts = (pair.prompt, pair.chosen, pair.rejected)
        assert all(text.strip() for text in texts)
        assert json.dumps(texts, ensure_ascii=False).encode()
        assert SECRET not in repr(pair)


@given(content=corpora())
@FEW
def test_what_can_be_released_can_be_read(content, tmp_path):
    """The two readers agree: no file means one thing to one of them and another to the other."""
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(content)
    try:
        released = list(read_records(str(path)))
    except BadInput:
        return
    if len(released) >= 20:
        found = read_pairs(str(path))
        assert [(one.prompt, one.chosen, one.rejected) for one in found] == released


@given(line=records(), name=st.sampled_from(["prompt", "chosen", "rejected", "id"]))
@FEW
def test_a_key_given_twice_is_refused_by_both_readers(line, name, tmp_path):
    twice = f'{line[:-1]}, "{name}": "{SECRET} one", "{name}": "{SECRET} two"}}'
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{twice}\n" * 20, encoding="utf-8", errors="surrogatepass")
    for read in (read_pairs, lambda file: list(read_records(file))):
        with pytest.raises(BadInput, match="line 1: not ") as caught:
            read(str(path))
        assert SECRET not in str(caught.value)
