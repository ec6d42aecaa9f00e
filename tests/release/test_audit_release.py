from __future__ import annotations

import json
from decimal import Decimal

import pytest

from repro import audit_release
from repro.release.audit import audit
from repro.release.opened import match
from repro.release.privatise import privatise

CAUGHT = {
    "order_kept": "order",
    "seeded_python": "coin",
    "seeded_numpy": "coin",
    "seeded_then_shuffled": "coin",
    "ordered_hash": "identifier",
    "flip_noted": "identifier",
    "score_kept": "identifier",
    "trailing_space": "text",
    "raw_labels": "label",
}


@pytest.fixture(scope="session")
def some(records):
    return records[:600]


@pytest.mark.parametrize("name", CAUGHT)
def test_every_label_of_a_leaky_release_is_found(leaky, some, name):
    done = audit(match(getattr(leaky, name)(some), some), 0.5)
    caught = {finding.attack: finding.value for finding in done.findings if finding.leaks}
    assert caught[CAUGHT[name]] == 1.0


@pytest.mark.parametrize(
    ("name", "attack"),
    [
        ("sorted_by_chosen", "line order"),
        ("fresh_noise_on_copies", "duplicates"),
        ("weak_noise", "label"),
    ],
)
def test_partial_leaks_are_certified(leaky, records, name, attack):
    done = audit(match(getattr(leaky, name)(records[:700]), records[:700]), 0.5)
    assert attack in {finding.attack for finding in done.findings if finding.leaks}


@pytest.mark.parametrize("epsilon", [0.5, None])
def test_a_sound_release_is_cleared(leaky, records, epsilon):
    done = audit(match(leaky.sound(records), records), epsilon)
    assert not done.leaks
    assert {"label", "order", "coin", "joint"} <= {finding.attack for finding in done.findings}


@pytest.mark.parametrize("name", ["order_kept", "seeded_numpy", "ordered_hash", "raw_labels"])
def test_leaks_are_found_without_a_stated_budget(leaky, some, name):
    assert audit(match(getattr(leaky, name)(some), some), None).leaks


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "3"])
def test_our_releases_pass(tmp_path, ledger, write_input, records, capsys, epsilon):
    doubled = records + [(p, b, a) for p, a, b in records[:50]] + records[100:400] * 2
    source, target = write_input(doubled), tmp_path / "out.jsonl"
    privatise(source, target, Decimal(epsilon), ledger)
    assert audit_release.main([str(target), "--original", str(source)]) == 0
    shown = capsys.readouterr().out
    assert "consistent with randomized response" in shown
    assert f"epsilon {epsilon}" in shown
    assert not any(response in shown for _, *pair in records[:50] for response in pair)


def test_the_command_exits_with_one_on_a_leak(tmp_path, leaky, write_input, some, capsys):
    source = write_input(some)
    target = leaky.write(tmp_path / "out.jsonl", leaky.order_kept(some))
    assert audit_release.main([str(target), f"--original={source}", "epsilon=0.5"]) == 1
    assert "it leaks" in capsys.readouterr().out
    assert audit_release.main([str(target), "--original", str(source)]) == 1
    assert "no epsilon claimed" in capsys.readouterr().out


def test_altered_and_unknown_lines_are_counted(leaky, records):
    lines = leaky.sound(records[:60])
    lines[0]["response_1"] += "!!"
    lines[1]["response_2"] = lines[1]["response_2"][:-3] + " and more"
    lines[2]["prompt"] = "nobody asked this"
    both_labels = [*records[:60], (records[5][0], records[5][2], records[5][1])]
    opened = match(lines, both_labels)
    assert (len(opened.lines), opened.unmatched, opened.disputed) == (58, 1, 1)
    assert [line.place for line in opened.lines][:2] == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no records"),
        (b"[]\n", "line 1: not a JSON object"),
        (b'{"prompt": "p"}\n', "field 'response_1' is missing"),
        (b'{"prompt": "p", "response_1": "a", "response_2": "b", "label": 2}\n', "'label' must be"),
        (b'{"prompt": "p", "response_1": "a", "response_2": "b", "label": 1}\n', "fewer than 20"),
        (b"\xff\n", "not UTF-8"),
    ],
)
def test_bad_releases_are_refused(tmp_path, write_input, some, capsys, content, message):
    (tmp_path / "out.jsonl").write_bytes(content)
    words = [str(tmp_path / "out.jsonl"), "--original", str(write_input(some))]
    assert audit_release.main(words) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["o.jsonl"], "original=(missing)"),
        (["--original"], "original="),
        (["--original", "x"], "OUT=(missing)"),
        (["o.jsonl", "--original", "x", "epsilon=-1"], "epsilon=-1: allowed"),
        (["o.jsonl", "--original", "x"], "OUT=o.jsonl: cannot be read"),
    ],
)
def test_bad_commands_are_refused(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert audit_release.main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{}", '{"epsilon": -1}', '{"epsilon": "x"}', "nonsense", "[]"])
def test_a_bad_manifest_is_refused(tmp_path, leaky, write_input, some, capsys, text):
    target = leaky.write(tmp_path / "out.jsonl", leaky.sound(some))
    (tmp_path / "out.manifest.json").write_text(text)
    assert audit_release.main([str(target), "--original", str(write_input(some))]) == 2
    assert "manifest=" in capsys.readouterr().err


def test_help_is_shown(capsys):
    assert audit_release.main(["-h"]) == 0
    assert "--original" in capsys.readouterr().out


def test_interrupting_is_no_verdict(monkeypatch, capsys):
    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(audit_release, "_audit", stop)
    assert audit_release.main(["o", "--original", "x"]) == 130


def test_json_of_the_release_is_plain_ascii(tmp_path, ledger, write_input):
    records = [("p\u2028", f"a\x85 {i}", "b\r") for i in range(30)]
    privatise(write_input(records), tmp_path / "out.jsonl", Decimal(1), ledger)
    lines = (tmp_path / "out.jsonl").read_text(encoding="ascii").splitlines()
    assert {json.loads(line)["prompt"] for line in lines} == {"p\u2028"}
    assert len(lines) == 30
