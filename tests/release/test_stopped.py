"""A release that is stopped says what it has cost, and what was paid for is published later."""

import errno
from decimal import Decimal
from itertools import repeat

import pytest

from repro.base.errors import BadInput
from repro.labels.privacy.exact_response import ExactResponse
from repro.release import privatise as module
from repro.release.canonical import compared
from repro.release.drafts import Draft
from repro.release.ledger import Ledger
from repro.release.manifest import parsed_manifest
from repro.release.privatise import DOUBT, NOTHING, RESUME, Target, Terms, privatise


@pytest.fixture
def releasing(tmp_path, ledger, records):
    """Releases the first records to a new name, or resumes."""

    def release(name="out.jsonl", rows=records[:5], **more):
        terms = Terms(None, resume=True) if more.pop("resume", False) else Terms(Decimal(1))
        return privatise(rows, Target.named(str(tmp_path / name)), terms, ledger, **more)

    return release


def raises(problem):
    def stop(*given):
        raise problem

    return stop


STEPS = [
    (Ledger, "begin", NOTHING), (Ledger, "spend", DOUBT), (module, "publish", RESUME),
    (Ledger, "forget_answers", RESUME),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "step", "cost"), STEPS)
def test_ctrl_c_is_told_what_it_has_cost(owner, step, cost, releasing, monkeypatch, tmp_path):
    monkeypatch.setattr(owner, step, raises(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt, match=f"^{cost}$"):
        releasing()
    monkeypatch.undo()
    if cost == RESUME:
        manifest = releasing(resume=True).manifest
        assert parsed_manifest((tmp_path / "out.manifest.json").read_bytes()) == manifest
    else:
        assert releasing().manifest.earlier == ()


@pytest.mark.parametrize("hook", ["tell", "read_back"])
def test_whoever_hears_of_a_release_may_stop_it(hook, releasing, tmp_path):
    cost = NOTHING if hook == "tell" else RESUME
    with pytest.raises(KeyboardInterrupt, match=f"^{cost}$"):
        releasing(**{hook: raises(KeyboardInterrupt())})
    assert (tmp_path / "out.jsonl").exists() == (hook == "read_back")
    if hook == "read_back":
        before = (tmp_path / "out.jsonl").read_bytes()
        (tmp_path / "out.jsonl").unlink()
        releasing(resume=True)
        assert (tmp_path / "out.jsonl").read_bytes() == before
    with pytest.raises(BadInput, match="^resume=true: nothing to resume"):
        releasing("other.jsonl", resume=True)


@pytest.mark.parametrize("where", ["", "elsewhere"])
def test_a_full_disk_after_the_debit_says_that_the_budget_is_spent(
    where, releasing, monkeypatch, tmp_path
):
    full = OSError(errno.ENOSPC, "No space left on device", *([where] if where else []))
    monkeypatch.setattr(module, "publish", raises(full))
    with pytest.raises(OSError, match="No space left on device") as failed:
        releasing()
    assert failed.value.strerror == f"No space left on device; {RESUME}"
    assert failed.value.filename == (where or str(tmp_path / "out.jsonl"))


def test_a_full_disk_before_the_debit_is_the_machines_trouble_alone(releasing, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(module.Written, "write", raises(full))
    with pytest.raises(OSError, match="No space left on device") as failed:
        releasing()
    assert failed.value.strerror == "No space left on device"


def test_a_name_that_was_taken_meanwhile_is_bad_input(releasing, monkeypatch):
    taken = FileExistsError(errno.EEXIST, "File exists", "draft", None, "a.jsonl")
    monkeypatch.setattr(module, "publish", raises(taken))
    with pytest.raises(BadInput) as refused:
        releasing()
    assert str(refused.value) == f"OUT=a.jsonl: exists; under another name, {RESUME}"


def test_what_states_the_guarantee_gets_its_name_first(releasing, monkeypatch, tmp_path):
    places, place = [], Draft.place

    def noted(draft, path, *mode):
        places.append(path)
        place(draft, path, *mode)

    monkeypatch.setattr(Draft, "place", noted)
    releasing()
    names = [path.name for path in places if path.parent == tmp_path]
    assert names == ["out.manifest.json", "out.jsonl"]


def test_answers_of_another_release_leave_nothing_in_the_resumed_file(
    releasing, monkeypatch, records, tmp_path
):
    """Two releases of a line wait; the other one's has a sign more."""
    for name, answer, record in (("a.jsonl", 0, records[0]), ("b.jsonl", 1, records[1])):
        label = compared(record["prompt"], record["chosen"], record["rejected"])[2]
        monkeypatch.setattr(ExactResponse, "flips", lambda own, flip=label ^ answer: repeat(flip))
        monkeypatch.setattr(module, "publish", raises(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            releasing(name, [record])
        monkeypatch.undo()
    releasing("b.jsonl", [records[1]], resume=True)
    assert (tmp_path / "b.jsonl").read_bytes().endswith(b'"label":1}\n')
    with pytest.raises(BadInput, match="no release of this input waits"):
        releasing("c.jsonl", [records[2]], resume=True)
