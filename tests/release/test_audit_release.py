"""The audit against releases that leak, releases that do not, and files that are hardly releases.

The normal run takes every EVERYth encoding and few honest trials;
``python -m pytest tests/release/test_audit_release.py --encodings all --trials 200`` takes all.
"""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest

from repro import audit_release
from repro.preferences.synthetic_pairs import synthetic_pairs
from repro.release.audit import audit_release as audit
from repro.release.audit import out_of_reach
from repro.release.edits import edit_tokens
from repro.release.matching import match_release
from repro.release.privatise import privatise
from repro.release.scoring import EACH, excess
from repro.release.skeleton import byte_tokens
from repro.release.tossed_coins import GENERATORS
from tests.release import leaky
from tests.release.encodings.fresh import FRESH
from tests.release.encodings.in_bytes import in_bytes_of
from tests.release.encodings.in_places import response_order
from tests.release.encodings.later import LATER
from tests.release.encodings.rows import COIN, EPSILON, rows, shuffled, write

LINES = 2100
EVERY = 11
ENCODINGS = leaky.SEEN | leaky.UNSEEN | FRESH | LATER
GOOD = {"prompt": "p", "response_1": "a", "response_2": "b", "label": 1}


def pytest_generate_tests(metafunc):
    if "encoding" in metafunc.fixturenames:
        every = EVERY if metafunc.config.getoption("encodings", "some") == "some" else 1
        metafunc.parametrize("encoding", [*ENCODINGS][::every])
    if "trial" in metafunc.fixturenames:
        metafunc.parametrize("trial", range(metafunc.config.getoption("trials", 2)))


@pytest.fixture(scope="session")
def many():
    return [(p.prompt, p.chosen, p.rejected) for p in synthetic_pairs(LINES, seed=3)]


@pytest.fixture
def audited(tmp_path, write_input):
    """The findings on a release made by a function of ``leaky``."""

    def look(release, records, epsilon=EPSILON):
        source, target = release(records, tmp_path)
        return audit(target, write_input(source), epsilon)

    return look


def caught(done):
    return {finding.attack for finding in done.findings if finding.leaks}


def test_leaks_in_every_line_are_found(audited, many, encoding):
    assert audited(ENCODINGS[encoding], many).leaks


@pytest.mark.parametrize(
    ("name", "attack"),
    [
        ("bytes: crlf", "bytes"),
        ("text of chosen: trailing space", "texts"),
        ("order of responses", "order"),
        ("field: salted hash", "identifier"),
        ("field: flip noted", "fields"),
        ("coins: recycled", "shared coins"),
        ("coins: default_rng(42)", "seeded coins"),
        ("noise: none", "label"),
        ("manifest: flips", "manifest"),
    ],
)
@pytest.mark.parametrize("epsilon", [0.5, None])
def test_special_attacks_name_the_leak(audited, many, name, attack, epsilon):
    if epsilon is None and attack == "manifest":
        pytest.skip("its manifest states epsilon")
    assert attack in caught(audited(leaky.SEEN[name], many[:700], epsilon))


def test_a_leak_in_one_line_of_ten_is_found(audited, many):
    assert "bytes" in caught(audited(in_bytes_of(0.1), many))


def test_a_sound_release_is_cleared(audited, many, trial):
    done = audited(leaky.sound, many[:600])
    assert not done.leaks
    assert any("'id'" in words for words in done.out_of_reach)


def either(count):
    """Two responses for all prompts: a hash of the chosen one is the label."""
    pairs = (("yes", "no") if COIN.random() < 0.7 else ("no", "yes") for _ in range(count))
    return [(f"prompt {i:04}", *pair) for i, pair in enumerate(pairs)]


def sorted_by_label(count):
    """Which response was chosen depends on the line alone."""
    return [(f"prompt {i:04}", *sorted(("yes", "no"), reverse=i < count / 2)) for i in range(count)]


def asked_for(count):
    """Which response was chosen depends on the prompt, and that on the line."""
    found = []
    for i in range(count):
        formal, casual = f"Dear sir, {COIN.random()}, regards", f"hey you {COIN.random()}, bye"
        pair = (formal, casual) if i % 2 else (casual, formal)
        pair = pair if COIN.random() < 0.9 else pair[::-1]
        found.append((("casual, please", "formal, please")[i % 2], *pair))
    return found


@pytest.mark.parametrize("make", [either, sorted_by_label, asked_for])
def test_what_an_original_says_by_itself_is_no_leak(audited, make):
    def sound(records, folder):
        (folder / "out.manifest.json").write_text(
            json.dumps({"epsilon": EPSILON, "run": f"{COIN.getrandbits(512):0128x}"})
        )
        return records, write(folder / "out.jsonl", shuffled(rows(records)))

    assert not caught(audited(sound, make(1200)))


@pytest.mark.parametrize("epsilon", ["0.1", "3"])
def test_our_releases_pass(tmp_path, ledger, write_input, records, capsys, epsilon):
    doubled = records + [(p, b, a) for p, a, b in records[:50]] + records[100:400] * 2
    source, target = write_input(doubled), tmp_path / "out.jsonl"
    privatise(source, target, Decimal(epsilon), ledger)
    assert audit_release.main([str(target), "--original", str(source)]) == 0
    shown = capsys.readouterr().out
    assert "consistent with randomized response" in shown
    assert f"epsilon {epsilon}" in shown
    assert not any(response in shown for _, *pair in records[:50] for response in pair)
    assert max(map(len, shown.splitlines())) < 80


@pytest.mark.parametrize(
    "style",
    [
        {"ensure_ascii": False},
        {"separators": (",", ":")},
        {"sort_keys": True},
        {},
    ],
)
def test_any_one_style_of_json_has_nothing_to_learn_from(tmp_path, write_input, style):
    records = [
        (f"caf\u00e9 \u2028 {i}", f"a/b \U0001f600 \\ {i}", f'"b" \t {i}') for i in range(40)
    ]
    values = [row.values() for row in shuffled(rows(records))]
    lines = [json.dumps(value, **style) + "\n" for value in values]
    matched = match_release(write(tmp_path / "out.jsonl", lines), write_input(records))
    assert len({tuple(tokens) for tokens in byte_tokens(matched.lines)}) == 1
    assert not any(edit_tokens(matched.lines))


@pytest.mark.parametrize("rule", [str.strip, lambda text: " ".join(text.split())])
def test_a_rule_that_all_texts_follow_says_nothing(tmp_path, write_input, rule):
    records = [(f"ask {i} ", f"a  {i}" + " " * (i % 2), f" b {i}") for i in range(40)]
    tidy = [tuple(map(rule, record)) for record in records]
    target = write(tmp_path / "out.jsonl", shuffled(rows(tidy)))
    matched = match_release(target, write_input(records))
    assert len(matched.lines) == 40
    assert not any(edit_tokens(matched.lines))


def test_the_exact_test_keeps_its_level():
    random = np.random.default_rng(0)
    p_values = []
    for _ in range(2000):
        truth = random.choice([-1, 1], 200, p=[0.3, 0.7])
        guess, strata = random.choice([-1, 0, 1], 200), random.integers(0, 6, 200)
        p_values.append(excess(guess, truth, strata).p_value)
    for level in (0.2, 0.05, 0.01):
        assert np.mean(np.array(p_values) <= level) <= level + 3 * np.sqrt(level / 2000)


def test_the_exact_test_agrees_with_fisher():
    from scipy.stats import fisher_exact

    guess = np.repeat([1, 1, -1, -1], [30, 12, 9, 25])
    truth = np.repeat([1, -1, 1, -1], [30, 12, 9, 25])
    found = excess(guess, truth, np.zeros(76, dtype=int))
    known = fisher_exact([[30, 12], [9, 25]], alternative="greater").pvalue
    assert found.p_value == pytest.approx(known, rel=1e-9)
    assert (found.hits, found.trials) == (55, 76)
    fewer = excess(guess, truth, np.zeros(76, dtype=int), searched=1000)
    assert fewer.level == EACH / 1000
    assert fewer.critical > found.critical


@pytest.mark.parametrize("seed", [0, 42, 2**40])
def test_coins_are_tossed_as_the_generators_toss_them(seed):
    import random

    import torch

    python = [random.Random(seed) for _ in range(3)]
    tossed = torch.Generator().manual_seed(seed)
    known = {
        "random.random": [python[0].random() for _ in range(60)],
        "random.getrandbits": [python[1].getrandbits(1) for _ in range(60)],
        "random.randrange": [python[2].randrange(2) for _ in range(60)],
        "torch.rand": torch.rand(60, generator=tossed).numpy(),
    }
    for name, drawn in known.items():
        np.testing.assert_allclose(GENERATORS[name](seed, 60), drawn)


def lines_of(records, **more):
    return [json.dumps(row.values() | more) + "\n" for row in rows(records)]


def alike(count):
    return [("the prompt", f"answer {i}", f"answer {i}.") for i in range(count)]


def equal_lengths(count):
    return [(f"prompt {i:04}", f"answer {i:04}", f"anders {i:04}") for i in range(count)]


def one_answer(count):
    return [(f"prompt {i:04}", "yes", "no") for i in range(count)]


@pytest.mark.parametrize("make", [alike, equal_lengths, one_answer])
@pytest.mark.parametrize("count", [20, 200])
@pytest.mark.parametrize("more", [{"label": 1.0}, {"label": -1}, {"x": [1, {}]}])
def test_odd_files_get_an_answer(tmp_path, write_input, make, count, more):
    records = make(count)
    target = write(tmp_path / "out.jsonl", lines_of(records, **more))
    assert audit_release.main([str(target), "--original", str(write_input(records))]) in (0, 1)


@pytest.mark.parametrize("count", [1, 19])
def test_too_few_lines_are_refused(tmp_path, write_input, capsys, count):
    target = write(tmp_path / "out.jsonl", lines_of(alike(count)))
    assert audit_release.main([str(target), "--original", str(write_input(alike(count)))]) == 2
    assert "fewer than 20" in capsys.readouterr().err


def test_labels_written_otherwise_are_no_leak(tmp_path, write_input, many):
    lines = [line.replace("1}", "1.0}") for line in lines_of(many[:300])]
    target = write(tmp_path / "out.jsonl", shuffled(lines))
    assert audit_release.main([str(target), "--original", str(write_input(many[:300]))]) == 0


def test_the_command_exits_with_one_on_a_leak(tmp_path, write_input, many, capsys):
    records, target = response_order(many[:300], tmp_path)
    source = write_input(records)
    assert audit_release.main([str(target), f"--original={source}", "epsilon=0.5"]) == 1
    shown = capsys.readouterr().out
    assert "estimate" in shown
    assert "lower bound" in shown
    assert "limit" in shown
    assert shown.endswith("it leaks\n")
    assert audit_release.main([str(target), "--original", str(source)]) == 1
    assert "no epsilon claimed" in capsys.readouterr().out


def test_altered_and_unknown_lines_are_counted(tmp_path, write_input, records):
    values = [row.values() for row in rows(records[:60])]
    values[0]["response_1"] += "!!"
    values[1]["response_2"] = values[1]["response_2"][:-3] + " and more"
    values[2] |= {"prompt": "nobody asked this", "response_1": "yes", "response_2": "no"}
    values[3]["prompt"] = values[3]["prompt"].replace("e", "\u0435")
    values[3]["response_1"] = values[3]["response_1"].replace("a", "\u0430")
    values[3]["response_2"] = values[3]["response_2"].replace("a", "\u0430")
    both_labels = [*records[:60], (records[5][0], records[5][2], records[5][1])]
    lines = [json.dumps(value) + "\n" for value in values]
    matched = match_release(write(tmp_path / "out.jsonl", lines), write_input(both_labels))
    assert (len(matched.lines), matched.unmatched, matched.disputed) == (58, (2,), 1)
    assert [line.origin for line in matched.lines][:4] == [0, 1, 3, 4]


def test_what_is_out_of_reach_is_named_with_its_reason(tmp_path, write_input, records):
    values = [row.values() | {"id": COIN.getrandbits(64), "n": 1} for row in rows(records[:60])]
    values[2] |= {"prompt": "nobody asked this", "response_1": "yes", "response_2": "no"}
    lines = [json.dumps(value) + "\n" for value in values]
    matched = match_release(write(tmp_path / "out.jsonl", lines), write_input(records[:60]))
    field, unknown, keys = out_of_reach(matched)
    assert "field 'id' holds a value of its own for each line: a hash with an unknown" in field
    assert unknown == "1 lines are not of this original: nothing is known of them"
    assert "drawn with a key, or with a seed or generator that is not among those tried" in keys


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no records"),
        (b"[]\n", "line 1: not a JSON object"),
        (b'{"prompt": "p"}\n', "field 'response_1' is missing"),
        (json.dumps(GOOD | {"label": 2}).encode(), "'label' must be"),
        (json.dumps(GOOD | {"label": [1]}).encode(), "'label' must be"),
        (json.dumps(GOOD | {"label": True}).encode(), "'label' must be"),
        (json.dumps(GOOD).encode(), "fewer than 20"),
        (b"\xff\n", "not UTF-8"),
    ],
)
def test_bad_releases_are_refused(tmp_path, write_input, many, capsys, content, message):
    (tmp_path / "out.jsonl").write_bytes(content)
    words = [str(tmp_path / "out.jsonl"), "--original", str(write_input(many[:100]))]
    assert audit_release.main(words) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["o.jsonl"], "original=(missing)"),
        (["--original"], "original: "),
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
def test_a_bad_manifest_is_refused(tmp_path, write_input, many, capsys, text):
    source, target = leaky.sound(many[:100], tmp_path)
    (tmp_path / "out.manifest.json").write_text(text)
    assert audit_release.main([str(target), "--original", str(write_input(source))]) == 2
    assert "manifest=" in capsys.readouterr().err


def test_help_is_shown(capsys):
    assert audit_release.main(["-h"]) == 0
    assert "--original" in capsys.readouterr().out


def test_interrupting_is_no_verdict(monkeypatch, capsys):
    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(audit_release, "_audit", stop)
    assert audit_release.main(["o", "--original", "x"]) == 130


def test_a_crash_is_no_verdict(monkeypatch, capsys, tmp_path):
    secret = str(np.random.default_rng().integers(10**9, 10**10))

    def crash(_):
        raise ZeroDivisionError(secret)

    monkeypatch.setattr(audit_release, "_audit", crash)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert audit_release.main(["o", "--original", "x"]) == 70
    shown = capsys.readouterr().err
    assert shown.startswith("error: internal: ZeroDivisionError in ")
    assert shown.count("\n") == 1
    (details,) = tmp_path.iterdir()
    assert "crash" in details.read_text()
    assert secret not in details.read_text()


def test_json_of_the_release_is_plain_ascii(tmp_path, ledger, write_input):
    records = [("p\u2028", f"a\x85 {i}", "b\r") for i in range(30)]
    privatise(write_input(records), tmp_path / "out.jsonl", Decimal(1), ledger)
    lines = (tmp_path / "out.jsonl").read_text(encoding="ascii").splitlines()
    assert {json.loads(line)["prompt"] for line in lines} == {"p\u2028"}
    assert len(lines) == 30
