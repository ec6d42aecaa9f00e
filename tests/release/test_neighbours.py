"""Two inputs that differ in one label, and fixed coins: nothing else differs, anywhere."""

from __future__ import annotations

import json

import pytest

from repro.commands import privatize as releasing
from repro.commands.process.command import status_of


@pytest.fixture
def everything(tmp_path, write_input, fixed_coins, capsys):
    """All bytes that a release leaves and says: of the file, manifest, ledger and log."""

    def run(name, records, **coins):
        folder = tmp_path / name
        folder.mkdir()
        fixed_coins(**coins)
        source = write_input(records)
        words = [str(source), str(folder / "out.parquet"), "epsilon=0.5", "unit=who", "at_most=20"]
        assert status_of(releasing.main, [*words, f"ledger={tmp_path / 'state' / name}"]) == 0
        source.unlink()
        left = {path.name: path.read_bytes() for path in folder.iterdir()}
        shown = capsys.readouterr()
        said = (shown.out + shown.err).replace(str(folder), "")
        said = said.replace(str(tmp_path / "state" / name), "")
        return left, (tmp_path / "state" / name / "ledger.sqlite").read_bytes(), said

    return run


def neighbours(records, at):
    ours = [{**r, "who": f"w{k % 7}"} for k, r in enumerate([*records[:80], *records[20:40]])]
    theirs = [*ours]
    theirs[at] = {**ours[at], "chosen": ours[at]["rejected"], "rejected": ours[at]["chosen"]}
    return ours, theirs


@pytest.mark.parametrize("at", [3, 34, 79])
def test_one_other_label_changes_one_released_label(everything, records, at):
    ours, theirs = neighbours(records, at)
    (one, book, said), (two, other_book, also) = everything("a", ours), everything("b", theirs)
    assert said == also
    lines = [content["out.jsonl"].splitlines() for content in (one, two)]
    differ = [k for k, pair in enumerate(zip(*lines, strict=True)) if len(set(pair)) > 1]
    assert len(differ) == 1
    first, second = (json.loads(some[differ[0]]) for some in lines)
    assert first == {**second, "label": -second["label"]}
    assert first["prompt"] == ours[at]["prompt"]
    manifests = [json.loads(content["out.manifest.json"]) for content in (one, two)]
    changed = {name for name in manifests[0] if manifests[0][name] != manifests[1][name]}
    assert changed == {"released_plus_labels", "sha256"}  # functions of released labels
    assert len(book) == len(other_book)


@pytest.mark.parametrize("at", [3, 34, 79])
def test_with_the_same_answers_every_byte_is_the_same(everything, records, at):
    """The coin of that one label turned, too: what is left of the truth is nothing at all."""
    ours, theirs = neighbours(records, at)
    one = everything("a", ours)
    prompts = [json.loads(line)["prompt"] for line in one[0]["out.jsonl"].splitlines()]
    turned = prompts.index(ours[at]["prompt"])
    two = everything("b", theirs, turned=[turned])
    differ = one[0]["out.jsonl"] != two[0]["out.jsonl"]
    if differ:  # the word and its complement are both above the threshold: both labels are kept
        two = everything("c", theirs)
        assert one[2] == two[2]
        pytest.skip("this coin shows both labels as they are")
    assert one == two


@pytest.mark.parametrize("at", [84, 25])
def test_a_label_that_no_answer_is_drawn_from_changes_nothing(everything, records, at):
    """Of two annotators one is answered: here of lines 24 and 84 the first, of 25 and 85 not."""
    ours, theirs = neighbours(records, at)
    assert everything("a", ours) == everything("b", theirs)
