"""The table of stages of docs/howto/add_theorem.md has the words that the command line takes."""

import re

import pytest

from repro.base.errors import BadInput
from repro.core.stages import STAGES, named_stages
from tests.docs.fences import ROOT

TEXT = (ROOT / "docs" / "howto" / "add_theorem.md").read_text("utf-8")
SECTION = TEXT.partition("## Stages\n")[2].partition("\n## ")[0]
WORDS = {
    name: re.findall(r"`(\w+)`", words)
    for names, words in re.findall(r"^\| (`.*?`) \| (.*?) \|", SECTION, re.M)
    for name in re.findall(r"`(\w+)`", names)
}


def test_every_stage_but_the_instance_is_in_the_table():
    assert set(WORDS) == set(STAGES) - {"world"}


@pytest.mark.parametrize("stage", WORDS)
def test_a_stage_takes_the_words_of_the_table(stage):
    with pytest.raises(BadInput) as refused:
        named_stages({stage: "no_such_word"})
    allowed = str(refused.value).rpartition("allowed: ")[2]
    assert allowed == (", ".join(WORDS[stage]) or "an object, from Python")
