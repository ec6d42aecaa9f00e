"""``python -m repro catalogue ID``: one statement on one screen."""

import math
import re
import shlex
import subprocess

import pytest

from repro.catalogue.answers import _worst_first, answers
from repro.catalogue.coverage import completed, rows
from repro.catalogue.papers import load
from repro.catalogue.standing import standing
from repro.catalogue.summaries import summaries
from repro.commands import catalogue as command
from repro.commands.process.command import status_of
from repro.core.worlds import field_values
from repro.report.one_statement import _measured, page
from repro.report.run_files import CheckEntry
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of
from tests.at_each import at_each
from tools.plain_english import sentences, smells

EXISTING = summaries()
CATALOGUE = completed(load(), EXISTING)
ROWS = {row.id: row for row in rows(CATALOGUE, EXISTING)}


def test_a_statement_is_printed_with_its_verdict_its_command_and_what_holds(
    capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    assert status_of(command.main, ["p1.thm_4_2"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("P1 Theorem 4.2: ✗ contradicted (error): ")
    assert [line for line in text.splitlines() if len(line) > 80] == []
    in_order = [
        "\np1.thm_4_2, theorem 4.2: offline gap of private pessimistic RLHF\n",
        "Why (proof of Lemma B.1, step (15), and so Theorem 4.2)\n  A square is lost",
        "Smallest counterexample\n  One state, two responses",
        "python -m repro theorem=offline_gap budget=smoke only=reward_bound_eps_one",
        "What holds instead\n  e^B + e^(2B)·e^ε/(e^ε−1)²",
        "As printed (Section 4.1, proof in Appendix B)",
        "offline_gap: ✗ contradicted (recorded)\n  python -m repro theorem=offline_gap\n",
        "✗ contradicted (measured): reward_bound_eps_half",
        "corrected_offline_gap: ✗ contradicted (recorded)",
        "\noffline_gap, its other checks: ✓ supported\n  tested at n 1e+04 to 1e+15, ε ",
        "  ✓ n_pairs (measured): Algorithm 1: gap",
        "Proof by Coq (",
        "Details\n",
    ]
    places = [text.index(part) for part in in_order]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        ("supported", "what holds: b (✓ supported)"),
        ("inconclusive", "corrected form: b (? inconclusive)"),
    ],
)
def test_the_check_of_a_corrected_form_is_shown_with_the_verdict_of_its_run(verdict, line):
    numbers = {"claimed": 1.0, "value": 2.0, "kind": "ratio"}
    printed = CheckEntry(name="a", verdict="contradicted", corrected="b", **numbers)
    holds = CheckEntry(name="b", verdict=verdict, **numbers)
    assert _measured(printed, holds).splitlines()[-1].strip() == line


def test_the_command_of_a_counterexample_runs_its_numbers():
    """At β = 16, which is a kl_weight of 1/16, up to T = 2,221,527."""
    found = answers(ROWS["p1.thm_5_2"], CATALOGUE)
    assert "β = 16 and T = 2,221,527" in found.counterexample
    assert "kl_weight=0.0625" in found.command
    assert ",2221527]" in found.command


ANOTHER_INSTANCE = ("p2.prop_e_2",)
"""Their text says that the command is of another instance."""
IN_TEXT = {
    "epsilon": r"(?<!\w)ε = (\d[\d.]*)",
    "kl_weight": r"(?<![\w′])β = (\d[\d.]*)(?=[, ])",
    "corruption": r"(?<!\w)α = (\d[\d.]*)",
}


@pytest.mark.slow
def test_the_command_of_every_counterexample_runs_the_numbers_of_its_text():
    """Its ε, β and α, where its worlds have them."""
    compared = 0
    for name, row in ROWS.items():
        answer = answers(row, CATALOGUE)
        words = shlex.split(answer.command)
        if not answer.counterexample or words[2:3] != ["repro"] or name in ANOTHER_INSTANCE:
            continue
        values = compose_values(words[3].partition("=")[2], {}, [*words[4:], "tracking=none"])
        (check,) = built(session_of(values).plan).swept
        fields = field_values(check.sweep.worlds[0])
        fields = {"kl_weight": getattr(fields.get("instance"), "kl_weight", None)} | fields
        for field, pattern in IN_TEXT.items():
            for number in re.findall(pattern, answer.counterexample):
                runs = fields.get(field)
                if isinstance(runs, int | float) and check.sweep.axis != field:
                    stated = float(number.rstrip("."))
                    inverse = field == "kl_weight" and name.startswith("p1")
                    assert runs == pytest.approx(1 / stated if inverse else stated), (name, field)
                    compared += 1
    assert compared >= 10


@at_each("name", ROWS)
def test_a_contradiction_has_its_reason_and_a_command_that_shows_it(name):
    stands, found = standing(ROWS[name], CATALOGUE), answers(ROWS[name], CATALOGUE)
    if stands.verdict == "contradicted":
        assert found.why
        assert found.command.startswith(("python -m repro theorem=", "python proofs/verify.py"))
        assert found.counterexample or found.command.startswith("python proofs/")
    else:
        assert bool(found.holds) == stands.unstated_condition
        assert bool(found.counterexample) == bool(found.command)
        assert not found.counterexample or stands.unstated_condition


PRINTED = re.compile(r"\bprints (?:[^.]|\.(?=\d))*")
"""What a counterexample says that its command prints."""
OF_A_RUN = [name for name in ROWS if PRINTED.search(ROWS[name].item.counterexample or "")]


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_A_RUN)
def test_a_command_prints_the_numbers_of_its_counterexample(name, python_m, tmp_path):
    """Those with a decimal point, or with three digits."""
    found = answers(ROWS[name], CATALOGUE)
    said = "".join(PRINTED.findall(found.counterexample))
    numbers = re.findall(r"\d+\.\d+(?:e-\d+)?|(?<![\d.])\d{3,}", said)
    words = [*python_m, *shlex.split(found.command)[2:]]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert numbers
    assert [number for number in numbers if number not in done.stdout] == []


def test_the_worst_note_comes_first_and_what_rests_on_the_text_at_hand_last():
    note = next(iter(CATALOGUE.slips.values()))
    wanted = [("error", False), ("notation", False), ("error", True), ("notation", True)]
    fields = [{"grade": grade, "text_at_hand": at_hand} for grade, at_hand in wanted[::-1]]
    notes = [note.model_copy(update=changed) for changed in fields]
    assert sorted(notes, key=_worst_first) == notes[::-1]


def test_every_statement_fits_its_screen(thorough):
    """At most 80 columns, but for formulas, names and commands, which cannot be broken."""
    for name, row in list(ROWS.items())[:: 1 if thorough else 40]:
        text = page(row, CATALOGUE)
        first, *lines = text.splitlines()
        assert len(first) <= 160, name
        breakable = [line for line in lines if not line.startswith("  python -m repro ")]
        assert [line for line in breakable if len(line) > 80 and " " in line.strip()] == [], name
        assert row.item.title.split()[0] in text
        assert all(f"python -m repro theorem={slug}" in text for slug in row.expected), name
        assert not row.item.reason or "Why there is no experiment" in text, name


FIRST_SCREEN = 25
"""Lines of 80 columns."""
SENTENCES = 3


CONTRADICTED = [name for name in ROWS if standing(ROWS[name], CATALOGUE).verdict == "contradicted"]


@at_each("name", CONTRADICTED)
def test_the_first_screen_of_a_contradiction_says_what_holds(name):
    """Verdict, why, counterexample, command and what holds, each in a few plain sentences."""
    found = answers(ROWS[name], CATALOGUE)
    before, heading, after = page(ROWS[name], CATALOGUE).partition("What holds instead\n")
    lines = [*before.splitlines(), heading, *after.partition("\n\n")[0].splitlines()]
    assert sum(max(1, math.ceil(len(line) / 80)) for line in lines) <= FIRST_SCREEN
    for text in (found.why, found.counterexample, *(hold.text for hold in found.holds)):
        read = sentences(text)
        assert len(read) <= SENTENCES, text
        assert [sentence for sentence in read if smells(sentence)] == []


def test_equal_remedies_are_told_once():
    (hold,) = answers(ROWS["p3.lem_a_11"], CATALOGUE).holds
    assert len(hold.slips) > 1
    assert page(ROWS["p3.lem_a_11"], CATALOGUE).count(hold.text) == 1


@pytest.mark.parametrize(
    ("word", "hint"), [("p1.thm_4_3", "did you mean"), ("zebra", "allowed"), ("", "allowed")]
)
def test_a_statement_that_there_is_not_is_one_line(word, hint, capsys):
    assert status_of(command.main, [word]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"error: statement={word}: ") or not word
    assert hint in line
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        (
            "p1.thm_4_2",
            "α is the probability that randomised response keeps a label, e^ε/(1+e^ε); β is "
            "1/kl_weight.",
        ),
        ("p2.thm_5_2", "α is the share of corrupted labels; β is kl_weight."),
        ("p3.alg_1", "α is a ridge; β is the tolerance of a solver."),
    ],
)
def test_a_letter_of_the_printed_text_is_explained_by_its_paper(name, letters):
    assert f"In this paper {letters}" in " ".join(page(ROWS[name], CATALOGUE).split())


def test_what_is_cleared_is_said_with_what_holds():
    """Also where a test is its evidence, and no check."""
    text = " ".join(page(ROWS["p3.lem_a_9"], CATALOGUE).split())
    assert "Also suspected - " in text
    assert "- Lemma A.9 (cleared): " in text
    assert "What holds: with the λ of the lemma and η ≤ ½ it is definite with probability" in text


def test_a_statement_that_fails_or_needs_a_condition_says_why():
    for row in ROWS.values():
        stands = standing(row, CATALOGUE)
        if stands.verdict == "contradicted" or stands.unstated_condition:
            assert answers(row, CATALOGUE).why, row.id
    text = " ".join(page(ROWS["p3.lem_a_9"], CATALOGUE).split())
    assert "Why (Lemma A.9) √(d·log(1/η)) is printed where the proof has" in text
    assert "What holds instead With probability 1−η, for η ≤ ½" in text


def test_an_own_result_is_shown_with_its_text():
    text = " ".join(page(ROWS["own.sharper_floor"], CATALOGUE).split())
    assert "Statement With Z = α under CTL, Z = c(ε)α under LTC" in text
