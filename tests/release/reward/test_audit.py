"""A reward against its own card: δ is recomputed from the noise, and no pair is read."""

import json

import pytest

import repro
from repro.base.errors import BadInput
from repro.commands import audit_release
from repro.commands.process.command import status_of
from repro.release.reward.audit import audit_reward

KINDS = {
    "replaced": {},
    "added": {"adjacency": "add_remove", "size": 300},
    "annotators": {"unit": "annotator", "at_most": 5},
    "both": {"covariance": True},
}


@pytest.fixture(params=KINDS)
def released(request, records, tmp_path):
    path = tmp_path / "reward.json"
    own = {"output": path, "ledger": tmp_path / "ledger"}
    repro.private_reward(records, 1, "1e-6", 5, weak=True, **KINDS[request.param], **own)
    return path


@pytest.fixture
def reward(records, tmp_path):
    path = tmp_path / "reward.json"
    repro.private_reward(
        records, 1, "1e-6", 5, covariance=True, output=path, ledger=tmp_path / "ledger", weak=True
    )
    return path


def changed(path, change):
    content = json.loads(path.read_bytes())
    change(content)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def test_a_release_of_every_kind_is_consistent_and_known_to_its_ledger(released, tmp_path):
    audit = audit_reward(released, tmp_path / "ledger")
    assert audit.delta == pytest.approx(audit.card["numbers"]["certified_delta"], rel=1e-9)
    assert (audit.free, audit.in_ledger, audit.status) == ([], True, 0)


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("gradient_noise_deviation", 0.9),
        ("output_noise_deviation", 0.01),
        ("second_moment_noise_deviation", 0.9),
        ("ridge", 0.5),
        ("gradient_noise_deviation", float("nan")),
    ],
)
def test_too_little_noise_on_the_card_is_a_leak(reward, name, factor):
    changed(reward, lambda content: content["card"]["numbers"].update(
        {name: factor * content["card"]["numbers"][name]}))  # fmt: skip
    assert audit_reward(reward).status == 1


def test_a_solver_that_is_said_to_be_exact_is_taken_as_it_is(reward):
    before = audit_reward(reward).delta
    changed(reward, lambda content: content["card"]["numbers"].update(solver_tolerance=0.0))
    assert audit_reward(reward).delta == pytest.approx(before, rel=0.01)


def test_a_smaller_epsilon_than_the_noise_is_for_is_a_leak(reward):
    changed(reward, lambda content: content["card"].update(epsilon=0.9))
    assert audit_reward(reward).status == 1


def test_what_no_release_would_have_is_named(reward, tmp_path, records):
    repro.private_reward(records, 1, "1e-6", 5, weak=True, ledger=tmp_path / "other")
    audit = audit_reward(reward, tmp_path / "other")
    assert (audit.in_ledger, audit.status) == (False, 4)
    reward.write_bytes(reward.read_bytes().rstrip())
    assert audit_reward(reward).free == ["the style of JSON"]
    changed(reward, lambda content: content["theta"].__setitem__(0, 0.1))
    assert audit_reward(reward).free == ["theta lies off the grid that the card states"]
    assert audit_reward(reward).status == 4


@pytest.mark.parametrize(
    "values",
    [
        {"numbers": {}},
        {"numbers": None},
        {"adjacency": "none"},
        {"unit": "all pairs of one x, at most 0"},
        {"epsilon": "1"},
    ],
)
def test_a_card_without_its_numbers_is_refused(reward, values):
    changed(reward, lambda content: content["card"].update(values))
    with pytest.raises(BadInput, match="its card states no noise that can be checked"):
        audit_reward(reward)


def test_the_command_says_what_it_checked_and_what_it_cannot(reward, capsys):
    assert status_of(audit_release.main, [str(reward), f"ledger={reward.parent / 'ledger'}"]) == 0
    out = capsys.readouterr().out
    said = " ".join(out.split())
    assert "by the noise on the card, recomputed; 0.000001 is promised" in said
    assert "the ledger knows this release" in said
    assert "no pair was read here" in said
    assert said.endswith("consistent with its card")
    assert max(map(len, out.splitlines())) <= 80
    changed(reward, lambda content: content["card"].update(reward_bound=20.0))
    assert status_of(audit_release.main, [str(reward)]) == 1
    assert capsys.readouterr().out.endswith("too little for what the card promises\n")
    assert status_of(audit_release.main, [str(reward), "original=in.jsonl"]) == 2
    assert capsys.readouterr().err.startswith("error: original=in.jsonl: this is a reward; allowed")
