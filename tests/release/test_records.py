from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repro.base.errors import BadInput
from repro.release.records import read_records

GOOD = b'{"prompt": "p", "chosen": "a", "rejected": "b"}\n'


def records(path, content):
    path.write_bytes(content)
    return list(read_records(str(path)))


def test_reads_records_blank_lines_and_a_byte_order_mark(tmp_path):
    content = b"\xef\xbb\xbf" + GOOD + b"\n  \r\n" + GOOD.rstrip()
    assert records(tmp_path / "in", content) == [("p", "a", "b")] * 2


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_refuses_an_empty_file(tmp_path, content):
    with pytest.raises(BadInput, match="holds no records"):
        records(tmp_path / "in", content)


@pytest.mark.parametrize("name", ["missing", ".", "a\0b"])
def test_refuses_what_is_no_file(tmp_path, name):
    with pytest.raises(BadInput, match="IN="):
        list(read_records(str(tmp_path / name)))


text = st.text(max_size=8)
value = st.one_of(text, st.none(), st.integers(), st.just(""), st.just("same"), st.just("\0"))
objects = st.dictionaries(st.sampled_from(["prompt", "chosen", "rejected", "more"]), value)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(objects, min_size=1, max_size=4))
def test_the_message_is_the_same_whichever_response_was_chosen(tmp_path, lines):
    other = {"chosen": "rejected", "rejected": "chosen"}
    swapped = [{other.get(k, k): v for k, v in line.items()} for line in lines]
    outcomes = []
    for version in (lines, swapped):
        try:
            content = "".join(json.dumps(line) + "\n" for line in version)
            found = records(tmp_path / "in", content.encode())
            outcomes.append(sorted((p, *sorted(pair)) for p, *pair in found))
        except BadInput as problem:
            outcomes.append(str(problem))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("fill", [b" ", b"x", b"["])
def test_refuses_a_line_too_long_to_be_a_record(tmp_path, fill):
    with pytest.raises(BadInput, match="line 2: not text, or longer than 16777216 bytes"):
        records(tmp_path / "in", GOOD + fill * (1 << 24) + GOOD)
